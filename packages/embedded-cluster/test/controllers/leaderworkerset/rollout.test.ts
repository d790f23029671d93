import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type GroupState,
  nextPartition,
  planRollout,
  type RolloutInput,
} from '../../../src/controllers/leaderworkerset/rollout.ts';

const done: GroupState = { ready: true, updated: true };
const old: GroupState = { ready: true, updated: false };
const down: GroupState = { ready: false, updated: false };
const starting: GroupState = { ready: false, updated: true };

type Fields = Partial<Omit<RolloutInput, 'states'>> & { states?: readonly GroupState[] };

function input({ states = [old, old, old, old], ...fields }: Fields): RolloutInput {
  return {
    replicas: 4,
    limits: { partition: 0, maxUnavailable: 1, maxSurge: 0 },
    leader: { replicas: 4, partition: 4, askedReplicas: 4 },
    changed: false,
    states: () => states,
    ...fields,
  };
}

describe('the rollout', () => {
  test.each<[string, Fields, { partition: number; replicas: number }]>([
    ['a new set starts whole', { leader: undefined, states: [] }, { partition: 0, replicas: 4 }],
    ['a change begins by holding everything', { changed: true }, { partition: 4, replicas: 4 }],
    [
      'a change begins with the surge',
      { changed: true, limits: { partition: 0, maxUnavailable: 1, maxSurge: 2 } },
      { partition: 4, replicas: 6 },
    ],
    [
      'no surge is larger than the set',
      { changed: true, limits: { partition: 0, maxUnavailable: 1, maxSurge: 9 } },
      { partition: 4, replicas: 7 },
    ],
    [
      'at rest nothing is held',
      { leader: { replicas: 4, partition: 0, askedReplicas: 4 } },
      { partition: 0, replicas: 4 },
    ],
    [
      'a set at rest is not scaled by halves',
      { replicas: 6, leader: { replicas: 4, partition: 0, askedReplicas: 4 }, states: [done, done, done, done] },
      { partition: 0, replicas: 6 },
    ],
    ['then the last group goes', {}, { partition: 3, replicas: 4 }],
    [
      'the next one waits for it',
      { leader: { replicas: 4, partition: 3, askedReplicas: 4 }, states: [old, old, old, starting] },
      { partition: 3, replicas: 4 },
    ],
    [
      'and follows',
      { leader: { replicas: 4, partition: 3, askedReplicas: 4 }, states: [old, old, old, done] },
      { partition: 2, replicas: 4 },
    ],
    ['groups that are down take their share', { states: [down, old, old, old] }, { partition: 4, replicas: 4 }],
    [
      'groups that are all down do not delay the rollout',
      { states: [down, down, down, down] },
      { partition: 3, replicas: 4 },
    ],
    [
      'the limit of the user holds',
      {
        limits: { partition: 3, maxUnavailable: 1, maxSurge: 0 },
        leader: { replicas: 4, partition: 3, askedReplicas: 4 },
        states: [old, old, old, done],
      },
      { partition: 3, replicas: 4 },
    ],
    [
      'scaling in the middle of an update leaves the partition where it was',
      { replicas: 5, leader: { replicas: 4, partition: 2, askedReplicas: 4 }, states: [old, old, done, done] },
      { partition: 2, replicas: 5 },
    ],
    [
      'the surge goes with the last groups',
      {
        limits: { partition: 0, maxUnavailable: 1, maxSurge: 2 },
        leader: { replicas: 6, partition: 0, askedReplicas: 4 },
        states: [starting, starting, done, done, done, done],
      },
      { partition: 0, replicas: 5 },
    ],
  ])('%s', (_, fields, expected) => {
    expect(planRollout(input(fields))).toMatchObject(expected);
  });

  const states = fc.array(fc.constantFrom(done, old, down, starting), { minLength: 1, maxLength: 12 });

  test('never takes down more groups that serve than it may', () => {
    fc.assert(
      fc.property(states, fc.integer({ min: 1, max: 6 }), (groups, step) => {
        const leader = { replicas: groups.length, partition: groups.length, askedReplicas: groups.length };
        const partition = nextPartition(groups, leader, step);
        const taken = groups.slice(partition).filter((state) => state.ready && !state.updated).length;
        expect(taken).toBeLessThanOrEqual(step);
      }),
    );
  });

  test('never goes back, and always goes on in the end', () => {
    fc.assert(
      fc.property(states, fc.integer({ min: 1, max: 6 }), fc.nat(12), (groups, step, before) => {
        const leader = { replicas: groups.length, partition: before, askedReplicas: groups.length };
        expect(nextPartition(groups, leader, step)).toBeLessThanOrEqual(before);
        const finished = groups.map((_, index) => (index >= before ? done : old));
        const next = nextPartition(finished, leader, step);
        expect(next).toBe(Math.max(0, Math.min(before, groups.length) - step));
      }),
    );
  });
});
