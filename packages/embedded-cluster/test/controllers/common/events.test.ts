import { describe, expect, it } from 'vitest';
import { EventCorrelator } from '../../../src/controllers/common/event-correlator.ts';
import { EventRecorder } from '../../../src/controllers/common/events.ts';
import { ApiError } from '../../../src/errors.ts';
import { FakeCluster } from '../fake-cluster.ts';
import { replicaSet } from '../workloads.ts';

const about = { ...replicaSet('web'), metadata: { name: 'web', namespace: 'default', uid: 'u', resourceVersion: '7' } };

function setUp(): { cluster: FakeCluster; recorder: EventRecorder } {
  const cluster = new FakeCluster();
  return { cluster, recorder: new EventRecorder(cluster.context, cluster.client, 'test-controller') };
}

describe('EventRecorder', () => {
  it('writes an event about the object', async () => {
    const { cluster, recorder } = setUp();
    recorder.event(about, 'Normal', 'Done', 'all done');
    await cluster.quiet();
    const [event] = cluster.view.list('events');
    expect(event?.metadata.name).toMatch(/^web\.[0-9a-f]{15,16}$/);
    expect(event).toMatchObject({
      involvedObject: {
        apiVersion: 'apps/v1',
        kind: 'ReplicaSet',
        namespace: 'default',
        name: 'web',
        uid: 'u',
        resourceVersion: '7',
      },
      reason: 'Done',
      message: 'all done',
      type: 'Normal',
      count: 1,
      source: { component: 'test-controller' },
      firstTimestamp: '2026-01-01T00:00:00Z',
    });
  });

  it('writes only what went wrong, where normal events are off', async () => {
    const { cluster } = setUp();
    const context = { ...cluster.context, normalEvents: false };
    const recorder = new EventRecorder(context, cluster.client, 'test-controller');
    recorder.event(about, 'Normal', 'Done', 'all done');
    recorder.event(about, 'Warning', 'Failed', 'not done');
    await cluster.quiet();
    expect(cluster.view.list('events').map((event) => event['reason'])).toEqual(['Failed']);
  });

  it('counts repetitions in the event that is there', async () => {
    const { cluster, recorder } = setUp();
    recorder.event(about, 'Normal', 'Done', 'all done');
    recorder.event(about, 'Normal', 'Done', 'all done');
    await cluster.clock.advance(60_000);
    recorder.event(about, 'Normal', 'Done', 'all done');
    recorder.event(about, 'Normal', 'Done', 'something else');
    await cluster.quiet();
    const events = cluster.view.list('events');
    expect(events.map((event) => event['count'])).toEqual([3, 1]);
    expect(events[0]).toMatchObject({ firstTimestamp: '2026-01-01T00:00:00Z', lastTimestamp: '2026-01-01T00:01:00Z' });
  });

  it('does not get in the way of another recorder', async () => {
    const { cluster, recorder } = setUp();
    const other = new EventRecorder(cluster.context, cluster.client, 'other-controller');
    recorder.event(about, 'Normal', 'Done', 'first');
    other.event(about, 'Normal', 'Done', 'second');
    await cluster.quiet();
    expect(cluster.view.list('events')).toHaveLength(2);
    expect(cluster.errors).toEqual([]);
  });

  it('starts a new event when the old one has been deleted', async () => {
    const { cluster, recorder } = setUp();
    recorder.event(about, 'Normal', 'Done', 'all done');
    await cluster.quiet();
    const name = cluster.view.list('events')[0]?.metadata.name as string;
    await cluster.client.delete('events', 'default', name);
    recorder.event(about, 'Normal', 'Done', 'all done');
    await cluster.quiet();
    expect(cluster.view.list('events').map((event) => event['count'])).toEqual([1]);
  });

  it.each([
    [403, 0],
    [500, 1],
  ])('goes on after a refusal with %i, and reports %i errors', async (code, reported) => {
    const { cluster, recorder } = setUp();
    cluster.refuse = () => new ApiError({ code, message: 'no' });
    recorder.event(about, 'Normal', 'Done', 'first');
    await cluster.quiet();
    cluster.refuse = () => undefined;
    recorder.event(about, 'Normal', 'Done', 'second');
    await cluster.quiet();
    expect(cluster.events('web')).toEqual(['Done: second']);
    expect(cluster.errors).toHaveLength(reported);
  });
});

describe('EventCorrelator', () => {
  const report = (message: string, involved = 'a') => ({ involved, type: 'Normal', reason: 'Done', message });

  it('combines what is similar after ten different messages', () => {
    const correlator = new EventCorrelator();
    const kinds = Array.from({ length: 12 }, (_, index) => correlator.correlate(report(`m${index}`), 0));
    expect(kinds[9]).toMatchObject({ kind: 'create', message: 'm9' });
    expect(kinds[10]).toMatchObject({ kind: 'create', message: '(combined from similar events): m10' });
  });

  it('drops events of an object that has too many, and lets others pass', () => {
    const correlator = new EventCorrelator();
    const all = Array.from({ length: 30 }, () => correlator.correlate(report('same'), 0).kind);
    expect(all.filter((kind) => kind === 'drop')).toHaveLength(5);
    expect(correlator.correlate(report('same', 'b'), 0).kind).toBe('create');
    expect(correlator.correlate(report('same'), 300_000).kind).toBe('create');
  });
});
