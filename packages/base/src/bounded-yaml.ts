/** Reading untrusted YAML and JSON: whatever it is, it costs time in proportion to its length. */

import {
  type CollectionTag,
  Composer,
  type Document,
  isCollection,
  isMap,
  isPair,
  isScalar,
  Lexer,
  LineCounter,
  type ParsedNode,
  Parser,
  type ScalarTag,
  type Tags,
} from 'yaml';

export type ReadDocument =
  | { readonly ok: true; readonly value: unknown }
  | {
      readonly ok: false;
      readonly problem: string;
      /** Where in the text, as far as that is known; the first line is 1. */
      readonly line?: number;
    };

/** No Kubernetes object nests half as deep; recursion over one that is accepted is safe everywhere. */
export const maxDepth = 100;

const tooDeep = `is nested deeper than ${maxDepth} levels`;

/** In characters. Reading YAML takes a hundred times the memory of the text, and JSON hardly any. */
const maxYamlLength = 32 * 1024 * 1024;

/** Aliases may make a short text long; those that people write stay far below. */
const maxAliasCount = 100;

/** What to do with duplicate keys in one map: JSON does not define it, and most parsers take the last one. */
export type RepeatedKeys = 'refuse' | 'take last';

export interface RepeatedKey {
  readonly key: string;
  /** The line of the duplicate; the first line is 1. */
  readonly line: number;
}

/** JSON where it looks like JSON, else YAML. After a document that cannot be read nothing follows. */
export function* readDocuments(
  text: string,
  maxYaml = maxYamlLength,
  repeated: RepeatedKeys = 'refuse',
): Generator<ReadDocument, void, undefined> {
  const json = /^\s*[{[]/.test(text) ? parseJson(text) : undefined;
  if (json) yield json;
  // YAML in flow style begins like JSON.
  else if (text.length <= maxYaml) yield* yamlDocuments(text, repeated);
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

/** Duplicate keys of maps, in the order of the text, which is read as YAML even where it is JSON. */
export function repeatedKeys(text: string, maxYaml = maxYamlLength): RepeatedKey[] {
  if (text.length > maxYaml) return [];
  const lines = new LineCounter();
  lines.addNewLine(0);
  try {
    const documents = [...newComposer().compose(tokens(text, lines.addNewLine))];
    return documents
      .flatMap(({ contents }) => [...repetitions(contents)])
      .sort((left, right) => left.offset - right.offset)
      .map(({ key, offset }) => ({ key, line: lines.linePos(offset).line }));
  } catch {
    return [];
  }
}

function newComposer() {
  return new Composer({
    version: '1.1',
    customTags: jsonTags,
    logLevel: 'error',
    prettyErrors: false,
    // It compares every key of a map with every other one; `repetitions` does not.
    uniqueKeys: false,
  });
}

function* yamlDocuments(text: string, repeated: RepeatedKeys): Generator<ReadDocument, void, undefined> {
  const lines = new LineCounter();
  lines.addNewLine(0);
  const at = (offset: number) => ({ line: lines.linePos(offset).line });
  try {
    for (const document of newComposer().compose(tokens(text, lines.addNewLine))) {
      const result = readOne(document, repeated, at);
      yield result;
      if (!result.ok) return;
    }
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    yield { ok: false, problem, ...(error instanceof BadToken ? at(error.offset) : {}) };
  }
}

class BadToken extends Error {
  override readonly name = 'BadToken';
  readonly offset: number;

  constructor(message: string, offset: number) {
    super(message);
    this.offset = offset;
  }
}

/**
 * The composer descends recursively, and a stack that ends inside of it can end the process. The parser before it keeps a
 * stack of its own, which tells the depth in time.
 */
function* tokens(text: string, onNewLine?: (offset: number) => void) {
  const parser = new Parser(onNewLine);
  for (const lexeme of new Lexer().lex(text)) {
    for (const token of parser.next(lexeme)) {
      if (token.type === 'error') throw new BadToken(token.message, token.offset);
      yield token;
    }
    if (parser.stack.length > 2 * maxDepth) throw new Error(tooDeep);
  }
  yield* parser.end();
}

function readOne(
  document: Document.Parsed,
  repeated: RepeatedKeys,
  at: (offset: number) => { readonly line: number },
): ReadDocument {
  const [problem] = document.errors;
  if (problem) return { ok: false, problem: problem.message, ...at(problem.pos[0]) };
  const again = repeated === 'refuse' ? repetitions(document.contents).next().value : undefined;
  if (again) return { ok: false, problem: `key ${JSON.stringify(again.key)} is there twice`, ...at(again.offset) };
  return checked(document.toJS({ maxAliasCount }));
}

function* repetitions(node: unknown): Generator<{ readonly key: string; readonly offset: number }, void, undefined> {
  if (isPair(node)) {
    yield* repetitions(node.key);
    yield* repetitions(node.value);
  }
  if (!isCollection(node)) return;
  const seen = new Set<string>();
  for (const item of node.items) {
    yield* repetitions(item);
    if (!isMap(node) || !isPair<ParsedNode, ParsedNode>(item) || !isScalar(item.key)) continue;
    const key = String(item.key.value);
    if (seen.has(key)) yield { key, offset: item.key.range[0] };
    seen.add(key);
  }
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
