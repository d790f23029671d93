import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import type { DaemonSetObject, NodeObject, PodObject } from '../../../src/controllers/common/workloads.ts';
import { startDaemonSetController } from '../../../src/controllers/daemonset/daemonset-controller.ts';
import { FakeCluster } from '../fake-cluster.ts';
import { daemonSet, node, template } from '../workloads.ts';

const sets = 'apps/daemonsets';
let cluster: FakeCluster;

afterEach(() => cluster.stop());

async function start(nodes: readonly NodeObject[], spec: Partial<DaemonSetObject['spec']> = {}): Promise<void> {
  cluster = new FakeCluster().start(startDaemonSetController);
  for (const one of nodes) await cluster.client.create('nodes', one);
  await cluster.client.create(sets, daemonSet('agent', spec));
  await cluster.run();
}

const three = () => [node('a'), node('b'), node('c')];
const status = () => cluster.get<DaemonSetObject>(sets, 'agent').status;
const places = () =>
  cluster
    .pods()
    .map((pod) => pod.spec.nodeName)
    .sort();
const images = () =>
  cluster
    .pods()
    .map((pod) => pod.spec.containers[0]?.image)
    .sort();
const setImage = (image: string) =>
  cluster.edit<DaemonSetObject>(sets, 'agent', ({ spec }) => {
    spec.template = template(image);
  });
const editNode = (name: string, change: (draft: NodeObject) => void) =>
  cluster.client.modify<NodeObject>('nodes', '', name, (draft) => {
    change(draft);
    return draft;
  });
const serving = () =>
  cluster
    .pods()
    .filter((pod) => !pod.metadata.deletionTimestamp && pod.status?.conditions?.some((one) => one.status === 'True'))
    .length;

describe('DaemonSet controller', () => {
  it('puts one pod on each node, bound by affinity', async () => {
    await start(three());
    expect(places()).toEqual(['a', 'b', 'c']);
    const pod = cluster.pods().find(({ spec }) => spec.nodeName === 'b') as PodObject;
    expect(pod.spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution).toEqual({
      nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['b'] }] }],
    });
    expect(pod.metadata.name).toMatch(/^agent-[a-z0-9]{5}$/);
    expect(pod.spec.tolerations?.map(({ key, effect }) => `${key}:${effect}`)).toEqual([
      'node.kubernetes.io/not-ready:NoExecute',
      'node.kubernetes.io/unreachable:NoExecute',
      'node.kubernetes.io/disk-pressure:NoSchedule',
      'node.kubernetes.io/memory-pressure:NoSchedule',
      'node.kubernetes.io/pid-pressure:NoSchedule',
      'node.kubernetes.io/unschedulable:NoSchedule',
    ]);
    expect(status()).toEqual({
      currentNumberScheduled: 3,
      numberMisscheduled: 0,
      desiredNumberScheduled: 3,
      numberReady: 3,
      observedGeneration: 1,
      updatedNumberScheduled: 3,
      numberAvailable: 3,
    });
  });

  it('follows nodes as they come and go', async () => {
    await start(three());
    await cluster.client.create('nodes', node('d'));
    await cluster.run();
    expect(places()).toEqual(['a', 'b', 'c', 'd']);
  });

  it.each<[string, Partial<DaemonSetObject['spec']['template']['spec']>]>([
    ['a node selector', { nodeSelector: { disk: 'ssd' } }],
    [
      'affinity',
      {
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [{ matchExpressions: [{ key: 'disk', operator: 'In', values: ['ssd', 'nvme'] }] }],
            },
          },
        },
      },
    ],
  ])('chooses nodes by %s, and leaves one that no longer fits', async (_, extra) => {
    const made = template();
    made.spec = { containers: [], ...made.spec, ...extra };
    await start([node('a', { labels: { disk: 'ssd' } }), node('b', { labels: { disk: 'hdd' } })], { template: made });
    expect(places()).toEqual(['a']);
    await editNode('a', ({ metadata }) => {
      metadata.labels = {};
    });
    await editNode('b', ({ metadata }) => {
      metadata.labels = { disk: 'ssd' };
    });
    await cluster.run();
    expect(places()).toEqual(['b']);
  });

  it.each([
    ['NoSchedule keeps what is there', 'NoSchedule', ['a', 'b'], 1],
    ['NoExecute removes it', 'NoExecute', ['b'], 0],
  ])('a taint it does not tolerate: %s', async (_, effect, left, misscheduled) => {
    await start([node('a'), node('b')]);
    await editNode('a', (draft) => {
      draft.spec = { taints: [{ key: 'maintenance', effect }] };
    });
    await cluster.run();
    expect(places()).toEqual(left);
    expect(status()).toMatchObject({ desiredNumberScheduled: 1, numberMisscheduled: misscheduled });
  });

  it('runs on cordoned nodes', async () => {
    const taint = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' };
    await start([node('a', { spec: { unschedulable: true, taints: [taint] } })]);
    expect(places()).toEqual(['a']);
  });

  it('updates one node after the other', async () => {
    await start(three());
    await setImage('app:2');
    let fewest = 3;
    for (let step = 0; step < 12; step += 1) {
      await cluster.quiet();
      fewest = Math.min(fewest, serving());
      await cluster.kubelet();
    }
    expect(images()).toEqual(['app:2', 'app:2', 'app:2']);
    expect(fewest).toBe(2);
    expect(status()).toMatchObject({ updatedNumberScheduled: 3, numberAvailable: 3 });
  });

  it('never stops serving when it may surge', async () => {
    await start(three(), {
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
    });
    await setImage('app:2');
    let fewest = 3;
    let most = 3;
    for (let step = 0; step < 20; step += 1) {
      await cluster.quiet();
      fewest = Math.min(fewest, serving());
      most = Math.max(most, cluster.pods().filter(({ metadata }) => !metadata.deletionTimestamp).length);
      await cluster.kubelet();
    }
    expect(images()).toEqual(['app:2', 'app:2', 'app:2']);
    expect([fewest, most]).toEqual([3, 4]);
  });

  it('does not go on with a broken update, and repairs it with the next one', async () => {
    await start(three());
    await setImage('broken:2');
    await cluster.run();
    expect(images()).toEqual(['app:1', 'app:1', 'broken:2']);
    expect(status()).toMatchObject({ numberUnavailable: 1, updatedNumberScheduled: 1 });
    await setImage('app:3');
    await cluster.run();
    expect(images()).toEqual(['app:3', 'app:3', 'app:3']);
  });

  it('updates only on deletion when told so', async () => {
    await start(three(), { updateStrategy: { type: 'OnDelete' } });
    await setImage('app:2');
    await cluster.run();
    expect(images()).toEqual(['app:1', 'app:1', 'app:1']);
    await cluster.client.delete('pods', 'default', cluster.podNames()[0] as string);
    await cluster.run();
    expect(images()).toEqual(['app:1', 'app:1', 'app:2']);
  });

  it('keeps revisions, and marks pods with the hash of theirs', async () => {
    await start(three(), { revisionHistoryLimit: 1 });
    for (const image of ['app:2', 'app:3', 'app:4']) {
      await setImage(image);
      await cluster.run();
    }
    const kept = cluster.view.list('apps/controllerrevisions', 'default');
    expect(kept.map((one) => one['revision']).sort()).toEqual([3, 4]);
    const hash = kept.find((one) => one['revision'] === 4)?.metadata.labels?.['controller-revision-hash'];
    expect(cluster.pods().map(({ metadata }) => metadata.labels?.['controller-revision-hash'])).toEqual([
      hash,
      hash,
      hash,
    ]);
  });

  it('replaces failed pods, with pauses that grow', async () => {
    await start([node('a')]);
    const failTimes: number[] = [];
    for (let failure = 0; failure < 4; failure += 1) {
      const name = cluster.podNames()[0] as string;
      await cluster.setPod(name, 'failed');
      const from = cluster.clock.now();
      await cluster.clock.advanceUntil(() => cluster.podNames().some((other) => other !== name), 60_000, 100);
      failTimes.push(Math.round((cluster.clock.now() - from) / 1000));
    }
    expect(failTimes).toEqual([0, 1, 2, 4]);
    expect(cluster.events('agent').filter((event) => event.startsWith('FailedDaemonPod'))[0]).toMatch(
      /^FailedDaemonPod: Found failed daemon pod default\/agent-\w+ on node a, will try to kill it$/,
    );
  });

  it('has exactly one pod on each node that fits, however nodes change', async () => {
    const change = fc.record({ name: fc.constantFrom('a', 'b', 'c', 'd'), fits: fc.boolean(), image: fc.nat(2) });
    await fc.assert(
      fc.asyncProperty(fc.array(change, { maxLength: 10 }), async (changes) => {
        const made = (image: number) => {
          const one = template(`app:${image}`);
          one.spec = { containers: [], ...one.spec, nodeSelector: { fits: 'yes' } };
          return one;
        };
        await start([], { template: made(0) });
        const fitting = new Map<string, boolean>();
        for (const { name, fits, image } of changes) {
          const labels = fits ? { fits: 'yes' } : {};
          if (fitting.has(name)) await editNode(name, ({ metadata }) => Object.assign(metadata, { labels }));
          else await cluster.client.create('nodes', node(name, { labels }));
          fitting.set(name, fits);
          await cluster.edit<DaemonSetObject>(sets, 'agent', ({ spec }) => {
            spec.template = made(image);
          });
          await cluster.clock.advance(5);
          await cluster.kubelet();
        }
        await cluster.run();
        cluster.stop();
        expect(places()).toEqual(
          [...fitting]
            .filter(([, fits]) => fits)
            .map(([name]) => name)
            .sort(),
        );
        expect(new Set(images()).size).toBeLessThanOrEqual(1);
      }),
      { numRuns: 30 },
    );
  });
});
