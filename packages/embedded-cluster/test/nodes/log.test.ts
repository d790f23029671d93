import { describe, expect, it } from 'vitest';
import { sim } from '../../src/nodes/annotations.ts';
import { logOf } from '../../src/nodes/streams/log.ts';
import { logAnswer, readLogQuery } from '../../src/nodes/streams/log-request.ts';
import { podOf } from './sample-pods.ts';

const started = '2026-01-01T00:00:00Z';
const later = '2026-01-01T00:00:10Z';

const running = podOf({
  annotations: { [sim.log]: 'one\ntwo' },
  status: {
    conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: later }],
    containerStatuses: [
      {
        name: 'app',
        image: 'app:1',
        imageID: '',
        ready: true,
        restartCount: 1,
        state: { running: { startedAt: started } },
        lastState: {
          terminated: { exitCode: 1, startedAt: '2025-12-31T23:00:00Z', finishedAt: '2025-12-31T23:59:00Z' },
        },
      },
    ],
  },
});

const waiting = (reason: string, more = {}) =>
  podOf({
    status: {
      containerStatuses: [
        {
          name: 'app',
          image: 'app:1',
          imageID: '',
          ready: false,
          restartCount: 0,
          state: { waiting: { reason } },
          ...more,
        },
      ],
    },
  });

describe('the log of a container', () => {
  it.each([
    [{}, 'container app started from app:1\none\ntwo\nready\n'],
    [{ tailLines: 2 }, 'two\nready\n'],
    [{ tailLines: 0 }, ''],
    [{ tailLines: 1, timestamps: true }, '2026-01-01T00:00:10.000000000Z ready\n'],
    [{ limitBytes: 9 }, 'container'],
    [{ sinceMs: Date.parse(later) }, 'ready\n'],
    [{ previous: true, tailLines: 1 }, 'exiting with code 1\n'],
  ])('with %j is %j', (options, expected) => {
    expect(logOf(running, 'app', options)).toBe(expected);
  });

  it.each([
    [waiting('ContainerCreating'), {}, 'container "app" in pod "web-0" is waiting to start: ContainerCreating'],
    [
      waiting('ImagePullBackOff'),
      {},
      'container "app" in pod "web-0" is waiting to start: trying and failing to pull image',
    ],
    [waiting('ContainerCreating'), { previous: true }, 'previous terminated container "app" in pod "web-0" not found'],
  ])('that is not there is refused (%#)', (pod, options, message) => {
    expect(() => logAnswer(pod, 'app', options)).toThrow(expect.objectContaining({ code: 400, message }));
  });

  it('of a container that waits to be restarted is the one of its last run', () => {
    const lastState = { terminated: { exitCode: 2, startedAt: started, finishedAt: later } };
    expect(logAnswer(waiting('CrashLoopBackOff', { lastState }), 'app', { tailLines: 1 })).toBe(
      'exiting with code 2\n',
    );
  });

  it('of a pod without a node is empty', () => {
    const { nodeName: _, ...spec } = podOf().spec;
    expect(logAnswer({ ...podOf(), spec }, 'app', {})).toBe('');
  });
});

describe('options of a log request', () => {
  it('are read from the query', () => {
    const query =
      'container=a&follow=true&previous=1&timestamps=true&tailLines=5&limitBytes=7&sinceTime=2026-01-01T00:00:00Z';
    expect(readLogQuery(new URLSearchParams(query), 'p')).toEqual({
      container: 'a',
      follow: true,
      options: { previous: true, timestamps: true, tailLines: 5, limitBytes: 7, sinceMs: Date.parse(started) },
    });
  });

  it.each([
    [
      'tailLines=-1',
      422,
      'PodLogOptions "p" is invalid: tailLines: Invalid value: -1: must be greater than or equal to 0',
    ],
    ['limitBytes=0', 422, 'PodLogOptions "p" is invalid: limitBytes: Invalid value: 0: must be greater than 0'],
    ['tailLines=x', 400, 'strconv.ParseInt: parsing "x": invalid syntax'],
  ])('%s is refused', (query, code, message) => {
    expect(() => readLogQuery(new URLSearchParams(query), 'p')).toThrow(expect.objectContaining({ code, message }));
  });
});
