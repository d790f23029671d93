import { notAcceptable } from '../errors.ts';

/** How an answer is to look. */
export type Representation =
  | { readonly kind: 'object'; readonly format: 'json' | 'yaml' }
  | { readonly kind: 'table'; readonly version: 'v1' | 'v1beta1' }
  | { readonly kind: 'metadata'; readonly version: 'v1' | 'v1beta1' };

interface MediaType {
  readonly type: string;
  readonly parameters: ReadonlyMap<string, string>;
  readonly quality: number;
}

const plainJson: Representation = { kind: 'object', format: 'json' };
const served = ['application/json', 'application/yaml'];
const maxAcceptLength = 8192;

/**
 * The first of the client's wishes that we can fulfil. Protobuf answers are not among them; every client has a second
 * wish. Nor are tables of what is not kept.
 */
export function negotiate(accept: string | undefined, tables = true): Representation {
  if (accept === undefined || accept === 'application/json') return plainJson;
  const wishes = parseAccept(accept ?? '');
  if (wishes.length === 0) return plainJson;
  for (const wish of wishes) {
    const representation = representationOf(wish);
    if (representation && (tables || representation.kind !== 'table')) return representation;
  }
  throw notAcceptable(served);
}

function representationOf({ type, parameters }: MediaType): Representation | undefined {
  if (type === 'application/yaml') return parameters.has('as') ? undefined : { kind: 'object', format: 'yaml' };
  if (type !== 'application/json' && type !== '*/*' && type !== 'application/*') return undefined;
  const as = parameters.get('as');
  if (as === undefined) return { kind: 'object', format: 'json' };
  const version = parameters.get('v');
  if (parameters.get('g') !== 'meta.k8s.io' || (version !== 'v1' && version !== 'v1beta1')) return undefined;
  if (as === 'Table') return { kind: 'table', version };
  return as === 'PartialObjectMetadata' || as === 'PartialObjectMetadataList'
    ? { kind: 'metadata', version }
    : undefined;
}

function parseAccept(accept: string): readonly MediaType[] {
  return accept
    .slice(0, maxAcceptLength)
    .split(',')
    .map(parseMediaType)
    .filter((wish) => wish.type !== '' && wish.quality > 0)
    .map((wish, index) => ({ wish, index }))
    .sort((left, right) => right.wish.quality - left.wish.quality || left.index - right.index)
    .map(({ wish }) => wish);
}

function parseMediaType(text: string): MediaType {
  const [type, ...rest] = text.split(';').map((part) => part.trim());
  const parameters = new Map<string, string>();
  for (const part of rest) {
    const equals = part.indexOf('=');
    if (equals > 0) parameters.set(part.slice(0, equals).toLowerCase(), part.slice(equals + 1));
  }
  const quality = Number(parameters.get('q') ?? '1');
  return { type: (type ?? '').toLowerCase(), parameters, quality: Number.isFinite(quality) ? quality : 1 };
}

export function mediaType(contentType: string | undefined): string {
  return (contentType ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
}
