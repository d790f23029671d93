import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { aWorld } from '../../../../../test/support/a-world.ts';
import { aLedger, aReservation, ns } from '../../../../../test/support/builders.ts';
import { Deadline, timeboxed } from '../../../src/operator/admission/deadline.ts';
import { defaultAdmissionLimits, pauseAfter } from '../../../src/operator/admission/limits.ts';
import { NamespaceMutex } from '../../../src/operator/admission/reserve.ts';
import { ViewGate } from '../../../src/operator/admission/view-gate.ts';
import { TestClock } from '../../kube/support/test-clock.ts';

describe('a ledger that comes in', () => {
  it.each([
    { offered: '9', kept: '10' },
    { offered: '10', kept: '10' },
    { offered: '11', kept: '11' },
    { offered: '100', kept: '100' },
    { offered: 'words', kept: '10' },
  ])('$offered when 10 is known leaves $kept', ({ offered, kept }) => {
    const world = aWorld();
    world.setLedger(ns, aLedger([], undefined, '10'));
    world.acceptLedger(ns, aLedger([aReservation('web-0')], undefined, offered));
    expect(world.namespace(ns)?.ledger?.metadata.resourceVersion).toBe(kept);
    expect(world.namespace(ns)?.reservations.size).toBe(kept === '10' ? 0 : 1);
  });

  it('in any order leaves the newest', () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 1_000 }), { minLength: 1 }), (versions) => {
        const world = aWorld();
        for (const version of versions) world.acceptLedger(ns, aLedger([], undefined, String(version)));
        const newest = Math.max(1, ...versions);
        expect(world.namespace(ns)?.ledger?.metadata.resourceVersion).toBe(String(newest));
      }),
    );
  });

  it('is taken when none is known', () => {
    const world = aWorld();
    expect(world.acceptLedger('elsewhere', aLedger())).toBe(true);
    expect(world.namespace('elsewhere')?.ledger).toBeDefined();
  });
});

describe('mutex', () => {
  it('come one after the other in a namespace, and side by side in two', async () => {
    const clock = new TestClock();
    const mutex = new NamespaceMutex(() => {});
    const story: string[] = [];
    const task = (name: string, ms: number) => async () => {
      story.push(`${name} begins`);
      await new Promise<void>((resolve) => {
        clock.after(ms, resolve);
      });
      story.push(`${name} ends`);
    };
    void mutex.take('x', task('first', 10));
    void mutex.take('x', task('second', 10));
    void mutex.take('y', task('other', 5));
    await clock.advance(100);
    expect(story).toEqual(['first begins', 'other begins', 'other ends', 'first ends', 'second begins', 'second ends']);
  });

  it('go on after one that failed', async () => {
    const failures: unknown[] = [];
    const mutex = new NamespaceMutex((namespace, error) => failures.push(namespace, error));
    const mistake = new Error('mistake');
    const bad = mutex.take('x', () => Promise.reject(mistake));
    let ran = false;
    await mutex.take('x', async () => {
      ran = true;
    });
    await bad;
    expect(ran).toBe(true);
    expect(failures).toEqual(['x', mistake]);
  });
});

describe('a timeboxed call', () => {
  const failed = (message: string): string => `failed: ${message}`;

  it.each([
    { what: 'answers', call: () => Promise.resolve('yes'), outcome: 'yes' },
    { what: 'rejects', call: () => Promise.reject(new Error('no')), outcome: 'failed: no' },
    { what: 'rejects with a word', call: () => Promise.reject('no'), outcome: 'failed: no' },
    { what: 'hangs', call: () => new Promise<string>(() => {}), outcome: 'failed: no answer within 50 ms' },
  ])('that $what', async ({ call, outcome }) => {
    const clock = new TestClock();
    const answer = timeboxed(clock, 50, call, failed);
    await clock.advance(60);
    expect(await answer).toBe(outcome);
  });

  it('is told to stop when its time is up', async () => {
    const clock = new TestClock();
    let told: AbortSignal | undefined;
    void timeboxed(
      clock,
      50,
      (signal) => {
        told = signal;
        return new Promise<string>(() => {});
      },
      failed,
    );
    await clock.advance(49);
    expect(told?.aborted).toBe(false);
    await clock.advance(1);
    expect(told?.aborted).toBe(true);
  });
});

describe('the gate to a newer view', () => {
  it('opens for those whose version is reached, and closes for those whose patience ends', async () => {
    const clock = new TestClock();
    const world = aWorld();
    const gate = new ViewGate(world);
    const patience = new Deadline(clock, 1_000);
    expect(await gate.reached('100', patience.signal)).toBe(true);
    const soon = gate.reached('101', patience.signal);
    const never = gate.reached('9000', patience.signal);
    world.setSynced('pods', '105');
    gate.advanced();
    expect(await soon).toBe(true);
    await clock.advance(1_000);
    expect(await never).toBe(false);
    expect(await gate.reached('106', patience.signal)).toBe(false);
  });
});

describe('the pause after a lost race', () => {
  it('grows with every attempt, up to its cap, and is left to chance', () => {
    expect([1, 2, 3, 20].map((attempt) => pauseAfter(attempt, defaultAdmissionLimits, 1))).toEqual([10, 20, 40, 250]);
    expect(pauseAfter(3, defaultAdmissionLimits, 0.25)).toBe(10);
  });
});
