import { WireError } from './wire.ts';
import { bytesOf, fieldOf, fieldsWith, int32Of, numberOf, textOf, varintOf } from './wire-values.ts';

/**
 * The messages whose JSON is not an object with the fields of the message: times, quantities, raw JSON and the like.
 * `undefined` means that JSON has nothing there.
 */
export type ValueReader = (bytes: Buffer, context: ReadContext) => unknown;

export interface ReadContext {
  /** How many levels may still lie below. */
  readonly levelsLeft: number;
  /** Reads a message that lies one level below. */
  readMessage(message: string, bytes: Buffer): unknown;
}

export const valueReaders: ReadonlyMap<string, ValueReader> = new Map<string, ValueReader>([
  ['meta.v1.Time', readTime],
  ['meta.v1.MicroTime', readMicroTime],
  ['meta.v1.FieldsV1', readRawJson],
  ['api.resource.Quantity', (bytes) => textOf(fieldOf(bytes, 1))],
  ['util.intstr.IntOrString', readIntOrString],
  ['pkg.runtime.RawExtension', readRawJson],
  ['apiextensions.v1.JSON', readRawJson],
  ['apiextensions.v1.JSONSchemaPropsOrArray', readSchemaOrSchemas],
  ['apiextensions.v1.JSONSchemaPropsOrBool', readSchemaOrBool],
  ['apiextensions.v1.JSONSchemaPropsOrStringArray', readSchemaOrTexts],
  ['authentication.v1.ExtraValue', (bytes) => readTexts(bytes, 1)],
  ['authorization.v1.ExtraValue', (bytes) => readTexts(bytes, 1)],
  ['certificates.v1.ExtraValue', (bytes) => readTexts(bytes, 1)],
  ['authentication.v1.AttestationValue', (bytes) => readTexts(bytes, 1)],
]);

/** Largest distance from 1970 that a date can have, in seconds. */
const maxSeconds = 8_640_000_000_000;

/** A time that was not set has no bytes at all; JSON says it as null, which is the same as nothing. */
function readTime(bytes: Buffer): string | undefined {
  return bytes.length === 0 ? undefined : `${isoSeconds(bytes)}Z`;
}

function readMicroTime(bytes: Buffer): string | undefined {
  if (bytes.length === 0) return undefined;
  const micros = Math.trunc(numberOf(fieldOf(bytes, 2)) / 1000);
  if (micros < 0 || micros > 999_999) throw new WireError('a time has a fraction of more than a second');
  return `${isoSeconds(bytes)}.${String(micros).padStart(6, '0')}Z`;
}

function isoSeconds(bytes: Buffer): string {
  const seconds = numberOf(fieldOf(bytes, 1));
  if (Math.abs(seconds) > maxSeconds) throw new WireError('a time is out of range');
  return new Date(seconds * 1000).toISOString().slice(0, -'.000Z'.length);
}

function readRawJson(bytes: Buffer, { levelsLeft }: ReadContext): unknown {
  const text = textOf(fieldOf(bytes, 1));
  if (text === '') return undefined;
  const value = parseJson(text);
  if (!fitsInto(levelsLeft, value)) throw new WireError('raw JSON is nested too deep');
  return value;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new WireError('raw JSON is not JSON', { cause: error });
  }
}

function fitsInto(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return levels > 0 && Object.values(value).every((inner) => fitsInto(levels - 1, inner));
}

function readIntOrString(bytes: Buffer): string | number {
  if (numberOf(fieldOf(bytes, 1)) === 1) return textOf(fieldOf(bytes, 3));
  const number = fieldOf(bytes, 2);
  return number ? int32Of(varintOf(number)) : 0;
}

function readSchemaOrBool(bytes: Buffer, context: ReadContext): unknown {
  return readSchema(bytes, 2, context) ?? numberOf(fieldOf(bytes, 1)) !== 0;
}

function readSchemaOrSchemas(bytes: Buffer, context: ReadContext): unknown {
  const several = [...fieldsWith(bytes, 2)].map((field) => readSchemaBytes(bytesOf(field), context));
  return several.length > 0 ? several : readSchema(bytes, 1, context);
}

function readSchemaOrTexts(bytes: Buffer, context: ReadContext): unknown {
  const several = readTexts(bytes, 2);
  return several.length > 0 ? several : readSchema(bytes, 1, context);
}

function readSchema(bytes: Buffer, number: number, context: ReadContext): unknown {
  const field = fieldOf(bytes, number);
  return field ? readSchemaBytes(bytesOf(field), context) : undefined;
}

function readSchemaBytes(bytes: Buffer, context: ReadContext): unknown {
  return context.readMessage('apiextensions.v1.JSONSchemaProps', bytes);
}

function readTexts(bytes: Buffer, number: number): string[] {
  return [...fieldsWith(bytes, number)].map(textOf);
}
