import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { longestOutage } from '../../scripts/drain-picture.ts';

const file = 'docs/images/drain.svg';
const picture = readFileSync(file, 'utf8');

it('the picture of the README is what the simulation gives today; if not: npm run picture', () => {
  const args = ['--import', import.meta.resolve('tsx'), 'scripts/picture.ts', '--print'];
  expect(execFileSync(process.execPath, args, { encoding: 'utf8' })).toBe(picture);
});

it('an outage is the time in which all groups are down', () => {
  const groups = (...down: readonly (readonly [number, number])[]) => ({
    durationMs: 100,
    groups: down.map(([from, to], index) => ({ name: String(index), down: [{ from, to }] })),
  });
  expect(longestOutage(groups([0, 50], [20, 90]))).toEqual({ from: 20, to: 50 });
  expect(longestOutage(groups([0, 20], [20, 90]))).toBeUndefined();
});

/** Relative luminance and contrast, by WCAG 2. */
function luminance(hex: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5]
    .map((at) => Number.parseInt(hex.slice(at, at + 2), 16) / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(one: string, other: string): number {
  const [low = 0, high = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

const [light = '', dark = ''] = picture.slice(picture.indexOf('<style>')).split('@media');

it.each([
  { scheme: 'light', css: light },
  { scheme: 'dark', css: dark },
])('is legible in $scheme', ({ css }) => {
  const fill = (name: string) => new RegExp(`${name} \\{[^}]*?fill: (#[0-9a-f]{6})`).exec(css)?.[1] ?? '';
  for (const text of ['text', '\\.small', '\\.bad', '\\.good']) {
    expect(contrast(fill(text), fill('\\.card')), text).toBeGreaterThanOrEqual(4.5);
  }
  for (const bar of ['\\.up', '\\.down']) expect(contrast(fill('\\.on'), fill(bar)), bar).toBeGreaterThanOrEqual(4.5);
});
