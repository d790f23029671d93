import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MaxTracker } from '../../src/core/world/group-node.ts';

describe('Tally', () => {
  it('has no largest number when it is empty, or empty again', () => {
    const tally = new MaxTracker();
    expect(tally.max).toBeUndefined();
    tally.add(3);
    tally.remove(3);
    expect(tally.max).toBeUndefined();
  });

  it('takes no notice of what is not stated', () => {
    const tally = new MaxTracker();
    tally.add(undefined);
    tally.add(0);
    tally.remove(undefined);
    expect(tally.max).toBe(0);
  });

  it('keeps a number as long as one of those who stated it is left', () => {
    const tally = new MaxTracker();
    for (const value of [2, 5, 5]) tally.add(value);
    tally.remove(5);
    expect(tally.max).toBe(5);
    tally.remove(5);
    expect(tally.max).toBe(2);
  });

  it('forgives the removal of what is not there', () => {
    const tally = new MaxTracker();
    tally.remove(7);
    tally.add(7);
    expect(tally.max).toBe(7);
  });

  it('says the largest of a list that grows and shrinks', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.boolean(), fc.integer({ min: -3, max: 3 }))), (steps) => {
        const tally = new MaxTracker();
        const list: number[] = [];
        for (const [isAdd, value] of steps) {
          if (isAdd) {
            tally.add(value);
            list.push(value);
          } else if (list.includes(value)) {
            tally.remove(value);
            list.splice(list.indexOf(value), 1);
          }
          expect(tally.max).toBe(list.length === 0 ? undefined : Math.max(...list));
        }
      }),
    );
  });
});
