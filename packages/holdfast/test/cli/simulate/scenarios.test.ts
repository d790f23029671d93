import { describe, expect, it } from 'vitest';
import type { LoadedObject } from '../../../src/cli/load-objects.ts';
import { mostDownAtOnce } from '../../../src/cli/simulate/records/figures.ts';
import { isFinished, type NodeResult } from '../../../src/cli/simulate/simulation-result.ts';
import { app, eventsOf, node, object, pdb, simulated } from './snapshots.ts';

const nodes = [node('n1', 'a'), node('n2', 'b'), node('n3', 'b'), node('n4', 'c')];

describe('what can be simulated', () => {
  it('drains all nodes of a zone together, within the budget', async () => {
    const shop = [...nodes, ...app('web', ['n2', 'n3', 'n4']), pdb('web', { minAvailable: 2 })];
    const result = await simulated(shop, ['zone', 'b']);
    expect(isFinished(result)).toBe(true);
    expect(result.scenario).toEqual({ kind: 'zone', zone: 'b', nodes: ['n2', 'n3'] });
    expect(result.nodes.map(({ begun, evicted }) => ({ begun, evicted }))).toEqual([
      { begun: 0, evicted: 1 },
      { begun: 0, evicted: 1 },
    ]);
    expect(result.budgets).toMatchObject([{ unit: 'pod', desired: 2, available: 3, lowest: 2 }]);
    for (const { pod } of eventsOf(result, 'ready')) expect(['n1', 'n4']).toContain(pod.node);
  });

  it('upgrades one node after the other; each is back after its time', async () => {
    const result = await simulated([...nodes, ...app('web', ['n1', 'n2'])], ['upgrade', '--node-time', '1m']);
    expect(isFinished(result)).toBe(true);
    expect(result.nodes.map(({ name }) => name)).toEqual(['n1', 'n2', 'n3', 'n4']);
    for (const [index, one] of result.nodes.entries()) {
      expect(one.back).toBe((one.drained ?? 0) + 60_000);
      const before = result.nodes[index - 1];
      if (before !== undefined) expect(one.begun).toBeGreaterThanOrEqual(before.back ?? Number.NaN);
    }
  });

  it('upgrades as many nodes at once as is said, of those that are chosen', async () => {
    const words = ['upgrade', '-l', 'pool in (pool-a,pool-b)', '--max-unavailable', '67%', '--node-time', '1m'];
    const result = await simulated([...nodes, ...app('web', ['n1', 'n2'])], words);
    expect(result.scenario).toMatchObject({ nodes: ['n1', 'n2', 'n3'], maxUnavailable: 2 });
    expect(awayAtOnce(result.nodes)).toBe(2);
  });

  it('takes a pod at its word that cannot be lost, and asks no replacement before it is ready', async () => {
    const probe = {
      'holdfast.dev/disruption-probe': '{"httpGet":{"path":"/disruptable","port":8080},"periodSeconds":5}',
    };
    const no = [{ type: 'Disruptable', status: 'False', reason: 'ProbeFailed' }];
    const db = [...app('db', ['n1', 'n2'], { annotations: probe, conditions: no }), pdb('db', { maxUnavailable: 1 })];
    const result = await simulated([...nodes, ...db], ['drain', 'n1']);
    expect(result.unfinished).toMatchObject([{ pod: { name: 'db-0' } }]);
    expect(result.unfinished[0]?.why).toContain('reports that it cannot be disrupted now');
    expect(result.notes.join()).toContain('pod shop/db-0: said by its disruption probe');
    const willing = await simulated(
      [...nodes, ...app('db', ['n1', 'n2'], { annotations: probe }), pdb('db', { maxUnavailable: 1 })],
      ['drain', 'n1', 'n2'],
    );
    expect(isFinished(willing)).toBe(true);
    const [first, second] = eventsOf(willing, 'evicted');
    // The replacement has to start and to be asked before the second may go.
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThan(15_000);
  });

  it('knows groups that only a PodUnavailableBudget makes of a label, also when the last pod of one is gone', async () => {
    const labelled = (name: string, on: readonly string[]) => app(name, on).map((one) => withLabel(one, 'shard', name));
    const pub = object('policy.kruise.io/v1alpha1', 'PodUnavailableBudget', 'shards', {
      spec: {
        selector: { matchExpressions: [{ key: 'shard', operator: 'Exists' }] },
        minAvailable: 1,
        podGroupPolicy: { groupLabelKey: 'shard', minReadyReplicas: 1 },
      },
    });
    const objects = [...nodes, ...labelled('a', ['n1']), ...labelled('b', ['n1']), pub];
    const result = await simulated(objects, ['drain', 'n1']);
    expect(isFinished(result)).toBe(true);
    expect(result.groups).toMatchObject([
      { namespace: 'shop', name: 'a', down: [{ from: expect.any(Number), to: expect.any(Number) }] },
      { namespace: 'shop', name: 'b', down: [{ from: expect.any(Number), to: expect.any(Number) }] },
    ]);
    expect(mostDownAtOnce(result.groups, result.durationMs)).toBe(1);
    expect(result.budgets).toMatchObject([{ unit: 'group', desired: 1, available: 2, lowest: 1 }]);
  });

  it('tells which pods find no room elsewhere, and what the scheduler says', async () => {
    const result = await simulated(
      [node('n1'), node('n2'), ...app('web', ['n1', 'n2'], { cpu: '6' })],
      ['drain', 'n1'],
    );
    expect(result.nodes).toMatchObject([{ name: 'n1', evicted: 1 }]);
    expect(result.pending).toHaveLength(1);
    expect(result.pending[0]?.why).toContain('Insufficient cpu');
    expect(eventsOf(result, 'unschedulable')).toHaveLength(1);
    expect(isFinished(result)).toBe(false);
  });

  it('does not take the blame for pods that had no place before', async () => {
    const [set, first] = app('web', ['n1', 'n1'], { cpu: '6' });
    const objects = [node('n1'), node('n2', 'a', '1'), set, first] as typeof nodes;
    const result = await simulated(objects, ['drain', 'n2']);
    expect(result.notes.join()).toContain('1 pod had no place before it began');
    expect(result.pending).toEqual([]);
    expect(isFinished(result)).toBe(true);
  });

  it('says of owners whose controllers are not there that their pods are not replaced', async () => {
    const uid = 'ray';
    const owner = { apiVersion: 'ray.io/v1', kind: 'RayCluster', name: 'train', uid, controller: true };
    const pods = ['n1', 'n2'].map((nodeName, index) =>
      object(
        'v1',
        'Pod',
        `train-${index}`,
        {
          spec: { nodeName, containers: [{ name: 'main', image: 'ray:1' }] },
          status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
        },
        { labels: { app: 'train' }, ownerReferences: [owner] },
      ),
    );
    const cluster = object('ray.io/v1', 'RayCluster', 'train', { spec: { anything: { is: 'kept' } } }, { uid });
    const result = await simulated([...nodes, cluster, ...pods], ['drain', 'n1']);
    expect(result.notes.join('\n')).toContain(
      '1 pod belongs to 1 RayCluster'.replace('1 pod belongs', '2 pods belong'),
    );
    expect(eventsOf(result, 'evicted')).toHaveLength(1);
    expect(eventsOf(result, 'ready')).toEqual([]);
  });

  it('begins when what the controllers still had to do is done', async () => {
    const [set, first] = app('web', ['n1', 'n2']);
    // One of two pods is missing, and takes its time.
    const objects = [...nodes, set, first, pdb('web', { minAvailable: 1 })] as typeof nodes;
    const result = await simulated(objects, ['drain', 'n4'], { podStartMs: 600_000 });
    expect(result.budgets).toMatchObject([{ available: 2, lowest: 2 }]);
    expect(eventsOf(result, 'ready')).toEqual([]);
  });

  it('does not take a pod that ends slowly for a standstill', async () => {
    const slow = app('web', ['n1']).map((one) => {
      const spec = { ...(one['spec'] as object), terminationGracePeriodSeconds: 3_600 };
      return one.kind === 'Pod'
        ? { ...one, spec, metadata: { ...one.metadata, annotations: { 'sim.holdfast.dev/stop-delay': '30m' } } }
        : one;
    }) as typeof nodes;
    const result = await simulated([...nodes, ...slow], ['drain', 'n1']);
    expect(isFinished(result)).toBe(true);
    expect(result.nodes[0]?.drained).toBeGreaterThanOrEqual(1_800_000);
  });

  it('leaves a pod that was not ready as it was, and its replacement gets ready', async () => {
    const [set, first, ...rest] = app('web', ['n1', 'n2']);
    const broken = {
      ...first,
      status: {
        phase: 'Running',
        conditions: [{ type: 'Ready', status: 'False' }],
        containerStatuses: [
          {
            name: 'main',
            image: 'app:1',
            imageID: '',
            ready: false,
            started: true,
            restartCount: 3,
            state: { running: {} },
          },
        ],
      },
    };
    const objects = [...nodes, set, broken, ...rest, pdb('web', { minAvailable: 1 })] as typeof nodes;
    const idle = await simulated(objects, ['drain', 'n4']);
    expect(idle.notes.join()).toContain('pod shop/web-0: not ready in the snapshot, and stays so');
    expect(idle.budgets).toMatchObject([{ available: 1, lowest: 1 }]);
    const drained = await simulated(objects, ['drain', 'n1']);
    expect(eventsOf(drained, 'ready')).toHaveLength(1);
  });

  it('leaves pods of DaemonSets where they are, and says of bare pods that they do not come back', async () => {
    const bare = object('v1', 'Pod', 'bare', { spec: { ...podSpec, nodeName: 'n1' }, status: running });
    const labels = { app: 'log' };
    const spec = {
      updateStrategy: { type: 'OnDelete' },
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: podSpec },
    };
    const everywhere = object('apps/v1', 'DaemonSet', 'log', { spec }, { uid: 'daemonset-log' });
    const daemons = nodes.map(({ metadata: { name } }) =>
      ownedPod(`log-${name}`, name, { kind: 'DaemonSet', name: 'log', uid: 'daemonset-log' }, labels),
    );
    const result = await simulated([...nodes, everywhere, ...daemons, bare], ['drain', 'n1']);
    const notes = result.notes.join();
    expect(notes).toContain('shop/bare: no controller; will not be recreated');
    expect(notes).toContain('shop/log-n1: of a DaemonSet; stays on its node');
    expect(eventsOf(result, 'evicted').map(({ pod }) => pod.name)).toEqual(['bare']);
    expect(eventsOf(result, 'removed')).toEqual([]);
    expect(isFinished(result)).toBe(true);
  });

  it('lets Jobs run on, replaces their pods, and starts no new ones', async () => {
    const labels = { 'batch.kubernetes.io/job-name': 'train', 'batch.kubernetes.io/controller-uid': 'job-train' };
    const template = { metadata: { labels }, spec: { ...podSpec, restartPolicy: 'Never' } };
    const job = object('batch/v1', 'Job', 'train', { spec: { template, backoffLimit: 6 } }, { uid: 'job-train' });
    const pod = ownedPod(
      'train-x',
      'n1',
      { apiVersion: 'batch/v1', kind: 'Job', name: 'train', uid: 'job-train' },
      labels,
    );
    const cron = object('batch/v1', 'CronJob', 'often', {
      spec: { schedule: '* * * * *', jobTemplate: { spec: { template } } },
    });
    const still = { ...pod, spec: { ...(pod['spec'] as object), restartPolicy: 'Never' } };
    const result = await simulated([...nodes, job, still, cron], ['drain', 'n1']);
    expect(result.notes).toContain('1 CronJob starts nothing');
    expect(eventsOf(result, 'evicted').map(({ pod: { name } }) => name)).toEqual(['train-x']);
    expect(eventsOf(result, 'ready')).toHaveLength(1);
    expect(isFinished(result)).toBe(true);
  });
});

const podSpec = { containers: [{ name: 'main', image: 'app:1' }] };
const running = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };

function ownedPod(name: string, nodeName: string, owner: object, labels: object): LoadedObject {
  const ownerReferences = [{ apiVersion: 'apps/v1', controller: true, ...owner }];
  return object(
    'v1',
    'Pod',
    name,
    { spec: { ...podSpec, nodeName }, status: running },
    { uid: `pod-${name}`, labels, ownerReferences },
  );
}

/** Into the pods, and into the template that they are made from. */
function withLabel(one: LoadedObject, key: string, value: string): LoadedObject {
  const labels = { ...(one.metadata['labels'] as object), [key]: value };
  if (one.kind === 'Pod') return { ...one, metadata: { ...one.metadata, labels } };
  const spec = one['spec'] as { template: { metadata: { labels: object } } };
  const metadata = { ...spec.template.metadata, labels: { ...spec.template.metadata.labels, [key]: value } };
  return { ...one, spec: { ...spec, template: { ...spec.template, metadata } } };
}

function awayAtOnce(all: readonly NodeResult[]): number {
  const counts = all.map(
    ({ begun = 0 }) => all.filter((one) => (one.begun ?? 0) <= begun && (one.back ?? 0) > begun).length,
  );
  return Math.max(...counts);
}
