import type { IncomingMessage } from 'node:http';
import { type Document, isScalar, parseDocument, visit } from 'yaml';
import { badRequest, tooLarge } from '../errors.ts';

/** As much as the real API server takes. */
export const maxBodyBytes = 3 * 1024 * 1024;

/**
 * YAML takes a hundred times as long to read as JSON, and nobody is served meanwhile. Clients convert it to JSON themselves;
 * what arrives as YAML was written by hand.
 */
export const maxYamlCharacters = 256 * 1024;

/** No Kubernetes object nests half as deep; recursion over one that is accepted is safe everywhere. */
const maxDepth = 100;

export async function readBody(request: IncomingMessage, limit = maxBodyBytes): Promise<Buffer> {
  const announced = Number(request.headers['content-length'] ?? '0');
  if (announced > limit) throw tooLarge(limit);
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > limit) throw tooLarge(limit);
    chunks.push(chunk);
  }
  return chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
}

/** JSON, or YAML where it does not look like JSON: kubectl calls its apply bodies YAML whatever they are. */
export function parseBody(text: string, format: 'json' | 'yaml'): unknown {
  const value = format === 'json' || /^\s*[{[]/.test(text) ? parseJson(text, format) : parseYaml(text);
  if (isDeeperThan(value, maxDepth))
    throw badRequest(`the body of the request is nested deeper than ${maxDepth} levels`);
  return value;
}

function parseJson(text: string, format: 'json' | 'yaml'): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    // YAML in flow style begins like JSON.
    if (format === 'yaml') return parseYaml(text);
    throw badRequest(
      `the object provided is not valid JSON: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

/**
 * The YAML parser descends recursively, and a stack that ends inside of it can end the process. Every level costs at least
 * one column of indentation, one indicator on its line, or one bracket, so their number bounds the depth beforehand.
 */
function parseYaml(text: string): unknown {
  if (text.length > maxYamlCharacters) throw tooLarge(maxYamlCharacters);
  if (couldNestDeeper(text)) throw badRequest(`the body of the request is nested deeper than ${maxDepth} levels`);
  const document = parseDocument(text, yamlOptions);
  const problem = document.errors[0]?.message ?? doubleKey(document);
  if (problem) throw badRequest(`the object provided is not valid YAML: ${problem}`);
  try {
    return document.toJS({ maxAliasCount: 100 }) as unknown;
  } catch (error) {
    throw badRequest(
      `the object provided is not valid YAML: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

/** The library compares each key of a map with all others; `doubleKey` does it in one pass. */
const yamlOptions = { version: '1.1', logLevel: 'error', prettyErrors: false, uniqueKeys: false } as const;

function doubleKey(document: Document.Parsed): string | undefined {
  let problem: string | undefined;
  visit(document, {
    Map(_position, map) {
      const seen = new Set<string>();
      for (const { key } of map.items) {
        const name = isScalar(key) ? String(key.value) : undefined;
        if (name === undefined || name === '<<') continue;
        if (seen.has(name)) {
          problem = `key "${name}" already set in map`;
          return visit.BREAK;
        }
        seen.add(name);
      }
      return undefined;
    },
  });
  return problem;
}

const maxColumns = 400;

function couldNestDeeper(text: string): boolean {
  let brackets = 0;
  for (const line of text.split('\n')) {
    const lead = /^[\s\-?:]*/.exec(line)?.[0].length ?? 0;
    if (lead > maxColumns) return true;
    for (const letter of line) {
      if (letter === '[' || letter === '{') brackets += 1;
      else if ((letter === ']' || letter === '}') && brackets > 0) brackets -= 1;
      if (brackets > maxDepth) return true;
    }
  }
  return false;
}

/** Without recursion: what it looks for is what recursion would die of. */
export function isDeeperThan(value: unknown, levels: number): boolean {
  let layer: unknown[] = [value];
  for (let depth = 0; depth <= levels; depth += 1) {
    const next: unknown[] = [];
    for (const part of layer) {
      if (typeof part === 'object' && part !== null) for (const inner of Object.values(part)) next.push(inner);
    }
    if (next.length === 0) return false;
    layer = next;
  }
  return true;
}
