/** How a piece of text is meant; colours follow from it, and only on a terminal. */
export type Tone = 'good' | 'warn' | 'bad' | 'dim' | 'strong';

export type Paint = (tone: Tone, text: string) => string;

const codes: Readonly<Record<Tone, number>> = { good: 32, warn: 33, bad: 31, dim: 2, strong: 1 };

export interface PaintFacts {
  readonly isTTY?: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Colours only where a person looks, and never where NO_COLOR is set (https://no-color.org) or the terminal knows none. */
export function paintFor({ isTTY, env }: PaintFacts): Paint {
  const noColor = (env['NO_COLOR'] ?? '') !== '' || env['TERM'] === 'dumb';
  if (isTTY !== true || noColor) return plain;
  return (tone, text) => (text === '' ? '' : `\u001b[${codes[tone]}m${text}\u001b[0m`);
}

export const plain: Paint = (_tone, text) => text;
