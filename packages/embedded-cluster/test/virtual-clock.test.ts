import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TimerHeap } from '../src/time/timer-heap.ts';
import { untilIdle, VirtualClock } from '../src/time/virtual-clock.ts';

describe('timers', () => {
  it('come in the order of their times, then of their asking, whatever was cancelled', () => {
    fc.assert(
      fc.property(fc.array(fc.record({ due: fc.nat(20), cancelled: fc.boolean() }), { maxLength: 60 }), (wishes) => {
        const heap = new TimerHeap();
        const timers = wishes.map((wish, order) => ({ ...wish, order, callback: () => undefined }));
        for (const timer of timers) heap.add(timer);
        const taken = [];
        for (let next = heap.takeFirst(); next !== undefined; next = heap.takeFirst()) taken.push(next.order);
        const wanted = timers
          .filter(({ cancelled }) => !cancelled)
          .sort((a, b) => a.due - b.due || a.order - b.order)
          .map(({ order }) => order);
        expect(taken).toEqual(wanted);
      }),
    );
  });

  it('may be asked for and cancelled by others while they fire', async () => {
    const clock = new VirtualClock(0);
    const heard: string[] = [];
    const last = clock.after(30, () => heard.push('never'));
    clock.after(10, () => {
      heard.push(`first at ${clock.now()}`);
      clock.after(5, () => heard.push(`second at ${clock.now()}`));
      last.cancel();
    });
    await clock.advance(100);
    expect(heard).toEqual(['first at 10', 'second at 15']);
    expect(clock.now()).toBe(100);
    expect(clock.nextDue()).toBeUndefined();
  });

  it('fire at whole milliseconds, and never too early', async () => {
    const clock = new VirtualClock(0);
    let at = 0;
    clock.after(1.2, () => {
      at = clock.now();
    });
    await clock.advance(10);
    expect(at).toBe(2);
  });
});

describe('time that waits until nothing is under way', () => {
  it('does not move while a chain still hops from turn to turn', async () => {
    const clock = new VirtualClock(0, untilIdle);
    const seen: number[] = [];
    clock.after(1, () => {
      let left = 50;
      const hop = () => {
        left -= 1;
        if (left > 0) setImmediate(hop);
        else seen.push(clock.now());
      };
      hop();
    });
    clock.after(2, () => seen.push(clock.now()));
    await clock.advance(5);
    expect(seen).toEqual([1, 2]);
  });
});
