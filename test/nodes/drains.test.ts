import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectDone, expectNotNow } from '../e2e/support/refusals.ts';
import { disruptionsIn } from '../kubernetes/audit.ts';
import { byLabel, observeAvailability } from '../support/availability.ts';
import { made } from '../support/cluster.ts';
import { breakOnPurpose } from './support/break-on-purpose.ts';
import { drainAll, uncordonAll } from './support/drains.ts';
import { note } from './support/notes.ts';
import { deployment, groupPdb, pub, statefulSet } from './support/objects.ts';
import { countCodes, type NodesScene, nodesScene } from './support/scene.ts';

const replicas = 6;
const shards = ['shard-a', 'shard-b', 'shard-c', 'shard-d'];
const shardSize = 2;
let scene: NodesScene;

/** An application whose pods serve by themselves, and one whose pods serve in pairs. */
beforeAll(async () => {
  scene = await nodesScene();
  await scene.apply(
    deployment('web', replicas, { args: ['--ready-after=1s'] }),
    ...shards.map((name) =>
      statefulSet(name, shardSize, { part: 'shards', shard: name }, { args: ['--ready-after=1s'] }),
    ),
    pub('web', { selector: { matchLabels: { app: 'web' } }, maxUnavailable: 1 }),
    groupPdb('shards', 'shard', shards.length - 1, { part: 'shards' }),
  );
  await scene.waitReady(replicas, 'app=web');
  await scene.waitReady(shards.length * shardSize, 'part=shards');
  await scene.waitEnforced('pub', 'web');
  await scene.waitEnforced('pdb', 'shards');
  breakOnPurpose(process.env['HOLDFAST_TEST_BREAK']);
});
afterAll(async () => {
  await uncordonAll(scene);
  await scene.close();
});

describe('an installation on real nodes', () => {
  it('is called by the API server through its Service', async () => {
    const path = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/holdfast';
    const { webhooks } = (await made(scene.cluster.request('GET', path))) as unknown as {
      readonly webhooks: readonly { readonly name: string; readonly clientConfig: object }[];
    };
    expect(webhooks.length).toBeGreaterThan(0);
    for (const { clientConfig } of webhooks) {
      expect(clientConfig).toMatchObject({ service: { namespace: 'holdfast-system', name: 'holdfast', port: 443 } });
    }
    const [first, second] = await scene.pods('part=shards,shard=shard-a');
    const [other] = await scene.pods('part=shards,shard=shard-b');
    expectDone(await scene.evict(first?.metadata.name ?? ''));
    // Of one group that is down already, more may go; of another one, none.
    expectDone(await scene.evict(second?.metadata.name ?? ''));
    expectNotNow(await scene.evict(other?.metadata.name ?? ''));
    await scene.waitReady(shards.length * shardSize, 'part=shards');
  });

  it('[I1] holds a group PDB and a PUB while kubectl drains two nodes at once', async () => {
    const groups = await observeAvailability(scene.cluster, {
      namespace: scene.namespace,
      selector: 'part=shards',
      unitOf: byLabel('shard'),
      minimum: shardSize,
    });
    const pods = await observeAvailability(scene.cluster, { namespace: scene.namespace, selector: 'app=web' });
    const drained = await drainAll(['node-1', 'node-2']);
    await Promise.all([groups.caughtUp(), pods.caughtUp()]);
    const answers = disruptionsIn(process.env['HOLDFAST_TEST_AUDIT_LOG'] ?? '', [scene.namespace]);
    note('two drains at once', `evictions and deletions in the audit log: ${countCodes(answers)}`);

    expect(groups.lowest, groups.describe()).toBeGreaterThanOrEqual(shards.length - 1);
    expect(pods.lowest, pods.describe()).toBeGreaterThanOrEqual(replicas - 1);
    expect([groups.gaps, pods.gaps]).toEqual([0, 0]);
    expect(
      drained.map(({ code }) => code),
      drained.map(({ err }) => err).join('\n'),
    ).toEqual([0, 0]);
    expect(answers.filter(({ code }) => code >= 500)).toEqual([]);
    const left = (await scene.pods()).filter(({ spec }) => ['node-1', 'node-2'].includes(String(spec['nodeName'])));
    expect(left.map(({ metadata }) => metadata.name)).toEqual([]);
    groups.close();
    pods.close();
  });
});
