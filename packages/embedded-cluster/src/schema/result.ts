import type { FieldError } from '@holdfast/base/field-errors';

/** What one schema said about one value. `matches` counts what could be checked: of several failed schemas the best one is shown. */
export interface Result {
  readonly errors: FieldError[];
  matches: number;
}

export function newResult(): Result {
  return { errors: [], matches: 0 };
}

/** Item by item: a hostile document has more errors than a call can have arguments. */
export function addAll<T>(into: T[], from: Iterable<T>): void {
  for (const item of from) into.push(item);
}

export function merge(into: Result, from: Result): void {
  addAll(into.errors, from.errors);
  into.matches += from.matches;
}

/** A problem that belongs to no field: the real server prints the place inside the text, and `<nil>` for the field. */
export function unplaced(detail: string): FieldError {
  return { type: 'FieldValueInvalid', field: noField, value: '', detail };
}

export const noField = '<nil>';

/** The name of the field as an error carries it; the root has none. */
export function fieldName(path: string): string {
  const trimmed = path.replace(/^\./, '');
  return trimmed === '' ? noField : trimmed;
}

export function invalidAt(path: string, value: unknown, detail: string): FieldError {
  return { type: 'FieldValueInvalid', field: fieldName(path), value, detail };
}

export function wrongType(path: string, expected: string, actual: string): FieldError {
  return {
    type: 'FieldValueTypeInvalid',
    field: fieldName(path),
    value: actual,
    detail: `${path} in body must be of type ${expected}: ${JSON.stringify(actual)}`,
  };
}
