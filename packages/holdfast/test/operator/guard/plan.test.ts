import { describe, expect, it, test } from 'vitest';
import type { Namespace } from '../../../../base/src/meta.ts';
import { label } from '../../../src/api/names.ts';
import { isNeverGuarded } from '../../../src/observe/guard/guard-mode.ts';
import { type GuardFacts, type GuardPlan, planGuard } from '../../../src/operator/guard/plan-guard.ts';

const times = { graceMs: 60_000, recheckMs: 5_000 };

function namespace(guard?: string, more: Partial<Namespace> = {}): Namespace {
  return { metadata: { name: 'shop', labels: guard === undefined ? {} : { [label.guard]: guard } }, ...more };
}

const going: Namespace = { metadata: { name: 'shop', deletionTimestamp: '2026-01-01T00:00:00Z' } };
const phase = { status: { phase: 'Terminating' } };

const idle: GuardFacts = {
  namespace: namespace('enabled'),
  exempt: false,
  needed: false,
  complete: true,
  idleMs: 60_000,
  reservations: 0,
};

const leave: GuardPlan = { kind: 'leave' };
const wait = (afterMs: number): GuardPlan => ({ kind: 'wait', afterMs });

describe('with something to protect', () => {
  const cases: readonly (readonly [string, Partial<GuardFacts>, GuardPlan])[] = [
    ['a namespace without the label gets it', { namespace: namespace() }, { kind: 'enable' }],
    ['also one without any labels', { namespace: { metadata: { name: 'shop' } } }, { kind: 'enable' }],
    ['also while not everything was seen', { namespace: namespace(), complete: false }, { kind: 'enable' }],
    ['one that has it is left alone', {}, leave],
    ['what a person turned off stays off', { namespace: namespace('disabled') }, leave],
    ['a value that means nothing is a person’s, too', { namespace: namespace('yes') }, leave],
    ['an empty value as well', { namespace: namespace('') }, leave],
    ['one that is being deleted is left alone', { namespace: going }, leave],
    ['also when only its phase says so', { namespace: namespace(undefined, phase) }, leave],
    ['one that is never guarded is left alone', { namespace: namespace(), exempt: true }, leave],
  ];
  test.each(cases)('%s', (_, facts, expected) => {
    expect(planGuard({ ...idle, needed: true, ...facts }, times)).toEqual(expected);
  });
});

describe('with nothing to protect', () => {
  const cases: readonly (readonly [string, Partial<GuardFacts>, GuardPlan])[] = [
    ['the label is taken away after a while', {}, { kind: 'remove' }],
    ['not before', { idleMs: 59_000 }, wait(1_000)],
    ['not at once', { idleMs: 0 }, wait(60_000)],
    ['not before everything was seen', { complete: false }, wait(5_000)],
    ['not while a disruption that was allowed is under way', { reservations: 1 }, wait(5_000)],
    ['a namespace without it is left alone', { namespace: namespace() }, leave],
    ['what a person turned off is left alone', { namespace: namespace('disabled') }, leave],
    ['one that is being deleted is left alone', { namespace: namespace('enabled', phase) }, leave],
    ['one that is never guarded is left alone', { exempt: true }, leave],
  ];
  test.each(cases)('%s', (_, facts, expected) => {
    expect(planGuard({ ...idle, ...facts }, times)).toEqual(expected);
  });
});

it('the namespaces of the cluster and of the operator are never guarded', () => {
  expect(
    ['kube-system', 'holdfast-system', 'shop', 'kube-public'].filter((one) => isNeverGuarded(one, 'holdfast-system')),
  ).toEqual(['kube-system', 'holdfast-system']);
});
