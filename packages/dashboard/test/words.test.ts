import { describe, expect, it } from 'vitest';
import { counted, listText, numberText } from '../src/words/counts.ts';
import { agoText, clockText, momentText, spanText } from '../src/words/time.ts';

const minute = 60_000;
const hour = 60 * minute;

describe('lengths of time', () => {
  it.each([
    [0, '0s'],
    [-5_000, '0s'],
    [45_999, '45s'],
    [minute, '1m'],
    [200_000, '3m20s'],
    [2 * hour + 5 * minute + 9_000, '2h5m'],
    [76 * hour, '3d4h'],
  ])('%d ms is %s', (ms, want) => {
    expect(spanText(ms)).toBe(want);
  });

  it('are ages, and clocks that differ make none of the future', () => {
    expect(agoText(1_000, 13_000)).toBe('12s ago');
    expect(agoText(14_000, 13_000)).toBe('just now');
  });

  it.each([
    [0, 't+00:00'],
    [137_000, 't+02:17'],
    [3_737_000, 't+1:02:17'],
  ])('%d ms after the beginning of a simulation is %s', (ms, want) => {
    expect(momentText(ms)).toBe(want);
  });

  it('has a clock in the zone of the reader', () => {
    expect(clockText(new Date(2026, 0, 2, 4, 5, 9).getTime())).toBe('04:05:09');
  });
});

describe('numbers', () => {
  it.each([
    [1, '1 node'],
    [0, '0 nodes'],
    [4_200, '4,200 nodes'],
    [1_234_567, '1,234,567 nodes'],
  ])('%d agree with their noun', (count, want) => {
    expect(counted(count, 'node')).toBe(want);
  });

  it('have commas only between digits', () => {
    expect([999, 1_000].map(numberText)).toEqual(['999', '1,000']);
  });

  it.each([
    [[], ''],
    [['a'], 'a'],
    [['a', 'b'], 'a and b'],
    [['a', 'b', 'c', 'd', 'e'], 'a, b, c and 2 more'],
  ])('lists are cut: %j', (names, want) => {
    expect(listText(names)).toBe(want);
  });
});
