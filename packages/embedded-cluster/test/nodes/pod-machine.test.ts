import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PodObject } from '../../src/controllers/common/workloads.ts';
import { sim } from '../../src/nodes/annotations.ts';
import { beginPod } from '../../src/nodes/pods/begin-pod.ts';
import { applyProbe, type PodStep, stepPod } from '../../src/nodes/pods/pod-machine.ts';
import type { ContainerRecord } from '../../src/nodes/pods/pod-state.ts';
import { phaseOfState, podStatus } from '../../src/nodes/pods/pod-status.ts';
import { clone } from '../../src/objects.ts';
import { podOf } from './sample-pods.ts';

const settings = { speed: 1, startDelayMs: 500, stopDelayMs: 200, jobRunMs: 3000 };
const epoch = Date.UTC(2026, 0, 1);
const addresses = { podIp: '127.10.0.1', hostIp: '127.1.0.1' };

/** A pod on a machine whose time is told. Times are milliseconds since the pod was seen. */
class Life {
  pod: PodObject;
  nowMs = epoch;
  step: PodStep;
  readonly notes: string[] = [];

  constructor(pod: PodObject, start = settings) {
    this.pod = { ...pod, metadata: { uid: 'u1', generation: 1, ...pod.metadata } };
    this.step = { state: beginPod(this.pod, epoch, 0.5, start), notes: [], wakeMs: undefined };
    this.look();
  }

  look(): void {
    this.step = stepPod(this.pod, this.step.state, this.nowMs, settings);
    this.notes.push(...this.step.notes.map(({ reason, message }) => `${reason}: ${message}`));
    this.pod = { ...this.pod, status: podStatus(this.pod, this.step.state, addresses, this.nowMs) };
  }

  /** Looks whenever the machine asks to be looked at. */
  until(ms: number): this {
    const end = epoch + ms;
    for (let wake = this.step.wakeMs; wake !== undefined && wake <= end; wake = this.step.wakeMs) {
      expect(wake).toBeGreaterThan(this.nowMs);
      this.nowMs = wake;
      this.look();
    }
    this.nowMs = end;
    return this;
  }

  change(edit: (draft: PodObject) => void): this {
    const draft = clone(this.pod);
    edit(draft);
    this.pod = draft;
    this.look();
    return this;
  }

  annotate(name: string, value?: string): this {
    return this.change(({ metadata }) => {
      const { [name]: _, ...others } = metadata.annotations ?? {};
      metadata.annotations = value === undefined ? others : { ...others, [name]: value };
    });
  }

  probe(kind: 'startup' | 'liveness' | 'readiness', passed: boolean, container = 'app'): this {
    const { state, notes } = applyProbe(this.step.state, { container, kind, passed }, this.nowMs, settings);
    this.notes.push(...notes.map(({ reason, message }) => `${reason}: ${message}`));
    this.step = { ...this.step, state };
    this.look();
    return this;
  }

  record(name = 'app'): ContainerRecord {
    const record = this.step.state.containers.find((each) => each.name === name);
    if (!record) throw new Error(`no container ${name}`);
    return record;
  }

  /** `running`, `ended 1`, or why it waits. */
  shown(name = 'app'): string {
    const { run } = this.record(name);
    if (run.kind === 'running') return 'running';
    return run.kind === 'ended' ? `ended ${run.ended.exitCode}` : run.reason;
  }

  condition(type: string): string | undefined {
    return this.pod.status?.conditions?.find((each) => each.type === type)?.status;
  }
}

const init = (name: string, more = {}) => ({ name, image: 'init:1', ...more });
const job = [{ apiVersion: 'batch/v1', kind: 'Job', name: 'j', uid: 'j1', controller: true }];

describe('a pod starts', () => {
  it('after its delay, and is ready at once without probes', () => {
    const life = new Life(podOf());
    expect([life.shown(), phaseOfState(life.step.state), life.condition('Ready')]).toEqual([
      'ContainerCreating',
      'Pending',
      'False',
    ]);
    expect(life.pod.status?.podIP).toBeUndefined();
    life.until(499);
    expect(life.shown()).toBe('ContainerCreating');
    life.until(500);
    expect([life.shown(), phaseOfState(life.step.state), life.condition('Ready')]).toEqual([
      'running',
      'Running',
      'True',
    ]);
    expect(life.pod.status?.podIP).toBe('127.10.0.1');
    expect(life.step.wakeMs).toBeUndefined();
  });

  it('after the delay that its annotation asks for', () => {
    const life = new Life(podOf({ annotations: { [sim.startDelay]: '5s' } })).until(4999);
    expect(life.shown()).toBe('ContainerCreating');
    expect(life.until(5000).shown()).toBe('running');
  });

  it('at once where there is no delay, with a single status', () => {
    const life = new Life(podOf(), { ...settings, startDelayMs: 0 });
    expect([life.shown(), life.condition('Ready')]).toEqual(['running', 'True']);
  });

  it('with its init containers one after the other', () => {
    const life = new Life(podOf({ spec: { initContainers: [init('a'), init('b')] } }));
    expect([life.shown('a'), life.shown()]).toEqual(['PodInitializing', 'PodInitializing']);
    life.until(500);
    expect([life.shown('a'), life.shown('b'), life.shown()]).toEqual(['running', 'PodInitializing', 'PodInitializing']);
    expect(life.condition('Initialized')).toBe('False');
    life.until(600);
    expect([life.shown('a'), life.shown('b'), life.shown()]).toEqual(['ended 0', 'running', 'PodInitializing']);
    life.until(700);
    expect([life.shown('b'), life.shown(), life.condition('Initialized')]).toEqual(['ended 0', 'running', 'True']);
  });

  it('with a sidecar that has passed its startup probe before the rest begins', () => {
    const sidecar = init('proxy', { restartPolicy: 'Always', startupProbe: { tcpSocket: { port: 1 } } });
    const life = new Life(podOf({ spec: { initContainers: [sidecar] } })).until(10_000);
    expect([life.shown('proxy'), life.shown()]).toEqual(['running', 'PodInitializing']);
    life.probe('startup', true, 'proxy');
    expect([life.shown('proxy'), life.shown(), life.condition('Ready')]).toEqual(['running', 'running', 'True']);
  });

  it('again where it was, when the simulator has restarted', () => {
    const before = new Life(podOf({ container: { readinessProbe: { tcpSocket: { port: 1 } } } })).until(500);
    before.probe('readiness', true);
    const after = new Life(before.pod);
    expect([after.shown(), after.condition('Ready')]).toEqual(['running', 'True']);
    expect(after.pod.status).toEqual(before.pod.status);
  });
});

describe('probes', () => {
  const probed = (field: string) => podOf({ container: { [field]: { tcpSocket: { port: 1 } } } });

  it('readiness decides whether the pod is ready', () => {
    const life = new Life(probed('readinessProbe')).until(500);
    expect(life.condition('Ready')).toBe('False');
    expect(life.probe('readiness', true).condition('Ready')).toBe('True');
    expect(life.probe('readiness', false).condition('Ready')).toBe('False');
    expect(life.record().restarts).toBe(0);
  });

  it('a container that has not passed its startup probe has not started', () => {
    const life = new Life(probed('startupProbe')).until(500);
    expect(life.pod.status?.containerStatuses?.[0]).toMatchObject({ started: false, ready: false });
    life.probe('startup', true);
    expect(life.pod.status?.containerStatuses?.[0]).toMatchObject({ started: true, ready: true });
  });

  it.each(['liveness', 'startup'] as const)('a failed %s probe restarts the container', (kind) => {
    const life = new Life(probed(`${kind}Probe`)).until(500).probe(kind, false);
    expect(life.shown()).toBe('ended 137');
    expect(life.notes).toContain(`Killing: Container app failed ${kind} probe, will be restarted`);
    expect(life.until(2000).shown()).toBe('running');
    expect(life.record().restarts).toBe(1);
  });

  it('the annotation overrules them, either way', () => {
    const life = new Life(probed('readinessProbe')).until(500).annotate(sim.ready, 'true');
    expect(life.condition('Ready')).toBe('True');
    expect(life.annotate(sim.ready, 'false').probe('readiness', true).condition('Ready')).toBe('False');
    expect(life.annotate(sim.ready).condition('Ready')).toBe('True');
  });

  it('readiness gates hold the pod back, not its containers', () => {
    const life = new Life(podOf({ spec: { readinessGates: [{ conditionType: 'example.com/in' }] } })).until(500);
    expect([life.condition('ContainersReady'), life.condition('Ready')]).toEqual(['True', 'False']);
    life.change((draft) => draft.status?.conditions?.push({ type: 'example.com/in', status: 'True' }));
    expect(life.condition('Ready')).toBe('True');
    expect(life.condition('example.com/in')).toBe('True');
  });
});

describe('Disruptable', () => {
  it('mirrors Ready where the pod has no probe of its own', () => {
    const life = new Life(podOf()).until(500);
    const [ready, mirrored] = ['Ready', 'Disruptable'].map((wanted) =>
      life.pod.status?.conditions?.find(({ type }) => type === wanted),
    );
    expect(mirrored).toEqual({ ...ready, type: 'Disruptable' });
    expect(life.annotate(sim.ready, 'false').condition('Disruptable')).toBe('False');
  });

  it.each([
    ['the field', { container: { disruptionProbe: { tcpSocket: { port: 1 } } } }],
    ['the annotation', { annotations: { 'holdfast.dev/disruption-probe': '{"tcpSocket":{"port":1}}' } }],
    ['an annotation that cannot be read', { annotations: { 'holdfast.dev/disruption-probe': '{' } }],
  ])('is left to the agent where there is a probe in %s', (_name, parts) => {
    const life = new Life(podOf(parts)).until(500);
    expect([life.condition('Ready'), life.condition('Disruptable')]).toEqual(['True', undefined]);
    life.change((draft) => draft.status?.conditions?.push({ type: 'Disruptable', status: 'False' }));
    expect(life.condition('Disruptable')).toBe('False');
  });
});

describe('crashes', () => {
  it('a crash on demand happens once for each request', () => {
    const life = new Life(podOf()).until(1000).annotate(sim.crash, 'now');
    expect([life.shown(), life.step.state.crashed, life.condition('Ready')]).toEqual(['ended 1', true, 'False']);
    life.until(5000);
    expect([life.shown(), life.record().restarts]).toEqual(['running', 1]);
    life.annotate(sim.crash).annotate(sim.crash, 'now');
    expect([life.shown(), life.step.state.crashed]).toEqual(['CrashLoopBackOff', true]);
  });

  it('a request before the container runs waits for it', () => {
    const life = new Life(podOf({ annotations: { [sim.crash]: 'now' } }));
    expect(life.step.state.crashed).toBe(false);
    life.until(500);
    expect([life.shown(), life.step.state.crashed]).toEqual(['ended 1', true]);
    expect(life.until(20_000).record().restarts).toBe(1);
  });

  it('the back-off doubles from 10 seconds to 5 minutes', () => {
    const life = new Life(podOf({ annotations: { [sim.crash]: 'loop' } }), { ...settings, startDelayMs: 0 });
    const started: number[] = [];
    for (let restarts = 0; restarts < 9; restarts += 1) {
      const { run } = life.record();
      expect(run.kind).toBe('running');
      started.push(life.nowMs);
      const wake = life.step.wakeMs ?? 0;
      life.until(wake - epoch);
      life.until((life.step.wakeMs ?? 0) - epoch);
      expect(life.record().restarts).toBe(restarts + 1);
    }
    const between = started.slice(1).map((time, index) => (time - (started[index] ?? 0)) / 1000);
    expect(between).toEqual([2, 11, 21, 41, 81, 161, 301, 301]);
    expect(life.notes.filter((note) => note.startsWith('BackOff'))).not.toHaveLength(0);
  });

  it('while it waits, the last run is shown beside the reason', () => {
    const life = new Life(podOf({ annotations: { [sim.crash]: 'loop' } })).until(4000);
    expect(life.pod.status?.phase).toBe('Running');
    expect(life.pod.status?.containerStatuses?.[0]).toMatchObject({
      restartCount: 1,
      state: {
        waiting: {
          reason: 'CrashLoopBackOff',
          message: 'back-off 10s restarting failed container=app pod=web-0_default(u1)',
        },
      },
      lastState: { terminated: { exitCode: 1, reason: 'Error' } },
    });
  });

  it('the back-off begins again after ten good minutes', () => {
    const life = new Life(podOf()).until(1000);
    life.annotate(sim.crash, 'now').annotate(sim.crash).until(5000);
    life.until(605_000).annotate(sim.crash, 'now');
    expect(life.shown()).toBe('ended 1');
    expect(life.until(606_001).shown()).toBe('running');
  });
});

describe('pods that end', () => {
  const run = (parts: Parameters<typeof podOf>[0]) => new Life(podOf(parts)).until(20_000);

  it('a pod of a Job succeeds after three seconds', () => {
    const life = new Life(podOf({ metadata: { ownerReferences: job }, spec: { restartPolicy: 'Never' } })).until(3400);
    expect(life.pod.status?.phase).toBe('Running');
    life.until(3500);
    expect([life.pod.status?.phase, life.shown(), life.step.wakeMs]).toEqual(['Succeeded', 'ended 0', undefined]);
    const reasons = life.pod.status?.conditions?.map(({ type, status, reason }) => [type, status, reason]);
    expect(reasons).toContainEqual(['Ready', 'False', 'PodCompleted']);
    expect(reasons).toContainEqual(['Initialized', 'True', 'PodCompleted']);
  });

  it.each([
    ['a Job pod that is told to fail fails', { [sim.exit]: '1' }, 'Never', 'Failed', 0],
    ['a Job pod that may restart does', { [sim.exit]: '1' }, 'OnFailure', 'Running', 2],
    ['a Job pod runs as long as it is told', { [sim.runSeconds]: '60' }, 'Never', 'Running', 0],
  ])('%s', (_name, annotations, restartPolicy, phase, restarts) => {
    const life = run({ annotations, metadata: { ownerReferences: job }, spec: { restartPolicy } });
    expect([life.pod.status?.phase, life.record().restarts]).toEqual([phase, restarts]);
  });

  it.each([
    ['Never', '0', 'Succeeded'],
    ['Never', '3', 'Failed'],
    ['OnFailure', '0', 'Succeeded'],
    ['Always', '0', 'Running'],
  ])('a pod that restarts %s and is told to exit with %s is %s', (restartPolicy, exit, phase) => {
    const life = run({ annotations: { [sim.exit]: exit }, spec: { restartPolicy } });
    expect(life.pod.status?.phase).toBe(phase);
  });

  it('a pod that is active for too long fails', () => {
    const life = new Life(podOf({ spec: { activeDeadlineSeconds: 5 } })).until(4999);
    expect(life.pod.status?.phase).toBe('Running');
    expect(life.until(5000).pod.status).toMatchObject({
      phase: 'Failed',
      reason: 'DeadlineExceeded',
      message: 'Pod was active on the node longer than the specified deadline',
      containerStatuses: [{ state: { terminated: { exitCode: 137 } } }],
    });
  });

  it('sidecars end with the containers they serve', () => {
    const spec = { restartPolicy: 'Never', initContainers: [init('proxy', { restartPolicy: 'Always' })] };
    const life = run({ metadata: { ownerReferences: job }, spec });
    expect([life.pod.status?.phase, life.shown('proxy')]).toEqual(['Succeeded', 'ended 0']);
  });
});

describe('images that cannot be pulled', () => {
  it.each([
    ['the tag broken', { container: { image: 'app:broken' } }],
    ['a name of something that does not exist', { container: { image: 'registry.example/does-not-exist:1' } }],
    ['another word for it', { container: { image: 'foo:non-existent' } }],
    ['the annotation', { annotations: { [sim.broken]: 'true' } }],
    ['the annotation with the container’s name', { annotations: { [sim.broken]: 'other,app' } }],
  ])('by %s keep the pod pending, with a back-off', (_name, parts) => {
    const life = new Life(podOf(parts)).until(500);
    expect([life.shown(), life.pod.status?.phase]).toEqual(['ErrImagePull', 'Pending']);
    expect(life.until(2500).shown()).toBe('ImagePullBackOff');
    expect(life.until(12_500).shown()).toBe('ErrImagePull');
    expect(life.record().restarts).toBe(0);
  });

  it('a container recovers as soon as its image can be pulled', () => {
    const life = new Life(podOf({ container: { image: 'app:broken' } })).until(5000);
    life.change((draft) => {
      for (const container of draft.spec.containers) container.image = 'app:2';
    });
    expect([life.shown(), life.record().image]).toEqual(['running', 'app:2']);
  });

  it('the annotation false breaks nothing', () => {
    expect(new Life(podOf({ annotations: { [sim.broken]: 'false' } })).until(500).shown()).toBe('running');
  });
});

describe('changes of a running pod', () => {
  const resized = (life: Life, cpu: string) =>
    life.change((draft) => {
      for (const container of draft.spec.containers) container.resources = { requests: { cpu } };
    });
  const withCpu = (policy: string) => ({
    container: {
      resources: { requests: { cpu: '1' } },
      resizePolicy: [{ resourceName: 'cpu', restartPolicy: policy }],
    },
  });

  const updated = (life: Life, image: string) =>
    life.change((draft) => {
      draft.metadata.generation = (draft.metadata.generation ?? 0) + 1;
      for (const container of draft.spec.containers) container.image = image;
    });
  const seen = (life: Life) => {
    const { containerStatuses: [status] = [], ...rest } = life.pod.status ?? {};
    const observed = (rest as { observedGeneration?: number }).observedGeneration;
    return [observed, life.condition('Ready'), status?.image, status?.restartCount];
  };

  it('a new image is observed at once, and restarts the container when the old one has stopped', () => {
    const life = new Life(podOf({ annotations: { [sim.stopDelay]: '30s', [sim.startDelay]: '20s' } })).until(25_000);
    const before = life.pod.status?.containerStatuses?.[0]?.containerID;
    updated(life, 'app:2');
    expect(seen(life)).toEqual([2, 'True', 'app:1', 0]);
    expect(seen(life.until(54_999))).toEqual([2, 'True', 'app:1', 0]);
    expect(life.pod.status?.containerStatuses?.[0]?.containerID).toBe(before);
    expect(seen(life.until(55_000))).toEqual([2, 'False', 'app:1', 0]);
    expect(seen(life.until(75_000))).toEqual([2, 'True', 'app:2', 1]);
    expect(life.pod.status?.containerStatuses?.[0]?.containerID).not.toBe(before);
  });

  it('what was asked for meanwhile comes after it', () => {
    const life = new Life(podOf({ annotations: { [sim.stopDelay]: '10s' } })).until(1000);
    updated(life, 'app:2');
    updated(life.until(2000), 'app:1');
    expect(seen(life)).toEqual([2, 'True', 'app:1', 0]);
    expect(seen(life.until(11_000))).toEqual([3, 'True', 'app:2', 1]);
    expect(seen(life.until(21_000))).toEqual([3, 'True', 'app:1', 2]);
  });

  it('a container whose spec changed comes back, whatever the restart policy says', () => {
    const pod = podOf();
    const life = new Life({ ...pod, spec: { ...pod.spec, restartPolicy: 'Never' } }).until(1000);
    updated(life, 'app:2').until(2000);
    expect([life.shown(), life.record().restarts]).toEqual(['running', 1]);
  });

  it('new resources show in the status', () => {
    const life = resized(new Life(podOf(withCpu('NotRequired'))).until(1000), '2');
    expect(life.record().restarts).toBe(0);
    expect(life.pod.status?.containerStatuses?.[0]).toMatchObject({
      resources: { requests: { cpu: '2' } },
      allocatedResources: { cpu: '2' },
    });
  });

  it('new resources restart a container that asks for it, and the resize is in progress until then', () => {
    const life = resized(new Life(podOf(withCpu('RestartContainer'))).until(1000), '2');
    expect([life.condition('PodResizeInProgress'), life.record().restarts]).toEqual(['True', 0]);
    life.until(2000);
    expect([life.condition('PodResizeInProgress'), life.record().restarts]).toEqual([undefined, 1]);
    expect(
      resized(new Life(podOf(withCpu('RestartContainer'))).until(1000), '1')
        .until(2000)
        .record().restarts,
    ).toBe(0);
  });

  it('a resize takes as long as the annotation says', () => {
    const pod = podOf({ ...withCpu('NotRequired'), annotations: { [sim.resize]: '5s' } });
    const life = resized(new Life(pod).until(1000), '2');
    const allocated = () => life.pod.status?.containerStatuses?.[0]?.allocatedResources;
    expect([life.condition('PodResizeInProgress'), allocated()]).toEqual(['True', { cpu: '1' }]);
    life.until(6000);
    expect([life.condition('PodResizeInProgress'), allocated()]).toEqual([undefined, { cpu: '2' }]);
  });

  it.each([
    ['deferred', 'Deferred'],
    ['infeasible', 'Infeasible'],
  ])('a resize that the node has no room for is pending: %s', (told, reason) => {
    const life = new Life(podOf({ ...withCpu('RestartContainer'), annotations: { [sim.resize]: told } })).until(1000);
    expect(life.condition('PodResizePending')).toBeUndefined();
    resized(life, '2').until(60_000);
    const pending = life.pod.status?.conditions?.find(({ type }) => type === 'PodResizePending');
    expect(pending).toMatchObject({ status: 'True', reason });
    expect([life.record().restarts, life.condition('Ready')]).toEqual([0, 'True']);
    life.annotate(sim.resize).until(61_000);
    expect([life.condition('PodResizePending'), life.record().restarts]).toEqual([undefined, 1]);
  });
});

describe('deletion', () => {
  const deleted = (life: Life, grace = 30) =>
    life.change(({ metadata }) => {
      metadata.deletionTimestamp = new Date(life.nowMs + grace * 1000).toISOString();
      metadata.deletionGracePeriodSeconds = grace;
    });

  it('ends the containers after their stop delay', () => {
    const life = deleted(new Life(podOf()).until(1000));
    expect([life.shown(), life.condition('Ready')]).toEqual(['running', 'True']);
    expect(life.notes).toContain('Killing: Stopping container app');
    life.until(1200);
    expect([life.shown(), life.step.state.over, life.pod.status?.phase]).toEqual(['ended 0', true, 'Succeeded']);
  });

  it('kills them when the grace period is over', () => {
    const life = deleted(new Life(podOf({ annotations: { [sim.stopDelay]: '1m' } })).until(1000), 5).until(5999);
    expect(life.shown()).toBe('running');
    expect([life.until(6000).shown(), life.pod.status?.phase]).toEqual(['ended 137', 'Failed']);
  });

  it('waits for a preStop hook that sleeps', () => {
    const life = deleted(
      new Life(podOf({ container: { lifecycle: { preStop: { sleep: { seconds: 4 } } } } })).until(1000),
    );
    expect(life.until(5000).shown()).toBe('running');
    expect(life.until(5200).shown()).toBe('ended 0');
  });

  it('a shorter grace period counts from the first request', () => {
    const life = deleted(new Life(podOf({ annotations: { [sim.stopDelay]: '1m' } })).until(1000), 30).until(3000);
    expect(deleted(life, 1).shown()).toBe('ended 137');
  });

  it('does not start what had not started', () => {
    const life = deleted(new Life(podOf()));
    expect([life.until(60_000).shown(), life.pod.status?.phase]).toEqual(['ended 137', 'Failed']);
  });
});

describe('whatever happens', () => {
  const values = fc.constantFrom(
    [sim.crash, 'now'],
    [sim.crash, 'loop'],
    [sim.crash, undefined],
    [sim.exit, '0'],
    [sim.exit, undefined],
    [sim.broken, 'true'],
    [sim.broken, undefined],
    [sim.ready, 'false'],
    [sim.runSeconds, '1'],
    [sim.runSeconds, undefined],
  );
  const deeds = fc.array(
    fc.tuple(fc.nat(30_000), values, fc.constantFrom('readiness', 'liveness', 'startup'), fc.boolean()),
    {
      maxLength: 12,
    },
  );

  it('a second look at the same moment changes nothing, restarts only grow, and wake-ups lie ahead', () => {
    fc.assert(
      fc.property(deeds, fc.constantFrom('Always', 'OnFailure', 'Never'), (list, restartPolicy) => {
        const probe = { tcpSocket: { port: 1 } };
        const container = { readinessProbe: probe, livenessProbe: probe, startupProbe: probe };
        const life = new Life(podOf({ container, spec: { restartPolicy, initContainers: [init('a')] } }));
        let restarts = 0;
        for (const [wait, [name = '', value], kind, passed] of list) {
          life
            .until(life.nowMs - epoch + wait)
            .annotate(name, value)
            .probe(kind as 'readiness', passed);
          const { state, notes } = stepPod(life.pod, life.step.state, life.nowMs, settings);
          expect(state).toEqual(life.step.state);
          expect(notes).toEqual([]);
          expect(life.record().restarts).toBeGreaterThanOrEqual(restarts);
          restarts = life.record().restarts;
          const isReady = life.condition('Ready') === 'True';
          expect(!isReady || life.shown() === 'running').toBe(true);
        }
      }),
    );
  });
});
