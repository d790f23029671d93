import { describe, expect, it } from 'vitest';
import { humanDuration, since } from '../../src/tables/age.ts';

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;
const year = 365 * day;

describe('a duration for people', () => {
  it.each([
    [-2 * second, '<invalid>'],
    [-2 * second + 1, '0s'],
    [-1, '0s'],
    [0, '0s'],
    [999, '0s'],
    [119 * second + 999, '119s'],
    [2 * minute, '2m'],
    [2 * minute + 30 * second, '2m30s'],
    [10 * minute - 1, '9m59s'],
    [10 * minute + 30 * second, '10m'],
    [3 * hour - 1, '179m'],
    [3 * hour, '3h'],
    [3 * hour + 5 * minute, '3h5m'],
    [8 * hour + 59 * minute, '8h'],
    [2 * day - 1, '47h'],
    [2 * day, '2d'],
    [2 * day + 3 * hour, '2d3h'],
    [8 * day + 23 * hour, '8d'],
    [2 * year - 1, '729d'],
    [2 * year, '2y'],
    [2 * year + 3 * day, '2y3d'],
    [8 * year + 100 * day, '8y'],
  ])('of %d milliseconds is %s', (duration, text) => {
    expect(humanDuration(duration)).toBe(text);
  });

  it.each([undefined, null, '', 'yesterday', 5])('since %j is unknown', (timestamp) => {
    expect(since(timestamp, 0)).toBe('<unknown>');
  });
});
