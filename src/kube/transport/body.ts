import type { Readable } from 'node:stream';

export type ReadBody =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly problem: string; readonly tooLarge: boolean };

/** Reads a body to its end, or up to a limit. */
export async function readBody(body: Readable, maxBytes: number): Promise<ReadBody> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > maxBytes) return { ok: false, problem: `the answer is larger than ${maxBytes} bytes`, tooLarge: true };
      chunks.push(chunk);
    }
  } catch (error) {
    return { ok: false, problem: error instanceof Error ? error.message : String(error), tooLarge: false };
  }
  return { ok: true, text: Buffer.concat(chunks).toString('utf8') };
}
