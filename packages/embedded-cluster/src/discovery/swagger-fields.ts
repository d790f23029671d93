import type { JsonObject } from '../objects.ts';
import type { WireWriter } from '../protobuf/wire-writer.ts';

/** What the messages of the OpenAPI 2 document in protobuf are put together from. */

/** Writes a value as the field with this number. The writer goes from the end to the beginning, and so does everything here. */
export type FieldWriter = (writer: WireWriter, number: number, value: unknown) => void;
export type Fields = readonly (readonly [number: number, name: string, write: FieldWriter])[];

export const text: FieldWriter = (writer, number, value) => writer.textField(number, String(value));

export const flag: FieldWriter = (writer, number, value) => {
  writer.varint(value === true ? 1 : 0);
  writer.tag(number, 'varint');
};

export const integer: FieldWriter = (writer, number, value) => {
  writer.varint(Number(value));
  writer.tag(number, 'varint');
};

export const double: FieldWriter = (writer, number, value) => {
  writer.double(Number(value));
  writer.tag(number, 'fixed64');
};

/** Any value is said in YAML, of which JSON is a part. */
export const any: FieldWriter = (writer, number, value) => {
  const before = writer.size;
  writer.textField(2, `${JSON.stringify(value)}\n`);
  writer.length(number, before);
};

export function listOf(write: FieldWriter): FieldWriter {
  return (writer, number, value) => {
    for (const item of (value as readonly unknown[]).toReversed()) write(writer, number, item);
  };
}

/** Fields that begin with `x-` have a number of their own together. */
export function messageField(fields: Fields, extensions?: number): FieldWriter {
  return (writer, number, value) => {
    const before = writer.size;
    const object = value as JsonObject;
    if (extensions !== undefined) writeNamed(writer, extensions, any, extensionsOf(object));
    writeFields(writer, fields, object);
    writer.length(number, before);
  };
}

export function writeFields(writer: WireWriter, fields: Fields, object: JsonObject): void {
  for (const [number, name, write] of fields.toReversed()) {
    if (Object.hasOwn(object, name)) write(writer, number, object[name]);
  }
}

function extensionsOf(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([name]) => name.startsWith('x-')));
}

/** A message with the entries of a map under one number. */
export function mapOf(inner: number, write: FieldWriter): FieldWriter {
  return (writer, number, value) => {
    const before = writer.size;
    writeNamed(writer, inner, write, value as JsonObject);
    writer.length(number, before);
  };
}

function writeNamed(writer: WireWriter, number: number, write: FieldWriter, values: JsonObject): void {
  for (const [name, value] of Object.entries(values).toReversed()) {
    const before = writer.size;
    write(writer, 2, value);
    writer.textField(1, name);
    writer.length(number, before);
  }
}

/** A message that has nothing but one field. */
export function inside(inner: number, write: FieldWriter): FieldWriter {
  return (writer, number, value) => {
    const before = writer.size;
    write(writer, inner, value);
    writer.length(number, before);
  };
}
