import { describe, expect, it } from 'vitest';
import type { Strategy } from '../../src/kinds/strategy.ts';
import type { KubeObject } from '../../src/objects.ts';
import { isReadyToGo, planDeletion } from '../../src/registry/deletion.ts';

const now = Date.UTC(2026, 0, 1);

/** As namespaces have it: a phase, and finalizers in the specification. */
const strategy: Strategy = {
  beginDeletion: (draft) => {
    draft['phase'] = 'Terminating';
  },
  isHeld: (object) => object['held'] === true,
};

function object(held: boolean, metadata: Partial<KubeObject['metadata']> = {}): KubeObject {
  return { apiVersion: 'v1', kind: 'Thing', held, phase: 'Active', metadata: { name: 'x', ...metadata } };
}

describe('a kind that is never gone at once', () => {
  it('changes with its first DELETE, and stays even when nothing holds it', () => {
    const before = object(false, { finalizers: ['a/b'] });
    expect(planDeletion(before, {}, strategy, now)).toEqual({
      kind: 'begin',
      object: {
        ...before,
        phase: 'Terminating',
        metadata: { name: 'x', finalizers: ['a/b'], deletionTimestamp: '2026-01-01T00:00:00Z' },
      },
    });
    expect(before['phase']).toBe('Active');
  });

  it('takes the propagation policy along', () => {
    const step = planDeletion(object(false), { propagationPolicy: 'Orphan' }, strategy, now);
    expect(step).toMatchObject({ kind: 'begin', object: { metadata: { finalizers: ['orphan'] } } });
  });

  const terminating = { deletionTimestamp: '2026-01-01T00:00:00Z' };

  it('is as it was after the next DELETE while something holds it', () => {
    expect(planDeletion(object(true, terminating), {}, strategy, now)).toEqual({ kind: 'pending' });
  });

  it('goes with the next DELETE when nothing holds it', () => {
    expect(planDeletion(object(false, terminating), {}, strategy, now)).toEqual({ kind: 'remove' });
  });

  it.each([
    { held: true, finalizers: [], ready: false },
    { held: false, finalizers: ['a/b'], ready: false },
    { held: false, finalizers: [], ready: true },
  ])('held $held with finalizers $finalizers can go: $ready', ({ held, finalizers, ready }) => {
    expect(isReadyToGo(object(held, { ...terminating, finalizers }), strategy)).toBe(ready);
  });
});
