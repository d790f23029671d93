import type { ColumnDefinition, TableColumns } from '../kinds/resource-type.ts';
import type { KubeObject } from '../objects.ts';
import { humanDuration, timeOf } from '../tables/age.ts';
import type { CrdVersion, PrinterColumn } from './crd.ts';
import { findAll, type JsonPath, parseJsonPath } from './json-path.ts';

const nameColumn: ColumnDefinition = {
  name: 'Name',
  type: 'string',
  format: 'name',
  description: 'The name of the object, unique in its namespace.',
  priority: 0,
};

/** Shown when the author chose no columns. */
const ageColumn: PrinterColumn = {
  name: 'Age',
  type: 'date',
  description: 'How long ago the object was created.',
  jsonPath: '.metadata.creationTimestamp',
};

export function columnsOf(version: CrdVersion): TableColumns {
  const chosen = version.additionalPrinterColumns ?? [];
  const columns = chosen.length === 0 ? [ageColumn] : chosen;
  const paths = columns.map((column) => ({ type: column.type, path: parseJsonPath(column.jsonPath) }));
  return {
    definitions: [nameColumn, ...columns.map(definitionOf)],
    cells: (object, nowMs) => [object.metadata.name, ...paths.map(({ type, path }) => cell(object, type, path, nowMs))],
  };
}

function definitionOf(column: PrinterColumn): ColumnDefinition {
  return {
    name: column.name,
    type: column.type,
    format: column.format ?? '',
    description: column.description || `Custom resource definition column (in JSONPath format): ${column.jsonPath}`,
    priority: column.priority ?? 0,
  };
}

/** A value of another type than the column's is not shown; text columns show anything. */
function cell(object: KubeObject, type: string, path: JsonPath | undefined, nowMs: number): unknown {
  const [value] = path ? findAll(object, path) : [];
  if (value === undefined || value === null) return null;
  switch (type) {
    case 'string':
      return typeof value === 'string' ? value : JSON.stringify(value);
    case 'integer':
      return typeof value === 'number' ? Math.trunc(value) : null;
    case 'number':
      return typeof value === 'number' ? value : null;
    case 'boolean':
      return typeof value === 'boolean' ? value : null;
    case 'date':
      return typeof value === 'string' ? age(value, nowMs) : null;
    default:
      return null;
  }
}

/** A text that is no time is the object's mistake, and shown as one. */
function age(timestamp: string, nowMs: number): string {
  const time = timeOf(timestamp);
  return time === undefined ? '<invalid>' : humanDuration(nowMs - time);
}
