import type { JsonObject } from '../objects.ts';
import { isJsonObject } from '../schema/json-values.ts';
import { fieldFlags, fieldsOf, type MessageField } from './messages.ts';
import { type ReadContext, valueReaders } from './value-readers.ts';
import { WireError, type WireField, wireFields } from './wire.ts';
import { bytesOf, doubleOf, fieldOf, int32Of, int64Of, textOf, varintOf, varintsOf } from './wire-values.ts';

/** No Kubernetes object nests half as deep; recursion over one that is accepted is safe everywhere. */
const maxLevels = 100;

type VarintType = 'bool' | 'int32' | 'int64';

/** The JSON of a message. Fields that the message is not known to have are skipped. */
export function decodeMessage(message: string, bytes: Buffer): unknown {
  return readValue(message, bytes, maxLevels);
}

function readValue(message: string, bytes: Buffer, levelsLeft: number): unknown {
  const read = valueReaders.get(message);
  if (!read) return readInto({}, message, bytes, levelsLeft);
  return read(bytes, contextAt(levelsLeft));
}

function contextAt(levelsLeft: number): ReadContext {
  return { levelsLeft, readMessage: (message, bytes) => readValue(message, bytes, levelsLeft - 1) };
}

/** A message that comes in several parts is the sum of them, so parts are read into what is there already. */
function readInto(target: JsonObject, message: string, bytes: Buffer, levelsLeft: number): JsonObject {
  if (levelsLeft <= 0) throw new WireError(`nested deeper than ${maxLevels} levels`);
  const fields = fieldsOf(message);
  for (const wire of wireFields(bytes)) {
    const field = fields.get(wire.number);
    if (field) readField(target, field, wire, levelsLeft);
  }
  return target;
}

function readField(target: JsonObject, field: MessageField, wire: WireField, levelsLeft: number): void {
  const [, name, type, flags] = field;
  if (flags & fieldFlags.inline) {
    readInto(target, type, bytesOf(wire), levelsLeft - 1);
  } else if (flags & fieldFlags.map) {
    readEntry(ownObject(target, name), type, bytesOf(wire), levelsLeft - 1);
  } else if (flags & fieldFlags.repeated) {
    for (const item of readItems(type, wire, levelsLeft - 1)) ownList(target, name).push(item);
  } else {
    const value = readSingle(target[name], type, wire, levelsLeft - 1);
    const isUnset = value === undefined || ((flags & fieldFlags.leavesOutZero) !== 0 && isZero(value));
    if (isUnset) delete target[name];
    else target[name] = value;
  }
}

function readSingle(before: unknown, type: string, wire: WireField, levelsLeft: number): unknown {
  const scalar = readScalar(type, wire);
  if (scalar !== undefined) return scalar;
  if (valueReaders.has(type)) return readValue(type, bytesOf(wire), levelsLeft);
  return readInto(isJsonObject(before) ? before : {}, type, bytesOf(wire), levelsLeft);
}

/** Undefined for messages. */
function readScalar(type: string, wire: WireField): unknown {
  if (type === 'string') return textOf(wire);
  if (type === 'bytes') return bytesOf(wire).toString('base64');
  if (type === 'double') return doubleOf(wire);
  return isVarintType(type) ? fromVarint(type, varintOf(wire)) : undefined;
}

function readItems(type: string, wire: WireField, levelsLeft: number): readonly unknown[] {
  if (isVarintType(type)) return varintsOf(wire).map((value) => fromVarint(type, value));
  return [readScalar(type, wire) ?? readValue(type, bytesOf(wire), levelsLeft) ?? null];
}

/** An entry of a map is a message with the key in field 1 and the value in field 2. */
function readEntry(map: JsonObject, type: string, bytes: Buffer, levelsLeft: number): void {
  const key = textOf(fieldOf(bytes, 1));
  const field = fieldOf(bytes, 2) ?? { kind: 'bytes', number: 2, bytes: Buffer.alloc(0) };
  const value = readScalar(type, field) ?? readValue(type, bytesOf(field), levelsLeft) ?? null;
  // The client chose the key, and assigning `__proto__` would set something else.
  Object.defineProperty(map, key, { value, enumerable: true, configurable: true, writable: true });
}

function isVarintType(type: string): type is VarintType {
  return type === 'bool' || type === 'int32' || type === 'int64';
}

function fromVarint(type: VarintType, value: bigint): boolean | number {
  if (type === 'bool') return value !== 0n;
  return type === 'int32' ? int32Of(value) : int64Of(value);
}

function isZero(value: unknown): boolean {
  return value === '' || value === 0 || value === false;
}

function ownObject(target: JsonObject, name: string): JsonObject {
  const before = target[name];
  if (isJsonObject(before)) return before;
  const made: JsonObject = {};
  target[name] = made;
  return made;
}

function ownList(target: JsonObject, name: string): unknown[] {
  const before = target[name];
  if (Array.isArray(before)) return before;
  const made: unknown[] = [];
  target[name] = made;
  return made;
}
