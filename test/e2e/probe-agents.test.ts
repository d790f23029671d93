import { afterAll, describe, it } from 'vitest';
import { probeLeaseAnnotations, probeLeaseLabels } from '../../packages/holdfast/src/api/probe-lease.ts';
import { probeLeaseName } from '../../packages/holdfast/src/kube/probes/lease-name.ts';
import { made } from '../support/cluster.ts';
import { agentsOf, leasePath, untilBlocked, untilEvictable, untilShown, wouldEvict } from './support/agents.ts';
import { Applications } from './support/applications.ts';
import { addNode } from './support/nodes.ts';
import type { PodWish } from './support/objects.ts';
import { expectDone, expectNotNow } from './support/refusals.ts';
import { contentTypes, type Scene, sceneIn } from './support/scene.ts';
import { suite } from './support/suite.ts';
import { waitUntil } from './support/wait.ts';

const { cluster, skipped } = await suite();
const applications = await Applications.start(cluster);
afterAll(() => applications.close());
const startAgent = skipped ? undefined : await agentsOf(cluster);

function newNode(base: string): Promise<string> {
  return addNode(cluster, base, { spec: applications.nodeSpec });
}

/** A pod with a probe and without any budget, on a node of its own. */
async function alone(node: string, mood: 'yes' | 'no' = 'yes', wish: PodWish = {}): Promise<Scene> {
  const scene = await sceneIn(cluster);
  applications.expect(scene, 'db', mood);
  await scene.addPods(applications.probed(scene, 'db', { ...wish, node }));
  await scene.waitGuarded();
  return scene;
}

describe.skipIf(skipped).concurrent('only the agent of the node is trusted about a pod', () => {
  it('[I4] which was killed: its word counts until its lease has run out; the next agent asks for itself', async () => {
    const own = await newNode('killed');
    const first = await startAgent?.(own, 3);
    const scene = await alone(own);
    await untilEvictable(scene, 'db');
    await first?.stop();
    await untilBlocked(scene, 'db', 'ProbeStale');
    await untilShown(scene, 'db', 'True');
    await startAgent?.(own, 3);
    await untilEvictable(scene, 'db');
  });

  it('[I4] which was started again: its last word counts until it has asked for itself, without a gap', async () => {
    const own = await newNode('restarted');
    const first = await startAgent?.(own);
    const scene = await alone(own);
    await untilEvictable(scene, 'db');
    await first?.stop();
    const before = await holderOf(own);
    await startAgent?.(own);
    while ((await holderOf(own)) === before) expectDone(await wouldEvict(scene, 'db'));
    expectDone(await wouldEvict(scene, 'db'));
    await applications.says(scene, 'db', 'no');
    await untilBlocked(scene, 'db', 'ProbeVeto');
  });

  it('[I4] whose lease a client deleted', async () => {
    const own = await newNode('deleted');
    const agent = await startAgent?.(own);
    const scene = await alone(own);
    await untilEvictable(scene, 'db');
    await agent?.stop();
    expectDone(await wouldEvict(scene, 'db'));
    await made(cluster.request('DELETE', leasePath(own)));
    await untilBlocked(scene, 'db', 'ProbeStale');
  });

  it('[I4] whose lease a client took under another name, until the agent has it back', async () => {
    const own = await newNode('stolen');
    await startAgent?.(own);
    const scene = await alone(own);
    await untilEvictable(scene, 'db');
    const take = (spec: object) =>
      made(cluster.request('PATCH', leasePath(own), { contentType: contentTypes.merge, body: { spec } }));
    await take({ holderIdentity: 'thief', leaseDurationSeconds: 600 });
    await untilBlocked(scene, 'db', 'ProbeStale');
    await take({ leaseDurationSeconds: 1 });
    await untilEvictable(scene, 'db');
  });

  it('[I4] about a container that was started again, not before it was asked', async () => {
    const own = await newNode('crashed');
    await startAgent?.(own);
    const scene = await alone(own);
    await untilEvictable(scene, 'db');
    await applications.says(scene, 'db', 'silent');
    expectDone(await wouldEvict(scene, 'db'));
    await scene.restart('db');
    await untilBlocked(scene, 'db', 'ProbeVeto');
    await applications.says(scene, 'db', 'yes');
    // The question that is under way is answered first, and a slow answer takes half a minute.
    await untilEvictable(scene, 'db', { withinMs: 60_000 });
  });

  it('[I4] not a hand that writes the condition', async () => {
    const own = await newNode('by-hand');
    await startAgent?.(own);
    const scene = await alone(own, 'no');
    await untilShown(scene, 'db', 'False');
    for (let i = 0; i < 5; i += 1) {
      await byHand(scene, 'db');
      expectNotNow(await wouldEvict(scene, 'db'));
    }
  });

  it('[I4] nor the lease of another node that lists the pod', async () => {
    const [own, other] = [await newNode('silent'), await newNode('another')];
    const scene = await alone(own);
    // What a lease does for this one shows that it was seen.
    await scene.addPods(applications.probed(scene, 'there', { node: other }));
    const uids: string[] = [];
    for (const name of ['db', 'there']) {
      await byHand(scene, name);
      uids.push((await scene.pod(name)).body.metadata.uid);
    }
    await writeLease(other, other, uids);
    await untilEvictable(scene, 'there');
    await untilBlocked(scene, 'db', 'ProbeStale');
    await writeLease(other, own, uids);
    await untilBlocked(scene, 'there', 'ProbeStale');
    await untilBlocked(scene, 'db', 'ProbeStale');
    await writeLease(own, own, uids);
    await untilEvictable(scene, 'db');
  });

  it('[I4] nor the agent, about a pod that has the name of another', async () => {
    const own = await newNode('renamed');
    await startAgent?.(own);
    const scene = await alone(own, 'yes', { goes: true });
    await untilEvictable(scene, 'db');
    applications.expect(scene, 'db', 'no');
    expectDone(await scene.remove('db', {}, '?gracePeriodSeconds=0'));
    await waitUntil(
      'the first one is gone',
      async () => (await scene.pod('db')).code,
      (code) => code === 404,
    );
    await scene.addPods(applications.probed(scene, 'db', { node: own }));
    expectNotNow(await wouldEvict(scene, 'db'));
  });

  it('whose lease goes with the node', async () => {
    const own = await newNode('leaving');
    const agent = await startAgent?.(own);
    const lease = async () => (await cluster.request('GET', leasePath(own))).code;
    await waitUntil('there is a lease', lease, (code) => code === 200);
    await agent?.stop();
    await made(cluster.request('DELETE', `/api/v1/nodes/${own}`));
    await waitUntil('there is none', lease, (code) => code === 404);
  });
});

async function holderOf(node: string): Promise<unknown> {
  return (await made(cluster.request('GET', leasePath(node)))).spec['holderIdentity'];
}

/** Says for the agent what it would not. */
async function byHand(scene: Scene, name: string): Promise<void> {
  const conditions = [{ type: 'Disruptable', status: 'True', reason: 'Trust', message: 'me' }];
  await made(scene.patchPod(name, { status: { conditions } }, 'status'));
}

let renewals = 0;

/** @param named the node that is written into it */
async function writeLease(node: string, named: string, uids: readonly string[]): Promise<void> {
  renewals += 1;
  const holder = `hand-${renewals}`;
  const path = leasePath(node);
  const found = await cluster.request('GET', path);
  const { resourceVersion } = found.code === 200 ? found.body.metadata : {};
  const body = {
    metadata: {
      name: probeLeaseName(node),
      labels: probeLeaseLabels,
      annotations: probeLeaseAnnotations(named, holder, uids),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
    },
    spec: { holderIdentity: holder, leaseDurationSeconds: 600 },
  };
  const collection = path.slice(0, path.lastIndexOf('/'));
  await made(
    found.code === 200 ? cluster.request('PUT', path, { body }) : cluster.request('POST', collection, { body }),
  );
}
