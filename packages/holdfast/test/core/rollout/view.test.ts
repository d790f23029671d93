import { expect, test } from 'vitest';
import { ordinalOf } from '../../../src/core/rollout/view.ts';

const cases: readonly [set: string, pod: string, want: number | undefined][] = [
  ['web', 'web-0', 0],
  ['web', 'web-7', 7],
  ['web', 'web-10', 10],
  ['web', 'web-2147483647', 2_147_483_647],
  ['web', 'web-2147483648', undefined],
  ['web', 'web-00', undefined],
  ['web', 'web-01', undefined],
  ['web', 'web-1-2', undefined],
  ['web-1', 'web-1-2', 2],
  ['web-1', 'web-1', undefined],
  ['web', 'web--1', undefined],
  ['web', 'web-1a', undefined],
  ['web', 'web-', undefined],
  ['web', 'web', undefined],
  ['web', 'web0-1', undefined],
  ['web', 'abc-1', undefined],
  ['web', 'my-web-1', undefined],
];

test.each(cases)('in the set %s the pod %s has the ordinal %s', (set, pod, want) => {
  expect(ordinalOf(set, pod)).toBe(want);
});
