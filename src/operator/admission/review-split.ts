import { type Fields, isObject } from '../../api/json.ts';
import { skipSpace, skipValue, tooDeep } from './review-scan.ts';

/**
 * The beginning of a review, parsed, and where its large parts are, unparsed. The API server writes what a handler usually needs
 * before the objects, and most of a review is objects that nobody looks at.
 */
export interface SplitReview {
  readonly kind: 'split';
  /** The review without the parts: `kind`, `apiVersion` and `request`. */
  readonly header: Fields;
  readonly dryRun: boolean | undefined;
  readonly spans: ReadonlyMap<PartName, Span>;
}

export type SplitOutcome = SplitReview | { readonly kind: 'unsure' } | { readonly kind: 'tooDeep' };

export type PartName = 'object' | 'oldObject' | 'options';
export const partNames: readonly PartName[] = ['object', 'oldObject', 'options'];

export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Deeper nesting than any Kubernetes object has, and less than what would exhaust a stack. */
export const maxDepth = 256;
/** The review and the request are around every part. */
export const levelsAround = 2;

const firstPart = Buffer.from(',"object":');
const laterParts = [
  { name: 'oldObject', text: Buffer.from(',"oldObject":') },
  { name: 'dryRun', text: Buffer.from(',"dryRun":') },
  { name: 'options', text: Buffer.from(',"options":') },
] as const;

type Tail = { readonly spans: ReadonlyMap<PartName | 'dryRun', Span> } | 'unsure' | 'tooDeep';

/**
 * Takes a review apart in the order in which the API server writes it. Anything else, whatever it is, is `unsure`: then the whole
 * has to be parsed. If the text is JSON, both ways read the same.
 */
export function splitReview(bytes: Buffer): SplitOutcome {
  const mark = bytes.indexOf(firstPart);
  const header = mark < 0 ? undefined : headerOf(bytes, mark);
  if (header === undefined) return { kind: 'unsure' };
  if (skipValue(bytes.subarray(0, mark), 0, maxDepth + levelsAround) === tooDeep) return { kind: 'tooDeep' };
  const tail = readTail(bytes, mark + firstPart.length);
  if (tail === 'tooDeep') return { kind: 'tooDeep' };
  if (tail === 'unsure') return { kind: 'unsure' };
  const dryRun = dryRunOf(bytes, tail.spans.get('dryRun'));
  if (dryRun === 'unsure') return { kind: 'unsure' };
  const spans = new Map<PartName, Span>();
  for (const name of partNames) {
    const span = tail.spans.get(name);
    if (span !== undefined) spans.set(name, span);
  }
  return { kind: 'split', header, dryRun, spans };
}

/**
 * In JSON the mark is always a key, never inside a string (its quotes would be escaped there). The text before it, closed by two
 * braces, is JSON only if the mark is a key of an object in the outermost object; and since the other values there are strings,
 * that object is the request.
 */
function headerOf(bytes: Buffer, mark: number): Fields | undefined {
  const header = parseOr(`${bytes.toString('utf8', 0, mark)}}}`);
  if (!isObject(header) || Object.keys(header).length !== 3) return undefined;
  if (typeof own(header, 'kind') !== 'string' || typeof own(header, 'apiVersion') !== 'string') return undefined;
  const request = own(header, 'request');
  if (!isObject(request)) return undefined;
  const early = ['object', 'dryRun', 'oldObject', 'options'].some((key) => Object.hasOwn(request, key));
  return early ? undefined : header;
}

function parseOr(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function own(source: Fields, key: string): unknown {
  return Object.hasOwn(source, key) ? source[key] : undefined;
}

/** The parts, each at most once, with nothing between or after them but the end of the review. */
function readTail(bytes: Buffer, start: number): Tail {
  const spans = new Map<PartName | 'dryRun', Span>();
  let name: PartName | 'dryRun' = 'object';
  let at = start;
  for (;;) {
    const end = skipValue(bytes, at, maxDepth);
    if (end === tooDeep) return 'tooDeep';
    if (end < 0) return 'unsure';
    spans.set(name, { start: at, end });
    const next = laterParts.find((part) => startsWith(bytes, end, part.text));
    if (next === undefined) return isEnd(bytes, end) ? { spans } : 'unsure';
    if (spans.has(next.name)) return 'unsure';
    name = next.name;
    at = end + next.text.length;
  }
}

function startsWith(bytes: Buffer, at: number, text: Buffer): boolean {
  return bytes.length >= at + text.length && bytes.compare(text, 0, text.length, at, at + text.length) === 0;
}

const twoBraces = Buffer.from('}}');

function isEnd(bytes: Buffer, at: number): boolean {
  return startsWith(bytes, at, twoBraces) && skipSpace(bytes, at + 2) === bytes.length;
}

function dryRunOf(bytes: Buffer, span: Span | undefined): boolean | undefined | 'unsure' {
  if (span === undefined) return undefined;
  const text = bytes.toString('latin1', span.start, span.end);
  if (text === 'true') return true;
  return text === 'false' ? false : 'unsure';
}
