import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sim } from '../../src/nodes/annotations.ts';
import type { KubeObject } from '../../src/objects.ts';
import { VirtualClock } from '../../src/time/virtual-clock.ts';
import { podOf } from './sample-pods.ts';
import { type Simulation, simulate } from './simulation.ts';

let clock: VirtualClock;
let simulation: Simulation;
const virtual = { sockets: false } as const;

beforeEach(async () => {
  clock = new VirtualClock();
  simulation = await simulate(clock, 2);
});

afterEach(async () => {
  await simulation.close();
  expect(simulation.errors).toEqual([]);
});

const http = (more = {}) => ({ httpGet: { port: 8080, path: '/ready' }, ...more });

describe('pods on simulated nodes', () => {
  it('become ready with two writes', async () => {
    simulation.start({ ...virtual, heartbeats: false, lifecycleEvents: false });
    await clock.advance(1000);
    await simulation.create(podOf());
    const before = simulation.store.revision;
    await clock.advance(60_000);
    expect([simulation.condition('Ready'), simulation.store.revision - before]).toEqual(['True', 2]);
    expect(simulation.pod()?.status).toMatchObject({ phase: 'Running', hostIP: '127.1.0.1', podIP: '127.10.0.1' });
  });

  it('become ready with one write where there is no delay', async () => {
    simulation.start({ ...virtual, heartbeats: false, lifecycleEvents: false, startDelayMs: 0 });
    await clock.advance(1000);
    const before = simulation.store.revision;
    await simulation.create(podOf());
    await clock.advance(60_000);
    expect([simulation.condition('Ready'), simulation.store.revision - before]).toEqual(['True', 2]);
  });

  it('say so in events', async () => {
    simulation.start(virtual);
    await simulation.create(podOf());
    await clock.advance(1000);
    expect(simulation.events()).toEqual([
      'Pulled: Container image "app:1" already present on machine',
      'Created: Created container: app',
      'Started: Started container app',
    ]);
  });

  it('are left alone on nodes that are not simulated', async () => {
    await simulation.admin.modify('nodes', '', 'node-1', (draft) => {
      draft.metadata.labels = {};
      return draft;
    });
    simulation.start(virtual);
    await simulation.create(podOf(), podOf({ metadata: { name: 'web-1' }, spec: { nodeName: 'node-2' } }));
    await clock.advance(5000);
    expect(simulation.pod()?.status).toEqual({ phase: 'Pending', qosClass: 'BestEffort' });
    expect(simulation.condition('Ready', 'web-1')).toBe('True');
  });

  it('are gone when they were deleted and have stopped', async () => {
    simulation.start(virtual);
    await simulation.create(podOf());
    await clock.advance(1000);
    await simulation.admin.delete('pods', 'default', 'web-0');
    expect(simulation.pod()?.metadata.deletionTimestamp).toBeDefined();
    await clock.advance(100);
    expect(simulation.condition('Ready')).toBe('True');
    await clock.advance(200);
    expect(simulation.pod()).toBeUndefined();
  });

  it('stay with a terminal phase while finalizers hold them', async () => {
    simulation.start(virtual);
    await simulation.create(podOf({ metadata: { finalizers: ['example.com/wait'] } }));
    await clock.advance(1000);
    await simulation.admin.delete('pods', 'default', 'web-0');
    await clock.advance(60_000);
    expect(simulation.pod()).toMatchObject({
      metadata: { deletionGracePeriodSeconds: 0 },
      status: { phase: 'Succeeded' },
    });
    await simulation.admin.modify('pods', 'default', 'web-0', (draft) => {
      draft.metadata.finalizers = [];
      return draft;
    });
    await clock.advance(1000);
    expect(simulation.pod()).toBeUndefined();
  });

  it('that replace each other under one name have addresses and lives of their own', async () => {
    simulation.start(virtual);
    await simulation.create(podOf());
    await clock.advance(1000);
    await simulation.annotate('pods', 'web-0', sim.crash, 'now');
    await clock.advance(5000);
    const first = simulation.pod()?.status;
    expect(first?.containerStatuses?.[0]?.restartCount).toBe(1);
    await simulation.admin.delete('pods', 'default', 'web-0', { gracePeriodSeconds: 0 });
    await simulation.create(podOf());
    await clock.advance(5000);
    const second = simulation.pod()?.status;
    expect(second?.containerStatuses?.[0]?.restartCount).toBe(0);
    expect(second?.podIP).not.toBe(first?.podIP);
  });

  it('crash once for each request, whose annotation goes away', async () => {
    simulation.start(virtual);
    await simulation.create(podOf());
    await clock.advance(1000);
    for (const restarts of [1, 2]) {
      await simulation.annotate('pods', 'web-0', sim.crash, 'now');
      await clock.advance(15_000);
      expect(simulation.pod()?.metadata.annotations ?? {}).toEqual({});
      expect(simulation.pod()?.status?.containerStatuses?.[0]?.restartCount).toBe(restarts);
      expect(simulation.condition('Ready')).toBe('True');
    }
  });

  it('keep conditions and other fields that others write', async () => {
    simulation.start(virtual);
    await simulation.create(podOf());
    await clock.advance(1000);
    await simulation.admin.modify(
      'pods',
      'default',
      'web-0',
      (draft) => {
        const status = draft['status'] as { conditions: unknown[] };
        status.conditions.push({ type: 'DisruptionTarget', status: 'True', reason: 'Test' });
        return draft;
      },
      { subresource: 'status' },
    );
    await simulation.annotate('pods', 'web-0', sim.ready, 'false');
    await clock.advance(1000);
    expect([simulation.condition('DisruptionTarget'), simulation.condition('Ready')]).toEqual(['True', 'False']);
    expect(simulation.pod()?.status?.qosClass).toBe('BestEffort');
  });

  it('go on as they were when the simulator restarts', async () => {
    const first = simulation.start(virtual);
    await simulation.create(podOf({ container: { readinessProbe: http() } }));
    await clock.advance(20_000);
    const before = simulation.pod();
    first.stop();
    simulation.start(virtual);
    await clock.advance(20_000);
    expect(simulation.pod()).toEqual(before);
  });

  it('do the same with the same seed', async () => {
    const runs = [];
    for (let run = 0; run < 2; run += 1) {
      const time = new VirtualClock();
      const other = await simulate(time, 3, 7);
      other.start(virtual);
      const names = Array.from({ length: 10 }, (_, index) => `web-${index}`);
      for (const [index, name] of names.entries()) {
        const parts = { metadata: { name }, spec: { nodeName: `node-${1 + (index % 3)}` } };
        await other.create(podOf({ ...parts, annotations: { [sim.crash]: 'loop' } }));
      }
      await time.advance(120_000);
      runs.push(other.plane.view.list('pods'));
      await other.close();
    }
    expect(runs[1]).toEqual(runs[0]);
  });
});

describe('probes without sockets', () => {
  it('readiness follows the annotation by the probe’s own thresholds', async () => {
    simulation.start(virtual);
    await simulation.create(podOf({ container: { readinessProbe: http({ periodSeconds: 10, failureThreshold: 3 }) } }));
    await clock.advance(5000);
    expect(simulation.condition('Ready')).toBe('True');
    await simulation.annotate('pods', 'web-0', sim.probe, 'fail');
    await clock.advance(19_000);
    expect(simulation.condition('Ready')).toBe('True');
    await clock.advance(12_000);
    expect(simulation.condition('Ready')).toBe('False');
    expect(simulation.events()).toContain('Unhealthy: Readiness probe failed: HTTP probe failed with statuscode: 500');
    await simulation.annotate('pods', 'web-0', sim.probe, '/other=fail');
    await clock.advance(11_000);
    expect(simulation.condition('Ready')).toBe('True');
  });

  it('cost nothing while nothing changes', async () => {
    simulation.start({ ...virtual, heartbeats: false });
    await simulation.create(
      podOf({ container: { readinessProbe: http({ periodSeconds: 1 }), livenessProbe: http() } }),
    );
    await clock.advance(10_000);
    const before = simulation.store.revision;
    await clock.advance(24 * 60 * 60 * 1000);
    expect(simulation.store.revision).toBe(before);
  });

  it('startup comes first, and liveness restarts what fails', async () => {
    simulation.start(virtual);
    const startupProbe = http({ initialDelaySeconds: 20, failureThreshold: 2 });
    const livenessProbe = { exec: { command: ['true'] }, periodSeconds: 5, failureThreshold: 2 };
    await simulation.create(podOf({ container: { startupProbe, livenessProbe } }));
    await clock.advance(15_000);
    expect(simulation.condition('Ready')).toBe('False');
    await clock.advance(10_000);
    expect(simulation.condition('Ready')).toBe('True');
    await simulation.annotate('pods', 'web-0', sim.execProbe, 'fail');
    await clock.advance(12_000);
    expect(simulation.pod()?.status?.containerStatuses?.[0]?.restartCount).toBe(1);
    expect(simulation.events()).toContain('Killing: Container app failed liveness probe, will be restarted');
    expect(simulation.events()).toContain('Unhealthy: Liveness probe failed: probe failed');
  });

  it('a pod that is being stopped is not restarted, but still asked whether it is ready', async () => {
    simulation.start(virtual);
    const probes = { livenessProbe: http({ failureThreshold: 1 }), readinessProbe: http({ failureThreshold: 1 }) };
    await simulation.create(podOf({ annotations: { [sim.stopDelay]: '25s' }, container: probes }));
    await clock.advance(5000);
    await simulation.admin.delete('pods', 'default', 'web-0');
    await simulation.annotate('pods', 'web-0', sim.probe, 'fail');
    await clock.advance(20_000);
    expect(simulation.condition('Ready')).toBe('False');
    expect(simulation.pod()?.status?.containerStatuses?.[0]).toMatchObject({ restartCount: 0, state: { running: {} } });
    await clock.advance(10_000);
    expect(simulation.pod()).toBeUndefined();
  });

  it.each([
    ['slow', 1, 'False'],
    ['slow', 31, 'True'],
    ['8080=fail', 1, 'False'],
    ['9090=fail', 1, 'True'],
  ])('with %s answers and %i seconds of time Ready is %s', async (mode, timeoutSeconds, ready) => {
    simulation.start(virtual);
    await simulation.create(
      podOf({ annotations: { [sim.probe]: mode }, container: { readinessProbe: http({ timeoutSeconds }) } }),
    );
    await clock.advance(60_000);
    expect(simulation.condition('Ready')).toBe(ready);
  });

  it('go faster with the speed', async () => {
    simulation.start({ ...virtual, speed: 10 });
    await simulation.create(podOf({ container: { readinessProbe: http({ initialDelaySeconds: 50 }) } }));
    await clock.advance(5000);
    expect(simulation.condition('Ready')).toBe('False');
    await clock.advance(1500);
    expect(simulation.condition('Ready')).toBe('True');
  });
});

describe('nodes', () => {
  type Lease = KubeObject & { spec: { renewTime: string } };
  const lease = (name: string) =>
    simulation.plane.view.get<Lease>('coordination.k8s.io/leases', 'kube-node-lease', name);
  const renewed = (name: string) => Date.parse(lease(name)?.spec.renewTime ?? '');
  const ready = (name: string) => simulation.node(name).status?.conditions?.find(({ type }) => type === 'Ready');

  it('report that they are ready, and renew their leases every ten seconds', async () => {
    simulation.start(virtual);
    await clock.advance(100);
    expect([ready('node-1')?.status, ready('node-2')?.status]).toEqual(['True', 'True']);
    expect(lease('node-1')).toMatchObject({
      metadata: { ownerReferences: [{ kind: 'Node', name: 'node-1', uid: simulation.node('node-1').metadata.uid }] },
      spec: { holderIdentity: 'node-1', leaseDurationSeconds: 40 },
    });
    for (let minute = 0; minute < 3; minute += 1) {
      await clock.advance(60_000);
      expect(clock.now() - renewed('node-1')).toBeLessThanOrEqual(10_000);
    }
  });

  it('write their status every five minutes, or when a controller says that they are not well', async () => {
    simulation.start(virtual);
    await clock.advance(100);
    const first = ready('node-1');
    await clock.advance(200_000);
    expect(ready('node-1')).toEqual(first);
    await clock.advance(120_000);
    expect(ready('node-1')).toMatchObject({ lastTransitionTime: first?.lastTransitionTime });
    expect(ready('node-1')?.lastHeartbeatTime).not.toBe(first?.lastHeartbeatTime);
    await simulation.admin.modify(
      'nodes',
      '',
      'node-1',
      (draft) => ({ ...draft, status: { ...(draft['status'] as object), conditions: [] } }),
      { subresource: 'status' },
    );
    await clock.advance(100);
    expect(ready('node-1')?.status).toBe('True');
  });

  it('fall silent when they are cut off, with their pods, and come back', async () => {
    simulation.start(virtual);
    await simulation.create(podOf());
    await clock.advance(1000);
    await simulation.annotate('nodes', 'node-1', sim.down, 'true');
    const since = renewed('node-1');
    await simulation.annotate('pods', 'web-0', sim.ready, 'false');
    await simulation.admin.delete('pods', 'default', 'web-0');
    await clock.advance(600_000);
    expect([renewed('node-1'), simulation.condition('Ready')]).toEqual([since, 'True']);
    expect(clock.now() - renewed('node-2')).toBeLessThanOrEqual(10_000);
    await simulation.annotate('nodes', 'node-1', sim.down, undefined);
    await clock.advance(1000);
    expect(simulation.pod()).toBeUndefined();
    expect(clock.now() - renewed('node-1')).toBeLessThanOrEqual(1000);
  });

  it('that a person creates with the label alone get what a kubelet knows', async () => {
    simulation.start(virtual);
    const metadata = { name: 'mine', labels: { [sim.node]: 'true' } };
    await simulation.admin.create('nodes', { apiVersion: 'v1', kind: 'Node', metadata });
    await simulation.create(podOf({ spec: { nodeName: 'mine' } }));
    await clock.advance(1000);
    expect(simulation.node('mine').status).toMatchObject({
      allocatable: { cpu: '8' },
      nodeInfo: { kubeletVersion: 'v1.37.1' },
    });
    expect([ready('mine')?.status, simulation.condition('Ready')]).toEqual(['True', 'True']);
  });
});

it('a speed that is not above zero is a mistake', () => {
  expect(() => simulation.start({ ...virtual, speed: 0 })).toThrow('speed must be above 0');
});
