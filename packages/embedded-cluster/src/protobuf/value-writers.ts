import { isJsonObject } from '../schema/json-values.ts';
import { WireError } from './wire.ts';
import type { WireWriter } from './wire-writer.ts';

/** Writes the fields of a message whose JSON is not an object with the fields of the message. See the readers. */
type ValueWriter = (writer: WireWriter, value: unknown, context: ProtobufWriteContext) => void;

export interface ProtobufWriteContext {
  writeMessage(writer: WireWriter, message: string, value: unknown): void;
}

export const valueWriters: ReadonlyMap<string, ValueWriter> = new Map<string, ValueWriter>([
  ['meta.v1.Time', writeTime],
  ['meta.v1.MicroTime', writeTime],
  ['meta.v1.FieldsV1', writeRawJson],
  ['api.resource.Quantity', (writer, value) => writer.textField(1, String(value))],
  ['util.intstr.IntOrString', writeIntOrString],
  ['pkg.runtime.RawExtension', writeRawJson],
  ['apiextensions.v1.JSON', writeRawJson],
  ['apiextensions.v1.JSONSchemaPropsOrArray', writeSchemaOrSchemas],
  ['apiextensions.v1.JSONSchemaPropsOrBool', writeSchemaOrBool],
  ['apiextensions.v1.JSONSchemaPropsOrStringArray', writeSchemaOrTexts],
  ['authentication.v1.ExtraValue', writeTexts],
  ['authorization.v1.ExtraValue', writeTexts],
  ['certificates.v1.ExtraValue', writeTexts],
  ['authentication.v1.AttestationValue', writeTexts],
]);

/** `2026-01-02T03:04:05Z`, with up to nine digits of a fraction. */
const time = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)$/;

function writeTime(writer: WireWriter, value: unknown): void {
  const [, moment, fraction = '', zone] = time.exec(String(value)) ?? [];
  const milliseconds = Date.parse(`${moment}${zone}`);
  if (Number.isNaN(milliseconds)) throw new WireError(`${JSON.stringify(value)} is not a time`);
  const nanos = Number(fraction.padEnd(9, '0'));
  if (nanos > 0) {
    writer.varint(nanos);
    writer.tag(2, 'varint');
  }
  writer.varint(milliseconds / 1000);
  writer.tag(1, 'varint');
}

function writeRawJson(writer: WireWriter, value: unknown): void {
  writer.textField(1, JSON.stringify(value));
}

function writeIntOrString(writer: WireWriter, value: unknown): void {
  if (typeof value === 'string') {
    writer.textField(3, value);
    writer.varint(1);
    writer.tag(1, 'varint');
    return;
  }
  writer.varint(Number(value));
  writer.tag(2, 'varint');
}

function writeSchemaOrBool(writer: WireWriter, value: unknown, context: ProtobufWriteContext): void {
  const isSchema = isJsonObject(value);
  if (isSchema) writeSchema(writer, 2, value, context);
  writer.varint(isSchema || value === true ? 1 : 0);
  writer.tag(1, 'varint');
}

function writeSchemaOrSchemas(writer: WireWriter, value: unknown, context: ProtobufWriteContext): void {
  if (Array.isArray(value)) for (const schema of value.toReversed()) writeSchema(writer, 2, schema, context);
  else writeSchema(writer, 1, value, context);
}

function writeSchemaOrTexts(writer: WireWriter, value: unknown, context: ProtobufWriteContext): void {
  if (Array.isArray(value)) for (const text of value.toReversed()) writer.textField(2, String(text));
  else writeSchema(writer, 1, value, context);
}

function writeSchema(writer: WireWriter, number: number, value: unknown, context: ProtobufWriteContext): void {
  const before = writer.size;
  context.writeMessage(writer, 'apiextensions.v1.JSONSchemaProps', value);
  writer.length(number, before);
}

function writeTexts(writer: WireWriter, value: unknown): void {
  if (!Array.isArray(value)) throw new WireError(`${JSON.stringify(value)} is not a list`);
  for (const text of value.toReversed()) writer.textField(1, String(text));
}
