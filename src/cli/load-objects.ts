import { readFileSync } from 'node:fs';
import { parseAllDocuments } from 'yaml';
import { isObject } from '../api/json.ts';

/** An object as `kubectl get -o yaml|json` prints it. */
export interface LoadedObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string } & Readonly<Record<string, unknown>>;
  readonly [field: string]: unknown;
}

/** Reads objects from a file: one, several documents, or a List. Says which document is wrong, and why. */
export function loadObjects(file: string): readonly LoadedObject[] {
  const text = readFileSync(file, 'utf8');
  return parseAllDocuments(text).flatMap((document, index) => {
    const [problem] = document.errors;
    if (problem !== undefined) throw new Error(`${file}: document ${index + 1}: ${problem.message}`);
    return unfold(document.toJS({ maxAliasCount: 100 }), `${file}: document ${index + 1}`);
  });
}

function unfold(value: unknown, where: string): readonly LoadedObject[] {
  if (value === null || value === undefined) return [];
  if (!isObject(value)) throw new Error(`${where}: is not an object`);
  if (typeof value['kind'] === 'string' && value['kind'].endsWith('List') && Array.isArray(value['items'])) {
    return value['items'].flatMap((item, index) => unfold(item, `${where}: item ${index + 1}`));
  }
  const { apiVersion, kind, metadata } = value;
  if (typeof apiVersion !== 'string' || typeof kind !== 'string')
    throw new Error(`${where}: has no apiVersion or kind`);
  if (!isObject(metadata) || typeof metadata['name'] !== 'string')
    throw new Error(`${where}: ${kind} has no metadata.name`);
  return [value as LoadedObject];
}
