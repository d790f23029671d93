import { packedVarints, type WireField, wireFields, wrongWireType } from './wire.ts';

/** What a field of the wire holds, and its refusal where the wire type is another. */

export function int64Of(value: bigint): number {
  return Number(BigInt.asIntN(64, value));
}

export function int32Of(value: bigint): number {
  return Number(BigInt.asIntN(32, value));
}

/** All values of a list of numbers or truth values, which may come one by one or packed together. */
export function varintsOf(field: WireField): readonly bigint[] {
  if (field.kind === 'varint') return [field.value];
  if (field.kind === 'bytes') return [...packedVarints(field.bytes)];
  throw wrongWireType(field);
}

export function varintOf(field: WireField): bigint {
  if (field.kind !== 'varint') throw wrongWireType(field);
  return field.value;
}

export function bytesOf(field: WireField): Buffer {
  if (field.kind !== 'bytes') throw wrongWireType(field);
  return field.bytes;
}

export function doubleOf(field: WireField): number {
  if (field.kind !== 'fixed' || field.bytes.length !== 8) {
    throw wrongWireType(field);
  }
  return field.bytes.readDoubleLE();
}

export function textOf(field: WireField | undefined): string {
  return field ? bytesOf(field).toString('utf8') : '';
}

export function numberOf(field: WireField | undefined): number {
  return field ? int64Of(varintOf(field)) : 0;
}

export function* fieldsWith(bytes: Buffer, number: number): Generator<WireField> {
  for (const field of wireFields(bytes)) if (field.number === number) yield field;
}

/** The last one counts. */
export function fieldOf(bytes: Buffer, number: number): WireField | undefined {
  return [...fieldsWith(bytes, number)].at(-1);
}
