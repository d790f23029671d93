import type { JsonObject } from '../objects.ts';
import { isJsonObject } from '../schema/json-values.ts';
import { fieldFlags, fieldsFromLast, type MessageField } from './messages.ts';
import { type ProtobufWriteContext, valueWriters } from './value-writers.ts';
import { WireError } from './wire.ts';
import type { WireWriter } from './wire-writer.ts';

const context: ProtobufWriteContext = { writeMessage };

/**
 * The fields of a message out of the JSON of it. What the JSON has is written, also zeros: readers take an
 * absent number for zero, unless the field may be left out, and then JSON has it only if it was set.
 */
export function writeMessage(writer: WireWriter, message: string, value: unknown): void {
  const write = valueWriters.get(message);
  if (write) write(writer, value, context);
  else if (isJsonObject(value)) for (const field of fieldsFromLast(message)) writeField(writer, field, value);
  else throw new WireError(`${JSON.stringify(value)} is not an object`);
}

function writeField(writer: WireWriter, field: MessageField, object: JsonObject): void {
  const [number, name, type, flags] = field;
  const value = flags & fieldFlags.inline ? object : Object.hasOwn(object, name) ? object[name] : undefined;
  if (value === undefined || value === null) return;
  if (flags & fieldFlags.map) writeMap(writer, number, type, value);
  else if (flags & fieldFlags.repeated) writeList(writer, number, type, value);
  else writeSingle(writer, number, type, value);
}

function writeMap(writer: WireWriter, number: number, type: string, value: unknown): void {
  if (!isJsonObject(value)) throw new WireError(`${JSON.stringify(value)} is not a map`);
  for (const [key, inner] of Object.entries(value).toReversed()) {
    const before = writer.size;
    writeSingle(writer, 2, type, inner);
    writer.textField(1, key);
    writer.length(number, before);
  }
}

function writeList(writer: WireWriter, number: number, type: string, value: unknown): void {
  if (!Array.isArray(value)) throw new WireError(`${JSON.stringify(value)} is not a list`);
  for (let index = value.length - 1; index >= 0; index--) writeSingle(writer, number, type, value[index]);
}

function writeSingle(writer: WireWriter, number: number, type: string, value: unknown): void {
  const before = writer.size;
  switch (type) {
    case 'bool':
      writer.varint(value === true ? 1 : 0);
      writer.tag(number, 'varint');
      return;
    case 'int32':
    case 'int64':
      writer.varint(value as number);
      writer.tag(number, 'varint');
      return;
    case 'double':
      writer.double(value as number);
      writer.tag(number, 'fixed64');
      return;
    case 'string':
      writer.text(value as string);
      break;
    case 'bytes':
      writer.bytes(Buffer.from(value as string, 'base64'));
      break;
    default:
      writeMessage(writer, type, value);
  }
  writer.length(number, before);
}
