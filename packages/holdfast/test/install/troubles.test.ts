import type { Event, Pod, PodStatus } from 'kubernetes-types/core/v1.js';
import { describe, expect, it } from 'vitest';
import { eventLines, podTroubles } from '../../src/install/troubles.ts';

function pod(status: PodStatus, metadata: object = {}): Pod {
  return { metadata: { name: 'p', ...metadata }, status };
}

const container = { name: 'operator', image: 'x', imageID: '', ready: false, restartCount: 0 };

it('what others wrote comes without control characters', () => {
  const evil = 'no\u001b[2J\u009b31m';
  const waiting = { reason: 'ErrImagePull', message: evil };
  const [trouble] = podTroubles([pod({ containerStatuses: [{ ...container, state: { waiting } }] })]);
  expect(trouble).toBe('pod/p: container operator waits: ErrImagePull: no\ufffd[2J\ufffd31m');
  const involvedObject = { kind: 'Pod', name: 'p' };
  const event: Event = { metadata: {}, involvedObject, type: 'Warning', reason: 'Failed', message: evil };
  expect(eventLines([event])).toEqual(['Failed pod/p: no\ufffd[2J\ufffd31m']);
});

describe('what keeps a pod from being ready', () => {
  it.each<readonly [string, Pod, readonly string[]]>([
    [
      'an image that cannot be pulled',
      pod({
        phase: 'Pending',
        containerStatuses: [
          { ...container, state: { waiting: { reason: 'ImagePullBackOff', message: 'Back-off pulling image "x"' } } },
        ],
      }),
      ['pod/p: container operator waits: ImagePullBackOff: Back-off pulling image "x"'],
    ],
    [
      'a crash',
      pod({
        containerStatuses: [
          {
            ...container,
            state: { waiting: { reason: 'CrashLoopBackOff' } },
            lastState: { terminated: { exitCode: 3 } },
          },
        ],
      }),
      ['pod/p: container operator waits: CrashLoopBackOff; it ended with 3 before'],
    ],
    [
      'no room',
      pod({ conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: '0/3 nodes' }] }),
      ['pod/p: not scheduled: 0/3 nodes'],
    ],
    [
      'a probe',
      pod({
        phase: 'Running',
        conditions: [{ type: 'Ready', status: 'False', message: 'containers with unready status: [operator]' }],
        containerStatuses: [{ ...container, state: { running: {} } }],
      }),
      ['pod/p: Running, not ready: containers with unready status: [operator]'],
    ],
    ['nothing reported yet', {}, ['pod/: Pending, not ready']],
    ['nothing: it is ready', pod({ conditions: [{ type: 'Ready', status: 'True' }] }), []],
    ['nothing: it is going', pod({}, { deletionTimestamp: '2026-01-01T00:00:00Z' }), []],
  ])('%s', (_, one, lines) => {
    expect(podTroubles([one])).toEqual(lines);
  });

  it('is told in lines that a terminal can show, of five pods', () => {
    const message = `one\ntwo ${'x'.repeat(1_000)}`;
    const pods = Array.from({ length: 9 }, () =>
      pod({ conditions: [{ type: 'PodScheduled', status: 'False', message }] }),
    );
    const lines = podTroubles(pods);
    expect(lines).toHaveLength(5);
    expect(lines[0]).toMatch(/^pod\/p: not scheduled: one two x+\.\.\.$/);
    expect(lines[0]?.length).toBeLessThan(310);
  });
});

it('the newest warnings are told, oldest first', () => {
  const event = (second: number, type = 'Warning'): Event => ({
    metadata: {},
    involvedObject: { kind: 'ReplicaSet', name: 'r' },
    type,
    reason: 'FailedCreate',
    message: `quota ${second}`,
    lastTimestamp: `2026-01-01T00:00:0${second}Z`,
  });
  const lines = eventLines([event(7), event(1), event(9, 'Normal'), event(5), event(3), event(2), event(4)]);
  expect(lines).toEqual([2, 3, 4, 5, 7].map((second) => `FailedCreate replicaset/r: quota ${second}`));
});
