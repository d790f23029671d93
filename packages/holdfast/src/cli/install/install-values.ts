import { readFileSync } from 'node:fs';
import { readDocuments } from '@holdfast/base/bounded-yaml';
import { formatFieldErrors } from '@holdfast/base/field-errors';
import { isObject, isUnset } from '@holdfast/base/json';
import { type InstallValues, readInstallValues } from '../../install/index.ts';

interface Chosen {
  readonly values?: string;
  readonly namespace?: string;
  readonly image?: string;
}

/** What the file says, and what was said beside it, which wins. */
export function chosenValues({ values: path, namespace, image }: Chosen): InstallValues {
  const source = path === undefined ? {} : readValuesFile(path);
  const said = { ...(namespace === undefined ? {} : { namespace }), ...(image === undefined ? {} : { image }) };
  const read = readInstallValues(isUnset(source) ? said : isObject(source) ? { ...source, ...said } : source);
  if (read.ok) return read.value;
  const lines = read.errors.map((error) => `\n  ${formatFieldErrors([error])}`);
  throw new Error(`${path ?? 'this'} cannot be installed:${lines.join('')}`);
}

function readValuesFile(path: string): unknown {
  const [document, second] = readDocuments(readText(path));
  if (second !== undefined) throw new Error(`${path}: one document is expected, and there are more`);
  if (document?.ok === false) throw new Error(`${path}: ${document.problem}`);
  return document?.value;
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new Error(`--values: ${error instanceof Error ? error.message : String(error)}`);
  }
}
