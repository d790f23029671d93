import { notAcceptable } from '../errors.ts';
import { protobufMediaType } from '../protobuf/protobuf.ts';

export type Format = 'json' | 'yaml' | 'protobuf';

/** How an answer is to look. */
export type Representation =
  | { readonly kind: 'object'; readonly format: Format }
  | { readonly kind: 'table'; readonly version: 'v1' | 'v1beta1' }
  | { readonly kind: 'metadata'; readonly version: 'v1' | 'v1beta1'; readonly format: 'json' | 'protobuf' };

/** What the thing that is asked for can be shown as. */
export interface Showable {
  /** Not of what is not kept. */
  readonly tables: boolean;
  /** Not of custom kinds, except for their metadata. */
  readonly protobuf: boolean;
}

interface MediaType {
  readonly type: string;
  readonly parameters: ReadonlyMap<string, string>;
  readonly quality: number;
}

const plainJson: Representation = { kind: 'object', format: 'json' };
const served = ['application/json', 'application/yaml', protobufMediaType];
const maxAcceptLength = 8192;

const everything: Showable = { tables: true, protobuf: true };

/** The first type that the client accepts and the server can write. */
export function negotiate(accept: string | undefined, showable = everything): Representation {
  const representation = chosen(accept, showable);
  if (!representation) throw notAcceptable(served);
  return representation;
}

/** In which words answers are written that are not an object of the kind that was asked for: refusals, reviews, scales. */
export function formatOf(accept: string | undefined): Format {
  if (accept === undefined || !/yaml|protobuf/i.test(accept)) return 'json';
  const representation = chosen(accept, everything);
  return representation === undefined || representation.kind === 'table' ? 'json' : representation.format;
}

function chosen(accept: string | undefined, showable: Showable): Representation | undefined {
  if (accept === undefined || accept === 'application/json') return plainJson;
  const accepted = parseAccept(accept);
  if (accepted.length === 0) return plainJson;
  for (const range of accepted) {
    const representation = representationOf(range);
    if (representation && canShow(representation, showable)) return representation;
  }
  return undefined;
}

function canShow(representation: Representation, { tables, protobuf }: Showable): boolean {
  if (representation.kind === 'table') return tables;
  return protobuf || representation.kind === 'metadata' || representation.format !== 'protobuf';
}

function representationOf({ type, parameters }: MediaType): Representation | undefined {
  if (type === protobufMediaType) return inProtobuf(parameters);
  if (type === 'application/yaml') return parameters.has('as') ? undefined : { kind: 'object', format: 'yaml' };
  if (type !== 'application/json' && type !== '*/*' && type !== 'application/*') return undefined;
  const as = parameters.get('as');
  if (as === undefined) return { kind: 'object', format: 'json' };
  const version = parameters.get('v');
  if (parameters.get('g') !== 'meta.k8s.io' || (version !== 'v1' && version !== 'v1beta1')) return undefined;
  if (as === 'Table') return { kind: 'table', version };
  return isMetadata(as) ? { kind: 'metadata', version, format: 'json' } : undefined;
}

/** Tables have no protobuf. Of metadata there is one of `v1beta1`, too, with other numbers, that no client asks for. */
function inProtobuf(parameters: ReadonlyMap<string, string>): Representation | undefined {
  const as = parameters.get('as');
  if (as === undefined) return { kind: 'object', format: 'protobuf' };
  const ofV1 = parameters.get('g') === 'meta.k8s.io' && parameters.get('v') === 'v1';
  return ofV1 && isMetadata(as) ? { kind: 'metadata', version: 'v1', format: 'protobuf' } : undefined;
}

function isMetadata(as: string): boolean {
  return as === 'PartialObjectMetadata' || as === 'PartialObjectMetadataList';
}

function parseAccept(accept: string): readonly MediaType[] {
  return accept
    .slice(0, maxAcceptLength)
    .split(',')
    .map(parseMediaType)
    .filter((range) => range.type !== '' && range.quality > 0)
    .map((range, index) => ({ range, index }))
    .sort((left, right) => right.range.quality - left.range.quality || left.index - right.index)
    .map(({ range }) => range);
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
