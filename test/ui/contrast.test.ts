import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const css = readFileSync('packages/dashboard/src/style/tokens.css', 'utf8');
const colours = new Map(
  [...css.matchAll(/--([a-z-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)/g)].map(
    ([, name = '', light = '', dark = '']) => [name, { light, dark }],
  ),
);

/** Text colours, and the backgrounds that they are used on. */
const states = ['now', 'later', 'blocked', 'draining', 'drained', 'unknown'];
const pairs: readonly (readonly [string, string])[] = [
  ...['back', 'surface', 'sunken'].flatMap((back): readonly (readonly [string, string])[] => [
    ['text', back],
    ['dim', back],
    ['link', back],
  ]),
  ...states.flatMap((state): readonly (readonly [string, string])[] => [
    [state, 'surface'],
    [state, 'back'],
    [state, `${state}-back`],
    ['text', `${state}-back`],
    ['dim', `${state}-back`],
    ['link', `${state}-back`],
  ]),
];

function luminance(colour: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5]
    .map((at) => Number.parseInt(colour.slice(at, at + 2), 16) / 255)
    .map((part) => (part <= 0.040_45 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(a: string, b: string): number {
  const [light, dark] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return ((light ?? 0) + 0.05) / ((dark ?? 0) + 0.05);
}

describe('text on its background', () => {
  it.each(pairs.flatMap(([text, back]) => (['light', 'dark'] as const).map((theme) => ({ text, back, theme }))))(
    'has a contrast of 4.5 or more: $text on $back, $theme',
    ({ text, back, theme }) => {
      const front = colours.get(text)?.[theme];
      const behind = colours.get(back)?.[theme];
      expect(front !== undefined && behind !== undefined).toBe(true);
      expect(contrast(front ?? '', behind ?? '')).toBeGreaterThanOrEqual(4.5);
    },
  );
});
