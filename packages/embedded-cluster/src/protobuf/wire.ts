/**
 * The wire format of protobuf: a message is a sequence of fields, each a tag (number and wire type) and a value.
 * Whatever the bytes are, reading ends: every step moves forward, and no length is trusted beyond the bytes at hand.
 */

export class WireError extends Error {
  override readonly name = 'WireError';
}

export type WireField =
  | { readonly kind: 'varint'; readonly number: number; readonly value: bigint }
  | { readonly kind: 'fixed'; readonly number: number; readonly bytes: Buffer }
  | { readonly kind: 'bytes'; readonly number: number; readonly bytes: Buffer };

/** The number of the wire type, which the words above stand for. */
const varint = 0;
const fixed64 = 1;
const lengthDelimited = 2;
const fixed32 = 5;

/** 64 bits, seven in each byte. */
const maxVarintBytes = 10;
const maxFieldNumber = 0x1fff_ffffn;
/** Larger ones are negative numbers. */
const maxLength = 2n ** 63n - 1n;

export function* wireFields(bytes: Buffer): Generator<WireField> {
  let position = 0;
  while (position < bytes.length) {
    const tag = readVarint(bytes, position);
    const { field, next } = readField(bytes, tag.next, Number(tag.value & 7n), fieldNumber(tag.value >> 3n));
    yield field;
    position = next;
  }
}

export function wrongWireType(field: WireField): WireError {
  const wireTypes = {
    varint,
    bytes: lengthDelimited,
    fixed: field.kind === 'fixed' && field.bytes.length === 4 ? fixed32 : fixed64,
  };
  return new WireError(`proto: wrong wireType = ${wireTypes[field.kind]} for field ${field.number}`);
}

export function* packedVarints(bytes: Buffer): Generator<bigint> {
  let position = 0;
  while (position < bytes.length) {
    const { value, next } = readVarint(bytes, position);
    yield value;
    position = next;
  }
}

function fieldNumber(number: bigint): number {
  if (number < 1n || number > maxFieldNumber) throw new WireError(`proto: illegal tag ${number}`);
  return Number(number);
}

function readField(
  bytes: Buffer,
  start: number,
  wireType: number,
  number: number,
): { readonly field: WireField; readonly next: number } {
  if (wireType === varint) {
    const { value, next } = readVarint(bytes, start);
    return { field: { kind: 'varint', number, value }, next };
  }
  if (wireType === fixed64 || wireType === fixed32) {
    const next = start + (wireType === fixed64 ? 8 : 4);
    return { field: { kind: 'fixed', number, bytes: slice(bytes, start, next) }, next };
  }
  if (wireType !== lengthDelimited) throw new WireError(`proto: illegal wireType ${wireType}`);
  const length = readVarint(bytes, start);
  if (length.value > maxLength) throw new WireError('proto: negative length found during unmarshaling');
  if (length.value > BigInt(bytes.length)) throw new WireError('unexpected EOF');
  const next = length.next + Number(length.value);
  return { field: { kind: 'bytes', number, bytes: slice(bytes, length.next, next) }, next };
}

function slice(bytes: Buffer, start: number, end: number): Buffer {
  if (end > bytes.length) throw new WireError('unexpected EOF');
  return bytes.subarray(start, end);
}

function readVarint(bytes: Buffer, start: number): { readonly value: bigint; readonly next: number } {
  const first = bytes[start];
  if (first !== undefined && first < 0x80) return { value: BigInt(first), next: start + 1 };
  let value = 0n;
  for (let index = 0; index < maxVarintBytes; index++) {
    const byte = bytes[start + index];
    if (byte === undefined) throw new WireError('unexpected EOF');
    value |= BigInt(byte & 0x7f) << BigInt(7 * index);
    if (byte < 0x80) return { value: BigInt.asUintN(64, value), next: start + index + 1 };
  }
  throw new WireError('proto: integer overflow');
}
