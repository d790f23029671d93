import { describe, expect, it } from 'vitest';
import type { Strategy } from '../../src/kinds/strategy.ts';
import type { KubeObject } from '../../src/objects.ts';
import { type DeletionOptions, type DeletionStep, isReadyToGo, planDeletion } from '../../src/registry/deletion.ts';

const now = Date.UTC(2026, 0, 1);
const plain: Strategy = {};
/** As pods have it: thirty seconds unless asked otherwise. */
const graceful: Strategy = { gracePeriodSeconds: (_object, requested) => requested ?? 30 };

function object(metadata: Partial<KubeObject['metadata']>): KubeObject {
  return { apiVersion: 'v1', kind: 'Thing', metadata: { name: 'x', ...metadata } };
}

function plan(metadata: Partial<KubeObject['metadata']>, options: DeletionOptions, strategy: Strategy): DeletionStep {
  return planDeletion(object(metadata), options, strategy, now);
}

describe('what a DELETE does', () => {
  it('removes at once what nothing holds', () => expect(plan({}, {}, plain)).toEqual({ kind: 'remove' }));

  it('marks what has finalizers, and counts that as a change', () => {
    expect(plan({ finalizers: ['a/b'], generation: 3 }, {}, plain)).toEqual({
      kind: 'mark',
      metadata: {
        name: 'x',
        finalizers: ['a/b'],
        generation: 4,
        deletionTimestamp: '2026-01-01T00:00:00Z',
        deletionGracePeriodSeconds: 0,
      },
    });
  });

  const marked = { finalizers: ['a/b'], deletionTimestamp: '2026-01-01T00:00:00Z', deletionGracePeriodSeconds: 0 };
  it.each([
    ['without grace', plain],
    ['with grace', graceful],
  ])('leaves alone what is marked already, of a kind %s', (_what, strategy) => {
    const held = object(marked);
    const step = planDeletion(held, {}, strategy, now);
    expect(step.kind === 'mark' && step.metadata).toBe(held.metadata);
  });
  it('still takes a policy for what only its finalizers hold', () => {
    expect(plan(marked, { propagationPolicy: 'Foreground' }, graceful)).toMatchObject({
      kind: 'mark',
      metadata: { finalizers: ['a/b', 'foregroundDeletion'] },
    });
  });

  it('gives grace', () => {
    expect(plan({}, {}, graceful)).toEqual({
      kind: 'mark',
      metadata: { name: 'x', deletionTimestamp: '2026-01-01T00:00:30Z', deletionGracePeriodSeconds: 30 },
    });
  });

  it('gives no grace to who asks for none', () => {
    expect(plan({ generation: 1 }, { gracePeriodSeconds: 0 }, graceful)).toEqual({
      kind: 'markAndRemove',
      metadata: { name: 'x', generation: 2, deletionTimestamp: '2026-01-01T00:00:00Z', deletionGracePeriodSeconds: 0 },
    });
  });

  const terminating = { deletionTimestamp: '2026-01-01T00:00:30Z', deletionGracePeriodSeconds: 30 };
  it('does not begin again', () => expect(plan(terminating, {}, graceful)).toEqual({ kind: 'pending' }));
  it('never makes grace longer', () => {
    expect(plan(terminating, { gracePeriodSeconds: 60 }, graceful)).toEqual({ kind: 'pending' });
  });
  it('makes grace shorter, counted from when it began', () => {
    expect(plan(terminating, { gracePeriodSeconds: 5 }, graceful)).toMatchObject({
      kind: 'mark',
      metadata: { deletionTimestamp: '2026-01-01T00:00:05Z', deletionGracePeriodSeconds: 5 },
    });
  });
  it('removes a terminating object when asked to do it now', () => {
    expect(plan(terminating, { gracePeriodSeconds: 0 }, graceful)).toEqual({
      kind: 'markAndRemove',
      metadata: { name: 'x', deletionTimestamp: '2026-01-01T00:00:00Z', deletionGracePeriodSeconds: 0 },
    });
  });
  it('does not count a shorter grace as a change of what is wanted', () => {
    const step = plan({ ...terminating, generation: 4 }, { gracePeriodSeconds: 5 }, graceful);
    expect(step).toMatchObject({ metadata: { generation: 4 } });
  });
  it('takes the grace that the client names, also where the object would need none by now', () => {
    const finished: Strategy = { gracePeriodSeconds: () => 0 };
    expect(plan(terminating, { gracePeriodSeconds: 5 }, finished)).toMatchObject({
      kind: 'mark',
      metadata: { deletionGracePeriodSeconds: 5 },
    });
  });
  const old = { deletionTimestamp: '2025-12-31T23:59:59Z', deletionGracePeriodSeconds: 30 };
  it.each([
    [10, 'mark', 1],
    [-1, 'mark', 1],
    [0, 'markAndRemove', 0],
  ])('is never due in the past: %d seconds of a grace that is over', (gracePeriodSeconds, kind, grace) => {
    expect(plan(old, { gracePeriodSeconds }, graceful)).toMatchObject({
      kind,
      metadata: { deletionTimestamp: '2026-01-01T00:00:00Z', deletionGracePeriodSeconds: grace },
    });
  });
  it('lets finalizers outlive grace', () => {
    expect(plan({ ...terminating, finalizers: ['a/b'] }, { gracePeriodSeconds: 0 }, graceful)).toMatchObject({
      kind: 'mark',
      metadata: { deletionTimestamp: '2026-01-01T00:00:00Z', deletionGracePeriodSeconds: 0, finalizers: ['a/b'] },
    });
  });

  it('writes the propagation policy down as a finalizer', () => {
    expect(plan({}, { propagationPolicy: 'Foreground' }, plain)).toMatchObject({
      kind: 'mark',
      metadata: { finalizers: ['foregroundDeletion'] },
    });
    expect(plan({ finalizers: ['foregroundDeletion'] }, { propagationPolicy: 'Orphan' }, plain)).toMatchObject({
      kind: 'mark',
      metadata: { finalizers: ['orphan'] },
    });
  });
  it('takes an earlier policy back when told so', () => {
    expect(plan({ finalizers: ['orphan'] }, { propagationPolicy: 'Background' }, plain)).toEqual({ kind: 'remove' });
  });
  it('follows the default of the kind', () => {
    expect(plan({}, {}, { defaultPropagation: 'Orphan' })).toMatchObject({
      kind: 'mark',
      metadata: { finalizers: ['orphan'] },
    });
  });
});

describe('the last update of a terminating object', () => {
  const gone = { deletionTimestamp: '2026-01-01T00:00:00Z', deletionGracePeriodSeconds: 0 };
  it('removes it when no finalizer is left', () => expect(isReadyToGo(object({ ...gone, finalizers: [] }))).toBe(true));
  it('waits for finalizers', () => expect(isReadyToGo(object({ ...gone, finalizers: ['a/b'] }))).toBe(false));
  it('waits for grace', () => expect(isReadyToGo(object({ ...gone, deletionGracePeriodSeconds: 5 }))).toBe(false));
  it('does not touch what was not deleted', () => expect(isReadyToGo(object({}))).toBe(false));
});
