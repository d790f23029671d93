import { isAlias, isMap, isScalar, isSeq, parseDocument } from 'yaml';
import { type FieldError, failed, forbidden, invalid, type Parsed, parsed } from '../field-errors.ts';

/** A probe is a few hundred bytes. Kubernetes allows 256 KiB of annotations, too much to parse for each pod. */
const maxBytes = 16 * 1024;

/** A map of probes has five levels. */
const maxDepth = 16;
const tooDeep = `must not be nested deeper than ${maxDepth} levels`;

/**
 * The YAML parser descends recursively, and when the stack ends while a regular expression is being compiled the whole
 * process dies: no exception, nothing to catch. No level of YAML comes without one of these characters, so this many of
 * them bound the depth before it parses. JSON is read by an engine that does not descend, and needs no such limit.
 */
const structural = /[[{:?&!*-]/g;
const maxStructural = 256;

/** Reads JSON or YAML. Never throws. */
export function parseProbeText(text: string, field: string): Parsed<unknown> {
  const bytes = new TextEncoder().encode(text).length;
  if (bytes > maxBytes) return failed(wrong(field, text, `must be at most ${maxBytes} bytes, has ${bytes}`));
  const json = readJson(text);
  if (json !== undefined) return checkedDepth(json.value, text, field);
  const count = text.match(structural)?.length ?? 0;
  if (count > maxStructural) {
    const detail = `must be JSON, or YAML with at most ${maxStructural} of [ { : ? & ! * -, has ${count} of them`;
    return failed(wrong(field, text, detail));
  }
  try {
    return readYaml(text, field);
  } catch (error) {
    return failed(unreadable(field, text, error));
  }
}

function readJson(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    // Not JSON is no error: it may be YAML.
    return undefined;
  }
}

function checkedDepth(value: unknown, text: string, field: string): Parsed<unknown> {
  return isDeeper(value, maxDepth) ? failed(wrong(field, text, tooDeep)) : parsed(value);
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((part) => isDeeper(part, levels - 1));
}

function readYaml(text: string, field: string): Parsed<unknown> {
  const document = parseDocument(text, { logLevel: 'error', prettyErrors: false });
  // A warning is a tag that we do not know, whose value would be guessed.
  const problem = document.errors[0] ?? document.warnings[0];
  if (problem !== undefined) return failed(unreadable(field, text, problem));
  const errors: FieldError[] = [];
  const value = toJson(document.contents, { depth: 0, field, errors });
  return errors.length > 0 ? failed(...errors) : parsed(value);
}

interface Place {
  readonly depth: number;
  readonly field: string;
  readonly errors: FieldError[];
}

/**
 * Instead of the parser's own conversion: that takes minutes for a few hundred bytes of maps used as keys. Aliases are
 * not followed at all; a probe has nothing to repeat, and a few lines of them can stand for gigabytes.
 */
function toJson(node: unknown, place: Place): unknown {
  if (node === null) return null;
  if (isScalar(node)) return node.value;
  if (place.depth >= maxDepth) return refuse(place, tooDeep);
  if (isSeq(node)) return node.items.map((item, index) => toJson(item, below(place, `[${index}]`)));
  if (isMap(node)) return Object.fromEntries(node.items.map(({ key, value }) => entryOf(key, value, place)));
  return refuse(place, isAlias(node) ? 'must not use aliases' : 'must be plain JSON or YAML');
}

function entryOf(key: unknown, value: unknown, place: Place): readonly [string, unknown] {
  const name = isScalar(key) ? key.value : undefined;
  if (typeof name === 'string') return [name, toJson(value, below(place, `.${name}`))];
  refuse(place, 'must have strings as keys; put quotes around them');
  return ['', undefined];
}

function below(place: Place, step: string): Place {
  return { ...place, depth: place.depth + 1, field: `${place.field}${step}` };
}

function refuse(place: Place, detail: string): undefined {
  place.errors.push(forbidden(place.field, detail));
}

function unreadable(field: string, text: string, error: unknown): FieldError {
  const message = error instanceof Error ? error.message : 'unknown reason';
  return wrong(field, text, `cannot be read as JSON or YAML: ${message.split('\n', 1)[0] ?? ''}`);
}

/** The text may be long, and errors are kept in conditions and logs. */
function wrong(field: string, text: string, detail: string): FieldError {
  return invalid(field, text.length > 100 ? `${text.slice(0, 100)}...` : text, detail);
}
