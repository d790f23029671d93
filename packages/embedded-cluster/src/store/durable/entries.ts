import type { KubeObject, ResourceKey } from '../../objects.ts';
import type { Stored } from '../store.ts';

/** What frames hold: one entry a line, as a JSON array that begins with its name. */
export type Entry =
  /** First in each segment. `ceiling`: no revision above it was handed out before the ceiling was raised on disk. */
  | { readonly is: 'segment'; readonly format: number; readonly number: number; readonly ceiling: number }
  | {
      readonly is: 'snapshot';
      readonly format: number;
      readonly number: number;
      readonly revision: number;
      readonly ceiling: number;
    }
  | {
      readonly is: 'put';
      readonly revision: number;
      readonly resource: ResourceKey;
      readonly key: string;
      readonly object: KubeObject;
    }
  | { readonly is: 'remove'; readonly revision: number; readonly resource: ResourceKey; readonly key: string }
  | { readonly is: 'ceiling'; readonly ceiling: number }
  /** Last in a segment whose store was closed in order. */
  | { readonly is: 'closed'; readonly revision: number }
  /** Last in a snapshot. */
  | { readonly is: 'end'; readonly count: number };

export const formatVersion = 1;

const putEnd = Buffer.from(']\n');

/** In pieces: the object's own bytes are not copied here. */
export function encodePut(stored: Stored): readonly Buffer[] {
  const head = JSON.stringify(['put', stored.revision, stored.resource, stored.key]);
  return [Buffer.from(`${head.slice(0, -1)},`), stored.bytes(), putEnd];
}

type PlainEntry =
  | readonly ['segment', format: number, number: number, ceiling: number]
  | readonly ['snapshot', format: number, number: number, revision: number, ceiling: number]
  | readonly ['remove', revision: number, resource: ResourceKey, key: string]
  | readonly ['ceiling', ceiling: number]
  | readonly ['closed', revision: number]
  | readonly ['end', count: number];

export function encodeEntry(entry: PlainEntry): Buffer {
  return Buffer.from(`${JSON.stringify(entry)}\n`);
}

export function countEntries(payload: Buffer): number {
  let count = 0;
  for (let at = payload.indexOf(10); at >= 0; at = payload.indexOf(10, at + 1)) count += 1;
  return count;
}

/** Undefined where the payload does not hold what this version writes. */
export function decodeEntries(payload: Buffer): readonly Entry[] | undefined {
  const entries: Entry[] = [];
  for (let at = 0; at < payload.length; ) {
    const end = payload.indexOf(10, at);
    const entry = end < 0 ? undefined : decodeEntry(payload.toString('utf8', at, end));
    if (entry === undefined) return undefined;
    entries.push(entry);
    at = end + 1;
  }
  return entries;
}

function decodeEntry(line: string): Entry | undefined {
  const fields = parseArray(line);
  const [is, first, second, third, fourth] = fields;
  const numbers = fields.slice(1).filter((field) => Number.isSafeInteger(field)).length;
  if (is === 'put' && numbers === 1 && isKey(second) && isKey(third) && isStoredObject(fourth)) {
    return { is, revision: Number(first), resource: second, key: third, object: fourth };
  }
  if (is === 'remove' && numbers === 1 && isKey(second) && isKey(third)) {
    return { is, revision: Number(first), resource: second, key: third };
  }
  if (numbers !== fields.length - 1) return undefined;
  return decodeNumbers(is, fields.slice(1).map(Number));
}

function decodeNumbers(is: unknown, numbers: readonly number[]): Entry | undefined {
  const [first = 0, second = 0, third = 0, fourth = 0] = numbers;
  if (is === 'segment' && numbers.length === 3) return { is, format: first, number: second, ceiling: third };
  if (is === 'snapshot' && numbers.length === 4) {
    return { is, format: first, number: second, revision: third, ceiling: fourth };
  }
  if (numbers.length !== 1) return undefined;
  if (is === 'ceiling') return { is, ceiling: first };
  if (is === 'closed') return { is, revision: first };
  return is === 'end' ? { is, count: first } : undefined;
}

function parseArray(line: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(line);
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}

function isKey(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function isStoredObject(value: unknown): value is KubeObject {
  const metadata = (value as Partial<KubeObject> | null | undefined)?.metadata;
  return typeof metadata === 'object' && metadata !== null;
}
