import { stringify } from 'yaml';

export const structuredFormats = ['json', 'yaml'] as const;
export type StructuredFormat = (typeof structuredFormats)[number];

export function isStructured(format: string | undefined): format is StructuredFormat {
  return format === 'json' || format === 'yaml';
}

/** For programs: everything that is known, and nothing that depends on who looks. */
export function structured(value: unknown, format: StructuredFormat): string {
  return format === 'json' ? `${JSON.stringify(value, undefined, 2)}\n` : stringify(value, { lineWidth: 0 });
}
