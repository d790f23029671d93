import fc from 'fast-check';
import { expect, it } from 'vitest';
import { WakeQueue } from '../../src/nodes/wake-queue.ts';
import { VirtualClock } from '../../src/time/virtual-clock.ts';

it('wakes every key at the last time it was given, in the order of times, and none that was taken away', async () => {
  const deed = fc.tuple(fc.constantFrom('set', 'set', 'set', 'delete'), fc.nat(20), fc.nat(1000));
  await fc.assert(
    fc.asyncProperty(fc.array(deed, { maxLength: 60 }), async (deeds) => {
      const clock = new VirtualClock(0);
      const woken: [string, number][] = [];
      const queue = new WakeQueue(clock, (key) => woken.push([key, clock.now()]));
      const expected = new Map<string, number>();
      for (const [verb, key, time] of deeds) {
        if (verb === 'set') {
          queue.set(String(key), time);
          expected.set(String(key), time);
        } else {
          queue.delete(String(key));
          expected.delete(String(key));
        }
      }
      await clock.advance(1000);
      expect(new Map(woken)).toEqual(expected);
      expect(woken).toHaveLength(expected.size);
      const times = woken.map(([, time]) => time);
      expect(times).toEqual(times.toSorted((left, right) => left - right));
    }),
    { numRuns: 50 },
  );
});

it('a key may be set again while it is woken', async () => {
  const clock = new VirtualClock(0);
  let times = 0;
  const queue: WakeQueue = new WakeQueue(clock, (key) => {
    times += 1;
    if (times < 5) queue.set(key, clock.now() + 10);
  });
  queue.set('a', 10);
  await clock.advance(1000);
  expect(times).toBe(5);
});

it('wakes no waiter once it is cleared', async () => {
  const clock = new VirtualClock(0);
  const woken: string[] = [];
  const queue = new WakeQueue(clock, (key) => woken.push(key));
  queue.set('a', 10);
  queue.clear();
  await clock.advance(100);
  expect(woken).toEqual([]);
});
