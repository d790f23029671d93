import type { Deployment, StatefulSet } from 'kubernetes-types/apps/v1.js';
import type { Pod } from 'kubernetes-types/core/v1.js';
import type { PodDisruptionBudget } from 'kubernetes-types/policy/v1.js';
import { describe, expect, it } from 'vitest';
import { lwsCrd } from '../../src/controllers/leaderworkerset/lws-crd.ts';
import type { KubeObject } from '../../src/objects.ts';
import { aSimulation, type Simulation } from './a-simulation.ts';

const template = (app: string, image = 'app:1') => ({
  metadata: { labels: { app } },
  spec: { containers: [{ name: 'main', image, readinessProbe: { httpGet: { path: '/', port: 8080 } } }] },
});

function workload(kind: string, name: string, replicas: number, spec: object = {}): KubeObject {
  return {
    apiVersion: 'apps/v1',
    kind,
    metadata: { name, namespace: 'default' },
    spec: { replicas, selector: { matchLabels: { app: name } }, template: template(name), ...spec },
  };
}

function budget(name: string, minAvailable: number): KubeObject {
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name, namespace: 'default' },
    spec: { minAvailable, selector: { matchLabels: { app: name } } },
  };
}

const readyPods = (simulation: Simulation, app: string) =>
  simulation.view
    .list<KubeObject>('pods', 'default')
    .filter((pod) => pod.metadata.labels?.['app'] === app && !pod.metadata.deletionTimestamp)
    .filter((pod) =>
      (pod as unknown as Pod).status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True'),
    );

async function aRun(seed: number): Promise<Simulation> {
  const simulation = await aSimulation(seed, 6);
  const { client, clock } = simulation;
  await clock.advance(2_000);
  await client.create('apps/deployments', workload('Deployment', 'web', 4));
  await client.create('apps/statefulsets', workload('StatefulSet', 'db', 3, { serviceName: 'db' }));
  await client.create('policy/poddisruptionbudgets', budget('web', 3));
  await clock.advance(30_000);
  return simulation;
}

describe('a cluster in virtual time', () => {
  it('brings workloads up, and nothing goes wrong on the way', async () => {
    const simulation = await aRun(1);
    expect(readyPods(simulation, 'web')).toHaveLength(4);
    expect(
      readyPods(simulation, 'db')
        .map(({ metadata }) => metadata.name)
        .sort(),
    ).toEqual(['db-0', 'db-1', 'db-2']);
    const web = simulation.view.get('apps/deployments', 'default', 'web') as unknown as Deployment;
    expect(web.status).toMatchObject({ readyReplicas: 4, availableReplicas: 4, observedGeneration: 1 });
    const db = simulation.view.get('apps/statefulsets', 'default', 'db') as unknown as StatefulSet;
    expect(db.status).toMatchObject({ readyReplicas: 3, currentReplicas: 3 });
    const pdb = simulation.view.get('policy/poddisruptionbudgets', 'default', 'web') as unknown as PodDisruptionBudget;
    expect(pdb.status).toMatchObject({ disruptionsAllowed: 1, currentHealthy: 4, desiredHealthy: 3, expectedPods: 4 });
    expect(simulation.reports).toEqual([]);
    simulation.stop();
  });

  it('comes to rest: an hour without changes costs heartbeats, the events of its beginning, and nothing else', async () => {
    const simulation = await aRun(2);
    const before = simulation.writes.length;
    await simulation.clock.advance(3_600_000);
    const others = simulation.writes
      .slice(before)
      .filter((line) => !/ MODIFIED (coordination\.k8s\.io\/leases|nodes) | DELETED events /.test(line));
    expect(others).toEqual([]);
    simulation.stop();
  });

  it('runs the same way twice from one seed, and another way from another', async () => {
    const [first, second, third] = [await aRun(7), await aRun(7), await aRun(8)];
    expect(second.writes).toEqual(first.writes);
    expect(third.writes).not.toEqual(first.writes);
    for (const simulation of [first, second, third]) simulation.stop();
  });

  it('serves in groups: a crash in one of them takes that group down and brings it back, and no other', async () => {
    const simulation = await aSimulation(5, 6);
    const { client, clock, view } = simulation;
    await client.create('apiextensions.k8s.io/customresourcedefinitions', lwsCrd);
    await clock.advance(2_000);
    await client.create('leaderworkerset.x-k8s.io/leaderworkersets', {
      apiVersion: 'leaderworkerset.x-k8s.io/v1',
      kind: 'LeaderWorkerSet',
      metadata: { name: 'llm', namespace: 'default' },
      spec: { replicas: 2, leaderWorkerTemplate: { size: 3, workerTemplate: template('llm') } },
    });
    await clock.advance(60_000);
    const uids = (group: string) =>
      readyPods(simulation, 'llm')
        .filter(({ metadata }) => metadata.labels?.['leaderworkerset.sigs.k8s.io/group-index'] === group)
        .map(({ metadata }) => metadata.uid)
        .sort();
    expect([uids('0').length, uids('1').length]).toEqual([3, 3]);
    const before = { broken: uids('0'), other: uids('1') };
    await client.modify('pods', 'default', 'llm-0-1', (draft: KubeObject) => ({
      ...draft,
      metadata: { ...draft.metadata, annotations: { ...draft.metadata.annotations, 'sim.holdfast.dev/crash': 'now' } },
    }));
    await clock.advance(120_000);
    expect(uids('1')).toEqual(before.other);
    expect(uids('0')).toHaveLength(3);
    expect(uids('0').filter((uid) => before.broken.includes(uid))).toEqual([]);
    expect(view.get('leaderworkerset.x-k8s.io/leaderworkersets', 'default', 'llm')?.['status']).toMatchObject({
      readyReplicas: 2,
    });
    simulation.stop();
  });

  it('replaces the pods of a node that is gone, after the time that pods tolerate', async () => {
    const simulation = await aRun(3);
    const { client, clock, view } = simulation;
    const node = (readyPods(simulation, 'web')[0] as unknown as Pod).spec?.nodeName ?? '';
    const lost = readyPods(simulation, 'web').filter((pod) => (pod as unknown as Pod).spec?.nodeName === node);
    await client.modify('nodes', '', node, (draft: KubeObject) => ({
      ...draft,
      metadata: { ...draft.metadata, annotations: { ...draft.metadata.annotations, 'sim.holdfast.dev/down': 'true' } },
    }));
    await clock.advance(120_000);
    expect(readyPods(simulation, 'web')).toHaveLength(4 - lost.length);
    await clock.advance(400_000);
    expect(readyPods(simulation, 'web')).toHaveLength(4);
    expect(view.get('nodes', '', node)?.['spec']).toMatchObject({
      taints: expect.arrayContaining([
        expect.objectContaining({ key: 'node.kubernetes.io/unreachable', effect: 'NoExecute' }),
      ]),
    });
    simulation.stop();
  });
});
