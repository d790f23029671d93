import type { IncomingMessage } from 'node:http';
import { isDeeperThan, maxDepth, readDocuments } from '@holdfast/base/bounded-yaml';
import { parseProblem } from '../admission/json-problem.ts';
import { badRequest, isApiError, tooLarge } from '../errors.ts';

/** As much as the real API server takes. */
const maxBodyBytes = 3 * 1024 * 1024;

/**
 * YAML takes a hundred times as long to read as JSON, and no other client is served meanwhile. Clients convert it themselves; what
 * arrives as YAML was written by hand.
 */
const maxYamlCharacters = 256 * 1024;

export async function readBody(request: IncomingMessage, limit = maxBodyBytes): Promise<Buffer> {
  const announced = Number(request.headers['content-length'] ?? '0');
  if (announced > limit) throw tooLarge(limit);
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > limit) throw tooLarge(limit);
      chunks.push(chunk);
    }
  } catch (error) {
    // The client hung up, or took too long; it does not read this.
    throw isApiError(error) ? error : badRequest('the request ended before its body did');
  }
  return chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
}

/** JSON, or YAML where it does not look like JSON: kubectl calls its apply bodies YAML whatever they are. */
export function parseBody(text: string, format: 'json' | 'yaml'): unknown {
  return format === 'json' ? parseJson(text) : parseYaml(text);
}

function parseJson(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw badRequest(`couldn't get version/kind; json parse error: ${parseProblem(text, error)}`);
  }
  if (isDeeperThan(value, maxDepth))
    throw badRequest(`the body of the request is nested deeper than ${maxDepth} levels`);
  return value;
}

function parseYaml(text: string): unknown {
  const [first, ...others] = readDocuments(text, maxYamlCharacters, 'take last');
  if (first?.ok === false) throw badRequest(`the object provided is not valid YAML: ${first.problem}`);
  if (others.length > 0) throw badRequest('the object provided is not valid YAML: there is more than one document');
  return first?.value ?? null;
}
