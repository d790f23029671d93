import { describe, expect, it } from 'vitest';
import { planSvg } from '../../../src/cli/plan/svg.ts';
import { darkPalette, lightPalette, type Palette } from '../../../src/cli/plan/svg-palette.ts';
import type { DrainPlan, StuckNode } from '../../../src/core/plan/plan-result.ts';

/** Contrast as WCAG 2 defines it. */
function contrast(a: string, b: string): number {
  const [light = 0, dark = 0] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return (light + 0.05) / (dark + 0.05);
}

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5]
    .map((at) => Number.parseInt(colour.slice(at, at + 2), 16) / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

const pairs: readonly (readonly [keyof Palette, keyof Palette])[] = [
  ['ink', 'page'],
  ['dim', 'page'],
  ['onCalm', 'calm'],
  ['onDown', 'down'],
  ['onLimit', 'limit'],
  ['onLimit', 'limitStripe'],
  ['onStuck', 'stuck'],
];

describe('the colours of a plan', () => {
  it('are measured as WCAG measures them', () => {
    expect(contrast('#ffffff', '#000000')).toBeCloseTo(21);
    expect(contrast('#ffffff', '#d9822b')).toBeLessThan(3);
  });

  it.each([
    ['light', lightPalette],
    ['dark', darkPalette],
  ] as const)('are legible in %s: 4.5 to 1 for every text', (_, palette) => {
    for (const [ink, back] of pairs)
      expect(contrast(palette[ink], palette[back]), `${ink} on ${back}`).toBeGreaterThan(4.5);
    const inks = Object.keys(palette).filter((name) => name === 'ink' || name === 'dim' || name.startsWith('on'));
    expect(new Set(pairs.map(([ink]) => ink))).toEqual(new Set(inks));
  });
});

describe('a picture of a plan', () => {
  const budget = { kind: 'PodDisruptionBudget', namespace: 'shop', name: 'llm' } as const;
  const wave = (names: readonly string[], groups: readonly string[]): DrainPlan['waves'][number] => ({
    nodes: names.map((name) => ({ name, pods: 1, rounds: 1, surge: false, groups })),
    rounds: [names.map((name) => ({ namespace: 'shop', name }))],
    budgets: [{ budget, unitKind: 'group', broken: groups, available: 1, desired: 1, atLimit: groups.length > 0 }],
    seconds: 90,
  });
  const stuck: StuckNode = { node: 'db-node', why: 'noController', pods: [{ namespace: 'shop', name: 'db-0' }] };
  const plan: DrainPlan = {
    waves: [wave(['a'], ['shop/llm/0']), wave(['b', 'c'], [])],
    never: [stuck],
    lowerBound: { waves: 2, why: 'search', tried: 7 },
    compared: [],
    room: 'lookedAt',
    seconds: 180,
  };

  it('has the nodes that cannot be drained on top', () => {
    const svg = planSvg(plan);
    expect(svg).toContain('db-node cannot be drained: a pod has no controller (shop/db-0)');
    expect(svg.indexOf('db-node cannot')).toBeLessThan(svg.indexOf('>Wave 1<'));
    expect(svg).toContain('3 nodes in 2 waves; 1 node cannot be drained');
  });

  it('colours nodes by what their drain does, and stripes budgets at their limit', () => {
    const svg = planSvg(plan);
    expect(svg.match(/<rect class="down" [^>]*width="164"/g)).toHaveLength(1);
    expect(svg.match(/<rect class="calm" [^>]*width="164"/g)).toHaveLength(2);
    expect(svg).toContain('pdb shop/llm at its limit: 1 group left, 1 needed');
    expect(svg).not.toMatch(/\b1 (rounds|pods|nodes|groups)\b/);
  });

  it('has a dark mode', () => {
    expect(planSvg(plan)).toContain('@media (prefers-color-scheme: dark)');
  });
});
