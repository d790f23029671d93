import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tally } from '../faults/support/shop.ts';
import { byLabel, observeAvailability } from '../support/availability.ts';
import { drainAll, uncordonAll } from './support/drains.ts';
import { holdfast, installHoldfast, upgradedImage } from './support/installation.ts';
import { evictInALoop } from './support/load.ts';
import { note } from './support/notes.ts';
import { deployment, groupPdb, pub, statefulSet } from './support/objects.ts';
import { type NodesScene, nodesScene } from './support/scene.ts';

const shards = ['shard-a', 'shard-b', 'shard-c', 'shard-d'];
const shardSize = 2;
const replicas = 6;
let scene: NodesScene;

beforeAll(async () => {
  scene = await nodesScene();
  await scene.apply(
    deployment('web', replicas),
    ...shards.map((name) =>
      statefulSet(name, shardSize, { part: 'shards', shard: name }, { args: ['--ready-after=3s'] }),
    ),
    pub('web', { selector: { matchLabels: { app: 'web' } }, maxUnavailable: 1 }),
    groupPdb('shards', 'shard', shards.length - 1, { part: 'shards' }),
  );
  await scene.waitReady(replicas, 'app=web');
  await scene.waitReady(shards.length * shardSize, 'part=shards');
  await scene.waitEnforced('pub', 'web');
  await scene.waitEnforced('pdb', 'shards');
});
afterAll(async () => {
  await uncordonAll(scene);
  await scene.close();
});

const observeGroups = () =>
  observeAvailability(scene.cluster, {
    namespace: scene.namespace,
    selector: 'part=shards',
    unitOf: byLabel('shard'),
    minimum: shardSize,
  });

describe('an installation', () => {
  it('[I1] is upgraded under load, and overspends nothing', async () => {
    const observer = await observeAvailability(scene.cluster, { namespace: scene.namespace, selector: 'app=web' });
    const load = evictInALoop(scene, 'app=web', 3);
    await installHoldfast('--image', upgradedImage);
    const answers = await load.stop();
    await observer.caughtUp();
    observer.close();
    note('upgrade under load', JSON.stringify(tally(answers)));
    expect(observer.lowest, observer.describe()).toBeGreaterThanOrEqual(replicas - 1);
    expect(answers.filter(({ code }) => code === 201).length).toBeGreaterThan(0);
    expect(answers.filter(({ code }) => code >= 500).map(({ text }) => text)).toEqual([]);
    const image = await scene.kubectl('-n', 'holdfast-system', 'get', 'deploy', 'holdfast', '-o', 'yaml');
    expect(image.out).toContain(`image: ${upgradedImage}`);
  });

  it('is removed again, and what it held no longer holds: the same drains overspend', async () => {
    await scene.waitReady(shards.length * shardSize, 'part=shards');
    const removed = await holdfast('uninstall');
    expect(removed, removed.err).toMatchObject({ code: 0 });
    const left = await scene.kubectl(
      'get',
      'validatingwebhookconfigurations,mutatingwebhookconfigurations',
      '-o',
      'name',
    );
    expect(left.out).not.toContain('holdfast');
    // The control of every other test here: the observer sees an overspent budget when there is one.
    const observer = await observeGroups();
    await drainAll(['node-1', 'node-2']);
    await observer.caughtUp();
    observer.close();
    expect(observer.lowest, observer.describe()).toBeLessThan(shards.length - 1);
  });

  it('is installed again, and holds the budgets that stayed', async () => {
    await uncordonAll(scene);
    await installHoldfast();
    await scene.waitReady(shards.length * shardSize, 'part=shards');
    await scene.waitEnforced('pdb', 'shards');
    const observer = await observeGroups();
    const drained = await drainAll(['node-3', 'node-4']);
    await observer.caughtUp();
    observer.close();
    expect(
      drained.map(({ code }) => code),
      drained.map(({ err }) => err).join('\n'),
    ).toEqual([0, 0]);
    expect(observer.lowest, observer.describe()).toBeGreaterThanOrEqual(shards.length - 1);
  });
});
