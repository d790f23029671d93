import { describe, expect, it } from 'vitest';
import { successByPolicy } from '../../../src/controllers/job/success-policy.ts';
import { job } from '../workloads.ts';

type Rule = { succeededIndexes?: string; succeededCount?: number };

describe('a job that is content with some of its indexes', () => {
  it.each<[string, Rule[], number[], number | undefined]>([
    ['wants enough of them', [{ succeededCount: 2 }], [0, 3], 0],
    ['waits for one more', [{ succeededCount: 2 }], [0], undefined],
    ['wants all that are named', [{ succeededIndexes: '0,2-3' }], [0, 2, 3], 0],
    ['does not take others for those', [{ succeededIndexes: '0,2-3' }], [0, 1, 2, 4], undefined],
    ['wants enough of those that are named', [{ succeededIndexes: '1-4', succeededCount: 2 }], [1, 4], 0],
    ['counts only those that are named', [{ succeededIndexes: '1-4', succeededCount: 2 }], [0, 1], undefined],
    ['takes the first rule that holds', [{ succeededIndexes: '4' }, { succeededCount: 1 }], [0], 1],
    ['passes over a rule that names nothing', [{ succeededIndexes: '' }], [0], undefined],
    ['has to have rules', [], [0, 1, 2, 3, 4], undefined],
  ])('%s', (_what, rules, succeeded, met) => {
    const made = job('j', { completions: 5, completionMode: 'Indexed', successPolicy: { rules } });
    const outcome = { result: 'success', reason: 'SuccessPolicy', message: `Matched rules at index ${met}` };
    expect(successByPolicy(made, new Set(succeeded))).toEqual(met === undefined ? undefined : outcome);
  });
});
