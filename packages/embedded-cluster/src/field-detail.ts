import { type FieldError, formatFieldError } from '@holdfast/base/field-errors';

/** A field error as a cause carries it: without the field, which has a place of its own. */
export function formatFieldDetail(error: FieldError): string {
  return formatFieldError(error).slice(error.field.length + 2);
}
