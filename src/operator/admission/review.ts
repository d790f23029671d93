import { isObject } from '../../api/json.ts';
import { type ReviewHeader, readHeader } from './review-header.ts';
import { skipSpace, skipValue, tooDeep } from './review-scan.ts';
import { levelsAround, maxDepth, type PartName, partNames, type Span, splitReview } from './review-split.ts';

/** A part of a review: what was there, or why it cannot be read. A part that is absent is null, as the API server writes it. */
export type ReviewPart =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly problem: string };

/** An admission request. Its objects are parsed when somebody asks for them. */
export interface ReviewRequest extends ReviewHeader {
  object(): ReviewPart;
  oldObject(): ReviewPart;
  options(): ReviewPart;
}

export type ReadReview =
  | { readonly ok: true; readonly request: ReviewRequest; readonly way: 'split' | 'whole' }
  | { readonly ok: false; readonly problem: string; readonly uid?: string };

const nestedTooDeeply = `the review is nested more than ${maxDepth} levels deep`;

/** Reads the body of a call to an admission webhook (admission.k8s.io/v1). Nothing in it is trusted. */
export function readReview(bytes: Buffer): ReadReview {
  const split = splitReview(bytes);
  if (split.kind === 'tooDeep') return { ok: false, problem: nestedTooDeeply };
  if (split.kind === 'unsure') return readWholeReview(bytes);
  const read = readHeader(split.header, split.dryRun);
  if (!read.ok) return read;
  return {
    ok: true,
    way: 'split',
    request: withParts(read.header, (name) => parsePart(bytes, name, split.spans.get(name))),
  };
}

/** The same by parsing everything: right for every order of keys, and several times slower. */
export function readWholeReview(bytes: Buffer): ReadReview {
  if (skipValue(bytes, skipSpace(bytes, 0), maxDepth + levelsAround) === tooDeep)
    return { ok: false, problem: nestedTooDeeply };
  const parsed = parse(bytes.toString('utf8'));
  if (!parsed.ok) return { ok: false, problem: 'the body is not JSON' };
  const request = isObject(parsed.value) ? parsed.value['request'] : undefined;
  const read = readHeader(parsed.value, isObject(request) ? request['dryRun'] : undefined);
  if (!read.ok) return read;
  const part = (name: PartName): ReviewPart => ({
    ok: true,
    value: isObject(request) ? (request[name] ?? null) : null,
  });
  return { ok: true, way: 'whole', request: withParts(read.header, part) };
}

function withParts(header: ReviewHeader, read: (name: PartName) => ReviewPart): ReviewRequest {
  const known = new Map<PartName, ReviewPart>();
  const once = (name: PartName) => () => {
    const part = known.get(name) ?? read(name);
    known.set(name, part);
    return part;
  };
  const [object, oldObject, options] = partNames.map(once) as [() => ReviewPart, () => ReviewPart, () => ReviewPart];
  return { ...header, object, oldObject, options };
}

function parsePart(bytes: Buffer, name: PartName, span: Span | undefined): ReviewPart {
  if (span === undefined) return { ok: true, value: null };
  const parsed = parse(bytes.toString('utf8', span.start, span.end));
  return parsed.ok ? parsed : { ok: false, problem: `request.${name} is not JSON` };
}

function parse(text: string): { readonly ok: true; readonly value: unknown } | { readonly ok: false } {
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch {
    return { ok: false };
  }
}
