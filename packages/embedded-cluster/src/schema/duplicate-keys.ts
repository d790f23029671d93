import { repeatedKeys } from '@holdfast/base/bounded-yaml';
import { duplicateFieldTexts, scanJson } from './duplicate-fields.ts';

/** What stands twice in a body, in the words of the reader of its format: JSON names the field, YAML the line. */
export interface DuplicateKeys {
  readonly format: 'json' | 'yaml';
  readonly texts: readonly string[];
}

/** Longer YAML is not read at all. */
const maxYamlCharacters = 256 * 1024;

export function duplicateKeys(text: string): DuplicateKeys {
  const scan = scanJson(text);
  return scan.ok ? { format: 'json', texts: duplicateFieldTexts(scan.duplicates) } : duplicatesByLine(text);
}

/** An applied configuration is read as YAML, whatever it looks like. */
export function duplicateKeysOfApplied(text: string): DuplicateKeys {
  const scan = scanJson(text);
  return scan.ok && scan.duplicates.length === 0 ? { format: 'yaml', texts: [] } : duplicatesByLine(text);
}

/** What a strict reader says of a body with these faults; empty where there are none. */
export function strictProblem({ format, texts }: DuplicateKeys, unknownFields: readonly string[]): string {
  if (format === 'json' || texts.length === 0) return [...unknownFields, ...texts].join(', ');
  return [['yaml: unmarshal errors:', ...texts].join('\n  '), ...unknownFields].join(', ');
}

function duplicatesByLine(text: string): DuplicateKeys {
  const texts = repeatedKeys(text, maxYamlCharacters).map(
    ({ key, line }) => `line ${line}: key ${JSON.stringify(key)} already set in map`,
  );
  return { format: 'yaml', texts };
}
