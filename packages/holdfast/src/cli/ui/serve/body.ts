import type { IncomingMessage } from 'node:http';
import { problem, type Reply } from './answers.ts';

/** An edited budget has a kilobyte; a list of 5,000 names of nodes, a few hundred. */
const maxBodyBytes = 1024 * 1024;

type JsonBody = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly reply: Reply };

/** Never holds more than the limit, whatever the request says of its length. */
export async function readJson(request: IncomingMessage): Promise<JsonBody> {
  const refused = (reply: Reply): JsonBody => ({ ok: false, reply });
  if (!/^application\/json\s*(;|$)/i.test(request.headers['content-type'] ?? '')) {
    return refused(problem('notJson', 'the body of the request must be application/json'));
  }
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > maxBodyBytes) return refused(tooLarge);
    chunks.push(chunk);
  }
  try {
    return { ok: true, value: JSON.parse(Buffer.concat(chunks).toString('utf8')) };
  } catch {
    return refused(problem('badRequest', 'the body of the request is not JSON'));
  }
}

const tooLarge: Reply = {
  ...problem('tooLarge', `the body of the request is larger than ${maxBodyBytes / 1024} KiB`),
  headers: { connection: 'close' },
};
