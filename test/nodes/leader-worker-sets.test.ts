import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { byLabel, observeAvailability } from '../support/availability.ts';
import { drainAll, uncordonAll } from './support/drains.ts';
import { appSpec } from './support/objects.ts';
import { type NodesScene, nodesScene } from './support/scene.ts';

const groups = 3;
const size = 2;
let scene: NodesScene;

/** As in examples/leaderworkerset.yaml, with its real controller, which replaces a group as a whole. */
beforeAll(async () => {
  scene = await nodesScene();
  const template = { metadata: { labels: { app: 'chat' } }, spec: appSpec({ args: ['--ready-after=1s'] }) };
  await scene.apply(
    {
      apiVersion: 'leaderworkerset.x-k8s.io/v1',
      kind: 'LeaderWorkerSet',
      metadata: { name: 'chat' },
      spec: { replicas: groups, leaderWorkerTemplate: { size, workerTemplate: template } },
    },
    {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name: 'chat', annotations: { 'holdfast.dev/budget-scope': 'PodGroup' } },
      spec: { maxUnavailable: 1, selector: { matchLabels: { app: 'chat' } } },
    },
  );
  await scene.waitReady(groups * size, 'app=chat');
  await scene.waitEnforced('pdb', 'chat');
});
afterAll(async () => {
  await uncordonAll(scene);
  await scene.kubectl('delete', 'leaderworkerset', '--all', '--wait=false');
  await scene.close();
});

describe('a LeaderWorkerSet of the real controller', () => {
  it('[I1] [I10] loses one group at a time while kubectl drains two nodes at once', async () => {
    const observer = await observeAvailability(scene.cluster, {
      namespace: scene.namespace,
      selector: 'app=chat',
      unitOf: byLabel('leaderworkerset.sigs.k8s.io/group-index'),
      minimum: size,
    });
    const drained = await drainAll(['node-1', 'node-2']);
    await observer.caughtUp();
    observer.close();
    expect(
      drained.map(({ code }) => code),
      drained.map(({ err }) => err).join('\n'),
    ).toEqual([0, 0]);
    expect(observer.lowest, observer.describe()).toBeGreaterThanOrEqual(groups - 1);
    const left = (await scene.pods()).filter(({ spec }) => ['node-1', 'node-2'].includes(String(spec['nodeName'])));
    expect(left.map(({ metadata }) => metadata.name)).toEqual([]);
  });
});
