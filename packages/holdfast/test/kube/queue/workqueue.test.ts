import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Reconciled, runWorkers, Workqueue } from '../../../src/kube/queue/workqueue.ts';
import { sleep } from '../../../src/kube/time/clock.ts';
import { TestClock } from '../support/test-clock.ts';

describe('a queue of work', () => {
  test('holds a key once, in the order of coming', async () => {
    const queue = new Workqueue({ clock: new TestClock() });
    for (const key of ['a', 'b', 'a', '__proto__']) queue.add(key);
    expect(queue.length).toBe(3);
    expect([await queue.take(), await queue.take(), await queue.take()]).toEqual(['a', 'b', '__proto__']);
  });

  test('gives a key that comes back while it is worked on to no worker until then', async () => {
    const queue = new Workqueue({ clock: new TestClock() });
    queue.add('a');
    await queue.take();
    queue.add('a');
    queue.add('a');
    expect(queue.length).toBe(0);
    queue.done('a');
    expect(queue.length).toBe(1);
    await queue.take();
    queue.done('a');
    expect(queue.length).toBe(0);
  });

  test('waits with a key until its time, the earliest of those asked for', async () => {
    const clock = new TestClock();
    const queue = new Workqueue({ clock });
    queue.addAfter('a', 1_000);
    queue.addAfter('a', 500);
    queue.addAfter('a', 2_000);
    queue.addAfter('now', 0);
    expect(queue.length).toBe(1);
    await clock.advance(499);
    expect(queue.length).toBe(1);
    await clock.advance(1);
    expect(queue.length).toBe(2);
    await clock.advance(5_000);
    expect(queue.length).toBe(2);
  });

  test('makes failures wait longer each time, up to a limit, until they are forgotten', async () => {
    const clock = new TestClock();
    const queue = new Workqueue({ clock, baseMs: 10, capMs: 50 });
    const waits: number[] = [];
    for (let i = 0; i < 5; i += 1) {
      const start = clock.monotonic();
      queue.addRateLimited('a');
      await clock.advanceUntil(() => queue.length > 0, 1_000, 1);
      waits.push(clock.monotonic() - start);
      queue.done((await queue.take()) ?? '');
    }
    expect([waits, queue.failures('a')]).toEqual([[10, 20, 40, 50, 50], 5]);
    queue.forget('a');
    expect(queue.failures('a')).toBe(0);
  });

  test('that is closed hands out what is left, and then nothing', async () => {
    const clock = new TestClock();
    const queue = new Workqueue({ clock });
    queue.add('a');
    queue.addAfter('later', 100);
    queue.close();
    queue.add('b');
    queue.addAfter('c', 1);
    await clock.advance(1_000);
    expect([await queue.take(), await queue.take()]).toEqual(['a', undefined]);
  });
});

describe('workers', () => {
  test('never work on one key at once, and always on its newest state, whatever comes when', async () => {
    const anyWrite = fc.record({ at: fc.nat(1_000), key: fc.constantFrom('a', 'b', 'c') });
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyWrite, { maxLength: 30 }),
        fc.nat(300),
        fc.integer({ min: 1, max: 3 }),
        async (writes, takes, count) => {
          const clock = new TestClock();
          const queue = new Workqueue({ clock });
          const state = new Map<string, number>();
          const seen = new Map<string, number>();
          const busy = new Set<string>();
          writes.forEach(({ at, key }, index) => {
            clock.after(at, () => {
              state.set(key, index);
              queue.add(key);
            });
          });
          let turn = 0;
          const reconcile = async (key: string): Promise<Reconciled> => {
            expect(busy.has(key)).toBe(false);
            busy.add(key);
            const version = state.get(key) ?? -1;
            await sleep(clock, takes);
            busy.delete(key);
            turn += 1;
            if (turn % 5 === 0) throw new Error('now and then');
            if (turn % 7 === 0) return { kind: 'failed' };
            seen.set(key, version);
            return { kind: 'done' };
          };
          const working = runWorkers(queue, count, reconcile, () => {});
          await clock.advance(60_000);
          expect([...seen].sort()).toEqual([...state].sort());
          queue.close();
          await clock.advance(0);
          await working;
        },
      ),
      { numRuns: 50 },
    );
  });

  test('come back to a key when it says so, and report what was thrown', async () => {
    const clock = new TestClock();
    const queue = new Workqueue({ clock });
    const times: number[] = [];
    const reports: string[] = [];
    const start = clock.monotonic();
    void runWorkers(
      queue,
      1,
      (key) => {
        times.push(clock.monotonic() - start);
        if (times.length === 2) return Promise.reject(new Error(`no ${key}`));
        return Promise.resolve({ kind: 'again', afterMs: 1_000 });
      },
      (key, error) => reports.push(`${key}: ${String(error)}`),
    );
    queue.add('a');
    await clock.advance(2_500);
    expect([times, reports]).toEqual([[0, 1_000, 1_005, 2_005], ['a: Error: no a']]);
    queue.close();
  });
});
