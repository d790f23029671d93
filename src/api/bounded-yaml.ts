/** Reading YAML and JSON that somebody else wrote: whatever it is, it costs time in proportion to its length. */

import {
  type CollectionTag,
  Composer,
  type Document,
  isCollection,
  isMap,
  isPair,
  isScalar,
  Lexer,
  type ParsedNode,
  Parser,
  type ScalarTag,
  type Tags,
} from 'yaml';

export type ReadDocument =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly problem: string };

/** No Kubernetes object nests half as deep; recursion over one that is accepted is safe everywhere. */
export const maxDepth = 100;

const tooDeep = `is nested deeper than ${maxDepth} levels`;

/** In characters. Reading YAML takes a hundred times the memory of the text, and JSON hardly any. */
const maxYamlLength = 32 * 1024 * 1024;

/** Aliases may make a short text long; those that people write stay far below. */
const maxAliasCount = 100;

/** JSON where it looks like JSON, else YAML. After a document that cannot be read nothing follows. */
export function* readDocuments(text: string, maxYaml = maxYamlLength): Generator<ReadDocument, void, undefined> {
  const json = /^\s*[{[]/.test(text) ? parseJson(text) : undefined;
  if (json) yield json;
  // YAML in flow style begins like JSON.
  else if (text.length <= maxYaml) yield* yamlDocuments(text);
  else yield { ok: false, problem: `is YAML of more than ${maxYaml / 1024} KiB; write it as JSON` };
}

function parseJson(text: string): ReadDocument | undefined {
  try {
    return checked(JSON.parse(text));
  } catch {
    return undefined;
  }
}

function checked(value: unknown): ReadDocument {
  return isDeeperThan(value, maxDepth) ? { ok: false, problem: tooDeep } : { ok: true, value };
}

function* yamlDocuments(text: string): Generator<ReadDocument, void, undefined> {
  const composer = new Composer({
    version: '1.1',
    customTags: jsonTags,
    logLevel: 'error',
    prettyErrors: false,
    // It compares every key of a map with every other one; `repeatedKey` does not.
    uniqueKeys: false,
  });
  try {
    for (const document of composer.compose(tokens(text))) {
      const result = readOne(document);
      yield result;
      if (!result.ok) return;
    }
  } catch (error) {
    yield { ok: false, problem: error instanceof Error ? error.message : String(error) };
  }
}

/**
 * The composer descends recursively, and a stack that ends inside of it can end the process. The parser before it keeps a
 * stack of its own, which tells the depth in time.
 */
function* tokens(text: string) {
  const parser = new Parser();
  for (const lexeme of new Lexer().lex(text)) {
    for (const token of parser.next(lexeme)) {
      if (token.type === 'error') throw new Error(token.message);
      yield token;
    }
    if (parser.stack.length > 2 * maxDepth) throw new Error(tooDeep);
  }
  yield* parser.end();
}

function readOne(document: Document.Parsed): ReadDocument {
  const [problem] = document.errors;
  if (problem) return { ok: false, problem: problem.message };
  const repeated = repeatedKey(document.contents);
  if (repeated !== undefined) return { ok: false, problem: `key ${JSON.stringify(repeated)} is there twice` };
  return checked(document.toJS({ maxAliasCount }));
}

function repeatedKey(node: unknown): string | undefined {
  if (isPair(node)) return repeatedKey(node.key) ?? repeatedKey(node.value);
  if (!isCollection(node)) return undefined;
  const seen = new Set<string>();
  for (const item of node.items) {
    const inner = repeatedKey(item);
    if (inner !== undefined) return inner;
    if (!isMap(node) || !isPair<ParsedNode, ParsedNode>(item) || !isScalar(item.key)) continue;
    const key = String(item.key.value);
    if (seen.has(key)) return key;
    seen.add(key);
  }
  return undefined;
}

/** YAML 1.1 has values that JSON has not. Kubernetes reads times, and numbers such as 22:22, as the text they are. */
function jsonTags(tags: Tags): Tags {
  return tags.filter((tag) => typeof tag === 'string' || isJson(tag));
}

const foreignTags = new Set(['binary', 'omap', 'pairs', 'set', 'timestamp'].map((name) => `tag:yaml.org,2002:${name}`));

function isJson(tag: ScalarTag | CollectionTag): boolean {
  return !foreignTags.has(tag.tag) && !('format' in tag && tag.format === 'TIME');
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
