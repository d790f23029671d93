import { stringify } from 'yaml';
import { printable, printableJson } from '../../kube/outcome/printable.ts';

export const structuredFormats = ['json', 'yaml'] as const;
export type StructuredFormat = (typeof structuredFormats)[number];

export function isStructured(format: string | undefined): format is StructuredFormat {
  return format === 'json' || format === 'yaml';
}

/** For programs: everything that is known, and nothing that depends on who looks. */
export function structured(value: unknown, format: StructuredFormat): string {
  if (format === 'json') return `${printableJson(JSON.stringify(value, undefined, 2))}\n`;
  return printable(stringify(value, { lineWidth: 0 }));
}
