import { readFileSync, statSync } from 'node:fs';
import { readDocuments } from '@holdfast/base/bounded-yaml';
import { isObject } from '@holdfast/base/json';

/** An object as `kubectl get -o yaml|json` prints it. */
export interface LoadedObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string } & Readonly<Record<string, unknown>>;
  readonly [field: string]: unknown;
}

/** As much as one string can safely hold. */
const maxFileBytes = 256 * 1024 * 1024;

/** An object, and where in its file it is: in which document (the first is 0), and where in that, if it is in a List. */
export interface PlacedObject {
  readonly object: LoadedObject;
  readonly document: number;
  readonly path: readonly (string | number)[];
}

/** What one document of a file turned out to be. */
export type LoadedDocument =
  | { readonly kind: 'objects'; readonly objects: readonly PlacedObject[] }
  /** It can be read, and is no Kubernetes object. */
  | { readonly kind: 'foreign'; readonly document: number; readonly why: string }
  /** It is neither YAML nor JSON; nothing after it was read. */
  | { readonly kind: 'unreadable'; readonly document: number; readonly why: string; readonly line?: number };

/** Reads objects from a file: one, several documents, or a List. Says which document is wrong, and why. */
export function loadObjects(file: string): readonly LoadedObject[] {
  return objectsIn(readManifestText(file), file).map(({ object }) => object);
}

export function readManifestText(file: string): string {
  const { size } = statSync(file);
  if (size > maxFileBytes)
    throw new Error(`${file}: is larger than ${maxFileBytes / 1024 / 1024} MiB; load it in parts`);
  return readFileSync(file, 'utf8');
}

/** All of them must be objects. */
export function objectsIn(text: string, file: string): readonly PlacedObject[] {
  return documentsIn(text).flatMap((one) => {
    if (one.kind === 'objects') return one.objects;
    const line = one.kind === 'unreadable' && one.line !== undefined ? `:${one.line}` : '';
    throw new Error(`${file}${line}: document ${one.document + 1}${one.kind === 'foreign' ? ' ' : ': '}${one.why}`);
  });
}

export function documentsIn(text: string): readonly LoadedDocument[] {
  return [...readDocuments(text)].map((read, document): LoadedDocument => {
    if (!read.ok) {
      return {
        kind: 'unreadable',
        document,
        why: read.problem,
        ...(read.line === undefined ? {} : { line: read.line }),
      };
    }
    try {
      return { kind: 'objects', objects: unfold(read.value, document, []) };
    } catch (error) {
      if (!(error instanceof ForeignDocument)) throw error;
      return { kind: 'foreign', document, why: error.message };
    }
  });
}

class ForeignDocument extends Error {
  override readonly name = 'ForeignDocument';
}

function unfold(value: unknown, document: number, path: readonly (string | number)[]): readonly PlacedObject[] {
  if (value === null || value === undefined) return [];
  const where =
    path.length === 0
      ? ''
      : `, item ${path
          .filter((step) => typeof step === 'number')
          .map((step) => step + 1)
          .join('.')},`;
  if (!isObject(value)) throw new ForeignDocument(`${where} is not an object`.trim());
  if (typeof value['kind'] === 'string' && value['kind'].endsWith('List') && Array.isArray(value['items'])) {
    return value['items'].flatMap((item, index) => unfold(item, document, [...path, 'items', index]));
  }
  const { apiVersion, kind, metadata } = value;
  if (typeof apiVersion !== 'string' || typeof kind !== 'string')
    throw new ForeignDocument(`${where} has no apiVersion or kind`.trim());
  if (!isObject(metadata) || typeof metadata['name'] !== 'string')
    throw new ForeignDocument(`${where} (${kind}) has no metadata.name`.trim());
  return [{ object: value as LoadedObject, document, path }];
}
