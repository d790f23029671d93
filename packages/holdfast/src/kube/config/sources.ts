import { isAbsolute, join } from 'node:path';
import type { Fields } from '@holdfast/base/json';
import type { TextSource } from './access.ts';
import { textOf } from './fields.ts';

/** An entry, and the directory that its relative paths are relative to. */
export interface Entry {
  readonly fields: Fields;
  readonly directory: string;
}

/** `key-data` holds the text itself, in base64; `key` says which file has it. The first wins. */
export function sourceOf(fields: Fields, key: string, directory: string): TextSource | undefined {
  const data = textOf(fields, `${key}-data`);
  if (data !== undefined && data !== '') return { kind: 'inline', text: Buffer.from(data, 'base64').toString('utf8') };
  return fileOf(fields, key, directory);
}

export function fileOf(fields: Fields, key: string, directory: string): TextSource | undefined {
  const path = textOf(fields, key);
  if (path === undefined || path === '') return undefined;
  return { kind: 'file', path: isAbsolute(path) ? path : join(directory, path) };
}
