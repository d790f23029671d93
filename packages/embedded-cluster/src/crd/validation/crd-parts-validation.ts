import { type FieldError, invalid, required } from '@holdfast/base/field-errors';
import type { Schema } from '../../kinds/schema.ts';
import { getOwn } from '../../schema/json-values.ts';
import type { CrdVersion, PrinterColumn } from '../crd.ts';

/** Subresources, printer columns and selectable fields of one version. */

export function subresourceErrors(version: CrdVersion, field: string): FieldError[] {
  const scale = version.subresources?.scale;
  if (!scale) return [];
  const errors = [
    ...scalePathErrors(scale.specReplicasPath, `${field}.scale.specReplicasPath`, ['.spec.']),
    ...scalePathErrors(scale.statusReplicasPath, `${field}.scale.statusReplicasPath`, ['.status.']),
  ];
  if (!scale.labelSelectorPath) return errors;
  const selectorField = `${field}.scale.labelSelectorPath`;
  return [...errors, ...scalePathErrors(scale.labelSelectorPath, selectorField, ['.spec.', '.status.'])];
}

function scalePathErrors(path: string | undefined, field: string, roots: readonly string[]): FieldError[] {
  if (!path) return [required(field, '')];
  if (!path.startsWith('.')) return [invalid(field, path, 'must be a simple json path starting with .')];
  if (roots.some((root) => path.startsWith(root))) return [];
  const where = roots.length > 1 ? 'either .spec or .status' : (roots[0] ?? '').slice(0, -1);
  return [invalid(field, path, `should be a json path under ${where}`)];
}

const columnTypes = ['boolean', 'date', 'integer', 'number', 'string'];
const columnFormats = ['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password'];

export function columnErrors(version: CrdVersion, field: string): FieldError[] {
  return (version.additionalPrinterColumns ?? []).flatMap((column, index) => oneColumn(column, `${field}[${index}]`));
}

function oneColumn(column: PrinterColumn, field: string): FieldError[] {
  const errors: FieldError[] = [];
  if (!column.name) errors.push(required(`${field}.name`, ''));
  const types = `must be one of ${columnTypes.join(',')}`;
  if (!column.type) errors.push(required(`${field}.type`, types));
  else if (!columnTypes.includes(column.type)) errors.push(invalid(`${field}.type`, column.type, types));
  if (column.format && !columnFormats.includes(column.format)) {
    errors.push(invalid(`${field}.format`, column.format, `must be one of ${columnFormats.join(',')}`));
  }
  if (!column.jsonPath) errors.push(required(`${field}.JSONPath`, ''));
  else if (!column.jsonPath.startsWith('.')) {
    errors.push(invalid(`${field}.JSONPath`, column.jsonPath, 'must be a simple json path starting with .'));
  }
  return errors;
}

const maxSelectableFields = 8;

export function selectableFieldErrors(version: CrdVersion, field: string): FieldError[] {
  const paths = (version.selectableFields ?? []).map((selectable) => selectable.jsonPath ?? '');
  const schema = version.schema?.openAPIV3Schema as Schema | undefined;
  const errors = paths.flatMap((path, index) =>
    selectablePathErrors(path, schema, `${field}[${index}].jsonPath`, paths.indexOf(path) < index),
  );
  const distinct = new Set(paths).size;
  if (distinct > maxSelectableFields) {
    const detail = `must have at most ${maxSelectableFields} items`;
    errors.push({ type: 'FieldValueTooMany', field, value: distinct, detail });
  }
  return errors;
}

function selectablePathErrors(
  path: string,
  schema: Schema | undefined,
  field: string,
  repeated: boolean,
): FieldError[] {
  if (path === '') return [required(field, '')];
  const broken = (why: string) => [invalid(field, path, `is an invalid path: ${why}`)];
  if (path.includes('[')) return broken('array notation is not allowed');
  if (!path.startsWith('.')) return broken(`expected [ or . but got: ${path.split('.')[0] ?? ''}`);
  const found = schemaAt(schema, path.slice(1).split('.'));
  if (!found) return broken('does not refer to a valid field');
  const errors: FieldError[] = [];
  if (path.startsWith('.metadata')) errors.push(invalid(field, path, 'must not point to fields in metadata'));
  if (!['string', 'boolean', 'integer'].includes(found.type ?? '')) {
    const detail =
      'must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.';
    errors.push(invalid(field, path, detail));
  }
  if (repeated) errors.push({ type: 'FieldValueDuplicate', field, value: path, detail: '' });
  return errors;
}

export function schemaAt(schema: Schema | undefined, names: readonly string[]): Schema | undefined {
  let current = schema;
  for (const name of names) {
    if (!current) return undefined;
    const additional = typeof current.additionalProperties === 'object' ? current.additionalProperties : undefined;
    current = current.properties ? getOwn(current.properties, name) : additional;
  }
  return current;
}
