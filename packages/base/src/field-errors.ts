/** Kubernetes-style field errors: what is wrong, where, and with which value. Bad input is a value of this type, never a throw. */

import { didYouMean } from './nearest.ts';

export type FieldErrorType =
  | 'FieldValueRequired'
  | 'FieldValueInvalid'
  | 'FieldValueNotSupported'
  | 'FieldValueForbidden'
  | 'FieldValueDuplicate'
  | 'FieldValueNotFound'
  | 'FieldValueTooLong'
  | 'FieldValueTooMany'
  /** Printed as an invalid value; only the cause's reason tells that the type was wrong. */
  | 'FieldValueTypeInvalid';

export interface FieldError {
  readonly type: FieldErrorType;
  readonly field: string;
  readonly detail: string;
  readonly value?: unknown;
}

export type Parsed<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly errors: readonly FieldError[] };

export function parsed<T>(value: T): Parsed<T> {
  return { ok: true, value };
}

export function failed<T>(...errors: readonly FieldError[]): Parsed<T> {
  return { ok: false, errors };
}

export function required(field: string, detail: string): FieldError {
  return { type: 'FieldValueRequired', field, detail };
}

export function invalid(field: string, value: unknown, detail: string): FieldError {
  return { type: 'FieldValueInvalid', field, value, detail };
}

export function notSupported(field: string, value: unknown, supported: readonly string[]): FieldError {
  const list = supported.map((word) => `"${word}"`).join(', ');
  return { type: 'FieldValueNotSupported', field, value, detail: `supported values: ${list}` };
}

/** The same for words of our own, which the API server has no list of: with the one that was probably meant. */
export function misspelt(field: string, value: unknown, supported: readonly string[]): FieldError {
  const error = notSupported(field, value, supported);
  return { ...error, detail: `${error.detail}${didYouMean(value, supported)}` };
}

export function forbidden(field: string, detail: string): FieldError {
  return { type: 'FieldValueForbidden', field, detail };
}

const labels: Record<FieldErrorType, string> = {
  FieldValueRequired: 'Required value',
  FieldValueInvalid: 'Invalid value',
  FieldValueNotSupported: 'Unsupported value',
  FieldValueForbidden: 'Forbidden',
  FieldValueDuplicate: 'Duplicate value',
  FieldValueNotFound: 'Not found',
  FieldValueTooLong: 'Too long',
  FieldValueTooMany: 'Too many',
  FieldValueTypeInvalid: 'Invalid value',
};

/** One error as the API server would print it: `spec.selector: Invalid value: {...}: reason`. */
export function formatFieldError(error: FieldError): string {
  const value = 'value' in error ? `: ${printValue(error.value)}` : '';
  const detail = error.detail === '' ? '' : `: ${error.detail}`;
  return `${error.field}: ${labels[error.type]}${value}${detail}`;
}

export function formatFieldErrors(errors: readonly FieldError[]): string {
  return errors.map(formatFieldError).join('; ');
}

/** A value inside an error message never makes the message longer than a terminal can show. */
const maxPrintedValue = 200;

function printValue(value: unknown): string {
  const text = asJson(value);
  return text.length > maxPrintedValue ? `${text.slice(0, maxPrintedValue)}...` : text;
}

/** JSON may be nested deeper than the stack; an error about it must not become another one. */
function asJson(value: unknown): string {
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return `(${typeof value})`;
  }
}
