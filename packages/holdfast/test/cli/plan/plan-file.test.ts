import { describe, expect, it } from 'vitest';
import { planDocument, planIn } from '../../../src/cli/plan/plan-file.ts';
import type { DrainPlan } from '../../../src/core/plan/plan-result.ts';

const node = (name: string, surge = false) => ({ name, pods: 2, rounds: 1, surge, groups: [] });
const plan: DrainPlan = {
  waves: [
    { nodes: [node('a'), node('b', true)], rounds: [[]], budgets: [], seconds: 0 },
    { nodes: [node('c')], rounds: [[]], budgets: [], seconds: 0 },
  ],
  never: [{ node: 'd', why: 'noController', pods: [] }],
  lowerBound: { waves: 1, why: 'oneIsNeeded' },
  compared: [],
  room: 'lookedAt',
  seconds: 0,
};

describe('a plan in a file', () => {
  it('is read as it was written, and says which form it has', () => {
    expect(planDocument(plan)).toMatchObject({ kind: 'DrainPlan', schemaVersion: 1, waves: plan.waves });
    expect(planIn(JSON.stringify(planDocument(plan)), 'plan.json')).toEqual({
      waves: [
        [
          { name: 'a', pods: 2, surge: false },
          { name: 'b', pods: 2, surge: true },
        ],
        [{ name: 'c', pods: 2, surge: false }],
      ],
      never: ['d'],
    });
  });

  const good = { kind: 'DrainPlan', schemaVersion: 1 };
  it.each<[string, string, string]>([
    ['text', 'Plan for 6 nodes', 'is not JSON'],
    ['another object', '{"kind":"Pod"}', 'is not a plan: its kind is not DrainPlan'],
    ['a list', '[]', 'is not a plan: its kind is not DrainPlan'],
    ['a later form', '{"kind":"DrainPlan","schemaVersion":2}', 'has schemaVersion 2; this version of holdfast reads 1'],
    ['no form', '{"kind":"DrainPlan"}', 'has schemaVersion undefined; this version of holdfast reads 1'],
    ['no waves', JSON.stringify(good), 'has no waves'],
    ['an empty plan', JSON.stringify({ ...good, waves: [] }), 'has no waves: there is nothing to drain'],
    [
      'a wave of numbers',
      JSON.stringify({ ...good, waves: [{ nodes: [1] }] }),
      'waves[0].nodes is not a list of nodes with names',
    ],
    ['an empty wave', JSON.stringify({ ...good, waves: [{ nodes: [] }] }), 'waves[0].nodes is not a list of nodes'],
    [
      'a node twice',
      JSON.stringify({ ...good, waves: [{ nodes: [node('a')] }, { nodes: [node('a')] }] }),
      'names node a twice',
    ],
  ])('%s is refused with the reason', (_, text, why) => {
    expect(() => planIn(text, 'plan.json')).toThrow(`plan.json: ${why}`);
  });
});
