import { describe, expect, it } from 'vitest';
import { aWorld } from '../../../../../test/support/a-world.ts';
import { anOwner, aPod, aPub, refTo } from '../../../../../test/support/builders.ts';
import type { Condition } from '../../../../base/src/meta.ts';
import { boundedCondition } from '../../../src/operator/status/condition-text.ts';
import { planPub, sameStatus } from '../../../src/operator/status/plan-pub.ts';
import { pubWarnings, unreportedWarnings } from '../../../src/operator/status/status-warnings.ts';
import { presentOf, stepTo, trustMs, type Written } from '../../../src/operator/status/written.ts';

const meta = (resourceVersion: string, uid = 'u') => ({ name: 'b', uid, resourceVersion });
const written: Written<string> = { uid: 'u', resourceVersion: '10', value: 'ours', at: 1_000 };

describe('what is present', () => {
  it.each<readonly [string, string, string, number, string]>([
    ['the view has not come to our write', '9', 'u', 1_000, 'ours'],
    ['the view shows our write', '10', 'u', 1_000, 'ours'],
    ['the view is past our write', '11', 'u', 1_000, 'shown'],
    ['the view is past it by a digit', '100', 'u', 1_000, 'shown'],
    ['it is another object', '9', 'v', 1_000, 'shown'],
    ['our write was long ago', '9', 'u', 1_000 + trustMs, 'shown'],
  ])('%s', (_, version, uid, now, value) => {
    expect(presentOf(meta(version, uid), 'shown', written, now).value).toBe(value);
  });
});

describe('the step', () => {
  const same = (a: string, b: string) => a === b;
  const present = { value: 'shown', resourceVersion: '11' };
  it.each([
    ['shown', { kind: 'nothing' }],
    ['ours', { kind: 'wait', forMs: trustMs - 500 }],
    ['new', { kind: 'write', value: 'new', over: '11' }],
  ])('from "shown" to %j, after we wrote "ours"', (next, step) => {
    expect(stepTo(next, present, written, 1_500, same)).toEqual(step);
  });
});

describe('statuses are the same', () => {
  const enforced = { type: 'Enforced', status: 'True', reason: 'Enforced', message: 'm' } as const;
  it.each([
    [true, 'whenever a condition began', { conditions: [{ ...enforced, lastTransitionTime: '2026-01-01T00:00:00Z' }] }],
    [false, 'but not with another message', { conditions: [{ ...enforced, message: 'other' }] }],
    [false, 'nor with another number', { conditions: [enforced], currentAvailable: 1 }],
    [false, 'nor with another pod under way', { conditions: [enforced], disruptedPods: { a: 't' } }],
  ])('%s: %s', (same, _, other) => {
    expect(sameStatus({ conditions: [enforced] }, other)).toBe(same);
  });
});

describe('a plan for a PodUnavailableBudget', () => {
  const set = anOwner('StatefulSet', 'db', 2);
  const world = aWorld({
    owners: [set],
    pods: [0, 1].map((i) => aPod(`db-${i}`).labels({ app: 'db' }).ownedBy(refTo(set))),
    pubs: [aPub('db', { selector: { matchLabels: { app: 'db' } }, maxUnavailable: 0 })],
  });
  const at = { world, written: undefined, now: 0, monotonic: 0 };
  const shown = aPub('db', {});

  it('[U4] there is none for a generation that the world has not judged', () => {
    const newer = { ...shown, metadata: { ...shown.metadata, generation: 2 } };
    expect(planPub({ ...at, shown: newer, guard: { kind: 'on' } })).toBeUndefined();
    expect(planPub({ ...at, shown, guard: { kind: 'on' } })?.status.observedGeneration).toBe(1);
  });

  it('says that it blocks only while it is enforced', () => {
    expect(planPub({ ...at, shown, guard: { kind: 'on' } })?.blocked).toBe(true);
    expect(planPub({ ...at, shown, guard: { kind: 'off', message: 'm' } })?.blocked).toBe(false);
  });
});

describe('the message of a condition', () => {
  const said = (message: string): Condition => ({ type: 't', status: 'True', reason: 'r', message });
  it.each([
    ['short', 5, 5],
    ['just short enough', 4_096, 4_096],
    ['too long', 4_097, 4_096],
  ])('that is %s has a bounded length', (_, length, bounded) => {
    expect(boundedCondition(said('x'.repeat(length))).message).toHaveLength(bounded);
  });
});

describe('warnings', () => {
  const wrong = (type: string, status: 'True' | 'False' = 'True', reason = type): Condition => ({
    type,
    status,
    reason,
    message: 'm',
  });
  it.each<readonly [string, readonly Condition[] | undefined, readonly Condition[], readonly string[]]>([
    ['the first status is wrong', undefined, [wrong('MissingGroupLabel')], ['MissingGroupLabel']],
    ['it stays wrong', [wrong('MissingGroupLabel')], [wrong('MissingGroupLabel')], []],
    ['it becomes right', [wrong('WorkloadNotFound')], [], []],
    [
      'something else, too',
      [wrong('WorkloadNotFound')],
      [wrong('WorkloadNotFound'), wrong('MissingGroupLabel')],
      ['MissingGroupLabel'],
    ],
    ['it cannot be read', [wrong('Enforced')], [wrong('Enforced', 'False', 'BudgetInvalid')], ['BudgetInvalid']],
    [
      'it can still not be read',
      [wrong('Enforced', 'False', 'BudgetInvalid')],
      [wrong('Enforced', 'False', 'BudgetInvalid')],
      [],
    ],
    ['it is not guarded', [wrong('Enforced')], [wrong('Enforced', 'False', 'NotGuarded')], []],
  ])('of a PodUnavailableBudget: %s', (_, before, after, codes) => {
    expect(pubWarnings(before, after).map(({ code }) => code)).toEqual(codes);
  });

  const mixed = { code: 'MixedSelection', message: '3 selected pods have no group' } as const;
  it.each<readonly [string, ReadonlySet<string> | undefined, string | undefined, boolean]>([
    ['nothing was ever said', undefined, undefined, true],
    ['the object says it with another number', undefined, '2 groups; 17 selected pods have no group', false],
    ['the object says something else', undefined, '2 groups', true],
    ['it was told', new Set(['MixedSelection']), undefined, false],
    ['it was told, ended, and comes back', new Set(), '2 groups; 17 selected pods have no group', true],
  ])('of a PodDisruptionBudget: %s', (_, remembered, message, told) => {
    const before: Condition | undefined =
      message === undefined ? undefined : { type: 't', status: 'True', reason: 'Sufficient', message };
    expect(unreportedWarnings([mixed], remembered, before)).toEqual(told ? [mixed] : []);
  });

  it('of a PodDisruptionBudget: the reason of its condition was told, in whatever words', () => {
    const lost = { code: 'GroupNotResolved', message: 'no group can be resolved, among them b' } as const;
    const before = { type: 't', status: 'False', reason: 'GroupNotResolved', message: 'among them a' } as const;
    expect(unreportedWarnings([lost], undefined, before)).toEqual([]);
  });
});
