import { readFileSync, statSync } from 'node:fs';
import { readDocuments } from '../api/bounded-yaml.ts';
import { isObject } from '../api/json.ts';

/** An object as `kubectl get -o yaml|json` prints it. */
export interface LoadedObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string } & Readonly<Record<string, unknown>>;
  readonly [field: string]: unknown;
}

/** As much as one string can safely hold. */
const maxFileBytes = 256 * 1024 * 1024;

/** An object, and which document of its file it stands in; the first is 0. */
export interface PlacedObject {
  readonly object: LoadedObject;
  readonly document: number;
}

/** Reads objects from a file: one, several documents, or a List. Says which document is wrong, and why. */
export function loadObjects(file: string): readonly LoadedObject[] {
  return objectsIn(readText(file), file).map(({ object }) => object);
}

export function readText(file: string): string {
  const { size } = statSync(file);
  if (size > maxFileBytes)
    throw new Error(`${file}: is larger than ${maxFileBytes / 1024 / 1024} MiB; load it in parts`);
  return readFileSync(file, 'utf8');
}

export function objectsIn(text: string, file: string): readonly PlacedObject[] {
  return [...readDocuments(text)].flatMap((document, index) => {
    const where = `${file}: document ${index + 1}`;
    if (!document.ok) throw new Error(`${where}: ${document.problem}`);
    return unfold(document.value, where).map((object) => ({ object, document: index }));
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
