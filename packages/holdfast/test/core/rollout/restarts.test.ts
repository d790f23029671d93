import { expect, test } from 'vitest';
import type { Pod } from '../../../src/api/pod.ts';
import { restartedAt, restartsOf, steadyMs } from '../../../src/core/rollout/restarts.ts';
import { at, iso } from './builders.ts';

function podWith(...containers: readonly [restarts: number, startedAt?: string][]): Pod {
  const containerStatuses = containers.map(([restartCount, startedAt], index) => ({
    name: `c${index}`,
    restartCount,
    state: startedAt === undefined ? {} : { running: { startedAt } },
  }));
  return { metadata: { name: 'web-0' }, status: { containerStatuses } };
}

test.each([
  [0, 10_000],
  [10_000, 10_000],
  [30_000, 30_000],
  [600_000, 600_000],
  [86_400_000, 600_000],
])('with a settle time of %i ms a restarted pod is trusted after %i', (settle, wanted) => {
  expect(steadyMs(settle)).toBe(wanted);
});

test('the restarts of all containers count', () => {
  expect(restartsOf(podWith([2], [3, iso(0)]))).toBe(5);
  expect(restartsOf({ metadata: { name: 'web-0' } })).toBe(0);
});

test('the last restart of a container that runs counts', () => {
  expect(restartedAt(podWith([2, iso(-60)], [1, iso(-20)], [1]))).toBe(at(-20));
});

test.each([
  ['nothing was restarted', podWith([0, iso(-1)])],
  ['what was restarted does not run', podWith([4])],
  ['the time is unreadable', podWith([4, 'soon'])],
  ['there are no containers', { metadata: { name: 'web-0' } }],
])('there was none if %s', (_, pod) => expect(restartedAt(pod)).toBeUndefined());
