import { expect, test } from 'vitest';
import type { Pod } from '../../../src/api/pod.ts';
import { assessReplica, type ReplicaHealth } from '../../../src/core/rollout/rollout-health.ts';
import { at, bare, broken, iso, noon, pod, terminating } from './builders.ts';

const withoutTimes = (source: Pod): Pod => ({
  metadata: {
    name: source.metadata.name,
    ...(source.metadata.deletionTimestamp === undefined ? {} : { deletionTimestamp: 'soon' }),
  },
  status: {
    ...source.status,
    conditions: (source.status?.conditions ?? []).map(({ type, status }) => ({
      type,
      status,
      lastTransitionTime: null,
    })),
  },
});

function withSidecar(startedAt: number): Pod {
  const { metadata, status } = pod('web-0', { restarts: 1, restarted: -20 });
  const sidecar = { name: 'mesh', restartCount: 2, state: { running: { startedAt: iso(startedAt) } } };
  return { metadata, status: { ...status, initContainerStatuses: [sidecar] } };
}

const cases: Record<string, { pod: Pod; minReady?: number; want: ReplicaHealth }> = {
  'running and ready': { pod: pod('web-0'), want: { kind: 'healthy' } },
  'ready since unknown, and no time is asked for': { pod: withoutTimes(pod('web-0')), want: { kind: 'healthy' } },
  'ready since unknown, and a time is asked for': {
    pod: withoutTimes(pod('web-0')),
    minReady: 1,
    want: { kind: 'warmingUp' },
  },
  'ready for less than is asked for': {
    pod: pod('web-0', { changed: -4 }),
    minReady: 5,
    want: { kind: 'warmingUp', until: at(1) },
  },
  'ready for just as long as is asked for': {
    pod: pod('web-0', { changed: -5 }),
    minReady: 5,
    want: { kind: 'healthy' },
  },
  'ready but not running': { pod: pod('web-0', { phase: 'Unknown' }), want: { kind: 'warmingUp' } },
  'no status at all': { pod: { metadata: pod('web-0').metadata }, want: { kind: 'broken', since: at(-7200) } },
  'pending without conditions': { pod: bare('web-0', 'old', -9), want: { kind: 'broken', since: at(-9) } },
  'not ready since it changed': { pod: broken('web-0'), want: { kind: 'broken', since: at(-600) } },
  'not ready since before it was created': {
    pod: broken('web-0', 'old', { created: -3, changed: -600 }),
    want: { kind: 'broken', since: at(-3) },
  },
  'not ready since unknown': { pod: withoutTimes(broken('web-0')), want: { kind: 'broken' } },
  'other conditions are not looked at': {
    pod: {
      ...bare('web-0', 'old', -9),
      status: { phase: 'Running', conditions: [{ type: 'Initialized', status: 'True' }] },
    },
    want: { kind: 'broken', since: at(-9) },
  },
  failed: { pod: broken('web-0', 'old', { phase: 'Failed' }), want: { kind: 'finished', since: at(-600) } },
  'succeeded, although it still says ready': {
    pod: pod('web-0', { phase: 'Succeeded' }),
    want: { kind: 'finished', since: at(-3600) },
  },
  'failed since unknown': {
    pod: withoutTimes(broken('web-0', 'old', { phase: 'Failed' })),
    want: { kind: 'finished' },
  },
  'terminating, although it is ready': {
    pod: terminating('web-0'),
    want: { kind: 'terminating' },
  },
  'ready, and restarted a moment ago': {
    pod: pod('web-0', { restarts: 1, restarted: -9 }),
    want: { kind: 'unsteady', until: at(1) },
  },
  'ready, and restarted long enough ago': {
    pod: pod('web-0', { restarts: 5, restarted: -10 }),
    want: { kind: 'healthy' },
  },
  'started a moment ago for the first time': {
    pod: pod('web-0', { restarts: 0, restarted: -1 }),
    want: { kind: 'healthy' },
  },
  'restarted at an unknown time': { pod: pod('web-0', { restarts: 1 }), want: { kind: 'healthy' } },
  'restarted a moment ago, and not ready': {
    pod: broken('web-0', 'old', { restarts: 1, restarted: -1 }),
    want: { kind: 'broken', since: at(-600) },
  },
  'minReadySeconds come before what is trusted': {
    pod: pod('web-0', { changed: -1, restarts: 1, restarted: -1 }),
    minReady: 2,
    want: { kind: 'warmingUp', until: at(1) },
  },
  'a sidecar that was restarted counts': {
    pod: withSidecar(-3),
    want: { kind: 'unsteady', until: at(7) },
  },
};

for (const [sentence, { pod: subject, minReady = 0, want }] of Object.entries(cases)) {
  test(sentence, () =>
    expect(assessReplica(subject, { minReadySeconds: minReady, steadyMs: 10_000, now: noon })).toStrictEqual(want),
  );
}
