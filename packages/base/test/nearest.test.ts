import { expect, it } from 'vitest';
import { didYouMean, nearest } from '../src/nearest.ts';

const known = ['EnforcedRollingUpdate', 'RollingUpdate', 'OnDelete', 'PodGroup', 'Pod', 'holdfast.dev/budget-scope'];

it.each([
  ['enforcedRollingUpdate', 'EnforcedRollingUpdate'],
  ['enforced-rolling-update', 'EnforcedRollingUpdate'],
  ['EnforceRollingUpdate', 'EnforcedRollingUpdate'],
  ['rollingupdate', 'RollingUpdate'],
  ['podgroup', 'PodGroup'],
  ['PodGrup', 'PodGroup'],
  ['holdfast.dev/budgetscope', 'holdfast.dev/budget-scope'],
  ['holdfast.dev/budget-skope', 'holdfast.dev/budget-scope'],
  ['Pot', 'Pod'],
  ['Recreate', undefined],
  ['x', undefined],
  ['', undefined],
])('%j probably means %j', (word, meant) => {
  expect(nearest(word, known)).toBe(meant);
});

it('says so, or nothing', () => {
  expect(didYouMean('podgroup', known)).toBe('; did you mean "PodGroup"?');
  expect(didYouMean('nothing like it', known)).toBe('');
  expect(didYouMean(7, known)).toBe('');
});
