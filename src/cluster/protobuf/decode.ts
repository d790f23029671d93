import type { JsonObject } from '../objects.ts';
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
    ownList(target, name).push(...readItems(type, wire, levelsLeft - 1));
  } else {
    const value = readSingle(target[name], type, wire, levelsLeft - 1);
    const isUnset = value === undefined || ((flags & fieldFlags.leavesOutZero) !== 0 && isZero(value));
    if (isUnset) delete target[name];
    else target[name] = value;
  }
}
