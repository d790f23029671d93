import { afterAll, describe, expect, it } from 'vitest';
import { annotation, label } from '../../src/api/names.ts';
import { probeLeaseAnnotations, probeLeaseLabels } from '../../src/api/probe-lease.ts';
import { probeLeaseName } from '../../src/kube/probes/lease-name.ts';
import { Application } from '../agent/support/application.ts';
import { made } from '../support/cluster.ts';
import { agentsOf, leasePath, untilBlocked, untilEvictable, untilShown, wouldEvict } from './support/agents.ts';
import { addNode } from './support/nodes.ts';
import { type Named, type PodWish, pdb, pod, pub, workload } from './support/objects.ts';
import { blockersOf, expectDone, expectNotNow } from './support/refusals.ts';
import { pathOf, type Scene, sceneIn } from './support/scene.ts';
import { suite } from './support/suite.ts';
import { waitUntil } from './support/wait.ts';

const { cluster, skipped } = await suite();
const application = await Application.start();
afterAll(() => application.close());
const node = skipped ? '' : await addNode(cluster, 'probed');
const startAgent = skipped ? undefined : await agentsOf(cluster);
await startAgent?.(node);

/** What the application of a pod answers; pods of all scenes are asked at the same place. */
const pathTo = (scene: Scene, name: string) => `${scene.namespace}.${name}`;

function says(scene: Scene, name: string, mood: 'yes' | 'no'): void {
  application.says(pathTo(scene, name), mood);
}

function probeOf(scene: Scene, name: string): Readonly<Record<string, string>> {
  const httpGet = { host: '127.0.0.1', path: `/${pathTo(scene, name)}`, port: application.port };
  const probe = { httpGet, periodSeconds: 1, timeoutSeconds: 600, failureThreshold: 1 };
  return { [annotation.disruptionProbe]: JSON.stringify(probe) };
}

function probed(scene: Scene, name: string, wish: PodWish = {}): Named {
  return pod(name, { node, annotations: probeOf(scene, name), ...wish });
}

async function guarded(scene: Scene): Promise<void> {
  await waitUntil(
    'the namespace is guarded',
    () => made(cluster.request('GET', `/api/v1/namespaces/${scene.namespace}`)),
    ({ metadata }) => (metadata['labels'] as Record<string, string>)[label.guard] === 'enabled',
  );
}

/** A pod with a probe and without any budget. */
async function alone(wish: PodWish = {}, mood: 'yes' | 'no' = 'yes'): Promise<Scene> {
  const scene = await sceneIn(cluster);
  says(scene, 'db', mood);
  await scene.addPods(probed(scene, 'db', wish));
  await guarded(scene);
  return scene;
}

describe.skipIf(skipped).concurrent('a pod with a disruption probe', () => {
  it('[V1] is not evicted while the application says no, and is when it says yes', async () => {
    const scene = await alone({}, 'no');
    await untilShown(scene, 'db', 'False');
    const refused = await scene.evict('db');
    expectNotNow(refused);
    expect(blockersOf(refused)).toEqual(['ProbeVeto']);
    says(scene, 'db', 'yes');
    await untilEvictable(scene, 'db');
    says(scene, 'db', 'no');
    await untilBlocked(scene, 'db', 'ProbeVeto');
    says(scene, 'db', 'yes');
    await untilEvictable(scene, 'db');
    expectDone(await scene.evict('db'));
  });

  it('[V1] can be deleted by a person or a rollout all the same, where no PodUnavailableBudget covers it', async () => {
    const scene = await alone({}, 'no');
    await untilBlocked(scene, 'db', 'ProbeVeto');
    expectDone(await scene.remove('db'));
  });

  it('[V1] that a PodUnavailableBudget covers is not deleted, either', async () => {
    const scene = await sceneIn(cluster);
    says(scene, 'db-0', 'no');
    await scene.addPods(probed(scene, 'db-0'), probed(scene, 'db-1'), probed(scene, 'db-2'));
    const budget = pub('db', { maxUnavailable: 1, protectTotalReplicas: 3 }, 'v1beta1');
    await scene.apply(budget);
    await scene.waitEnforced(budget);
    await untilBlocked(scene, 'db-0', 'ProbeVeto');
    await untilBlocked(scene, 'db-1', 'BudgetExhausted');
    expectNotNow(await scene.remove('db-0'));
    expectNotNow(await scene.remove('db-1'));
    says(scene, 'db-0', 'yes');
    await untilEvictable(scene, 'db-1');
    expectDone(await scene.remove('db-1'));
    expectNotNow(await scene.remove('db-2'));
  });
});

describe.skipIf(skipped).concurrent('a PodDisruptionBudget over pods with probes', () => {
  it('[H2] counts those that are disruptable, although all are ready', async () => {
    const scene = await sceneIn(cluster);
    const names = ['db-0', 'db-1', 'db-2'];
    await scene.addPods(...names.map((name) => probed(scene, name)));
    const budget = pdb('db', { minAvailable: 2 });
    await scene.apply(budget);
    await scene.waitEnforced(budget);
    for (const name of names) await untilEvictable(scene, name);
    says(scene, 'db-0', 'no');
    await untilBlocked(scene, 'db-0', 'ProbeVeto');
    await untilBlocked(scene, 'db-1', 'BudgetExhausted');
    says(scene, 'db-0', 'yes');
    await untilEvictable(scene, 'db-1');
    expectDone(await scene.evict('db-1'));
    expectNotNow(await scene.evict('db-2'));
  });

  it('[V2] lets one go that does not serve either, where it says AlwaysAllow', async () => {
    const scene = await sceneIn(cluster);
    for (const name of ['db-0', 'db-1']) says(scene, name, 'no');
    await scene.addPods(probed(scene, 'db-0'), probed(scene, 'db-1'));
    const budget = pdb('db', { minAvailable: 2, unhealthyPodEvictionPolicy: 'AlwaysAllow' });
    await scene.apply(budget);
    await scene.waitEnforced(budget);
    await scene.setReady('db-0', false);
    await untilEvictable(scene, 'db-0');
    expect(blockersOf(await wouldEvict(scene, 'db-1'))).toContain('ProbeVeto');
    expectDone(await scene.evict('db-0'));
  });

  it('[H2] takes a group for down when one of its pods is not disruptable', async () => {
    const scene = await sceneIn(cluster);
    const members = ['a-0', 'a-1', 'b-0', 'b-1'];
    const labels = (name: string) => ({ app: 'web', shard: name.slice(0, 1) });
    await scene.addPods(...members.map((name) => probed(scene, name, { labels: labels(name) })));
    const grouping = { [annotation.budgetScope]: 'PodGroup', [annotation.groupLabel]: 'shard' };
    const budget = pdb('shards', { minAvailable: 1 }, grouping);
    await scene.apply(budget);
    await scene.waitEnforced(budget);
    for (const name of members) await untilEvictable(scene, name);
    says(scene, 'a-0', 'no');
    await untilBlocked(scene, 'a-0', 'ProbeVeto');
    await untilBlocked(scene, 'b-0', 'BudgetExhausted');
    expectDone(await scene.evict('a-1'));
  });
});

describe.skipIf(skipped).concurrent('nobody is believed but the agent of the node', () => {
  it('[I4] which was killed: its word counts until its lease has run out; the next agent asks for itself', async () => {
    const own = await addNode(cluster, 'killed');
    const first = await startAgent?.(own, 3);
    const scene = await alone({ node: own });
    await untilEvictable(scene, 'db');
    await first?.stop();
    await untilBlocked(scene, 'db', 'ProbeStale');
    await untilShown(scene, 'db', 'True');
    await startAgent?.(own, 3);
    await untilEvictable(scene, 'db');
  });

  it('[I4] whose lease somebody deleted', async () => {
    const own = await addNode(cluster, 'deleted');
    const agent = await startAgent?.(own);
    const scene = await alone({ node: own });
    await untilEvictable(scene, 'db');
    await agent?.stop();
    expectDone(await wouldEvict(scene, 'db'));
    await made(cluster.request('DELETE', leasePath(cluster, own)));
    await untilBlocked(scene, 'db', 'ProbeStale');
  });

  it('[I4] not a hand that writes the condition', async () => {
    const scene = await alone({}, 'no');
    await untilShown(scene, 'db', 'False');
    for (let i = 0; i < 5; i += 1) {
      await byHand(scene, 'db');
      expectNotNow(await wouldEvict(scene, 'db'));
    }
  });

  it('[I4] nor the lease of another node that lists the pod', async () => {
    const [own, other] = [await addNode(cluster, 'silent'), await addNode(cluster, 'another')];
    const scene = await alone({ node: own });
    // What a lease does for this one shows that it was seen.
    await scene.addPods(probed(scene, 'there', { node: other }));
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
    const scene = await alone({ goes: true });
    await untilEvictable(scene, 'db');
    says(scene, 'db', 'no');
    expectDone(await scene.remove('db', {}, '?gracePeriodSeconds=0'));
    await waitUntil(
      'the first one is gone',
      async () => (await scene.pod('db')).code,
      (code) => code === 404,
    );
    await scene.addPods(probed(scene, 'db'));
    expectNotNow(await wouldEvict(scene, 'db'));
  });
});

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
  const path = leasePath(cluster, node);
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

describe.skipIf(skipped).concurrent('a probe that cannot be read', () => {
  const bad = { [annotation.disruptionProbe]: '{"httpGet": {"path": "/"}}' };
  const field = `metadata.annotations[${annotation.disruptionProbe}].httpGet.port`;

  it('is refused in a pod and in what pods are made from, with the field and the reason', async () => {
    const scene = await sceneIn(cluster);
    const refused = await cluster.request('POST', pathOf(scene.namespace, 'Pod'), {
      body: pod('bad', { node, annotations: bad }),
    });
    expect(refused.code, refused.text).toBe(422);
    expect(refused.text).toContain(field);
    const deployment = workload('Deployment', 'web', 1);
    const spec = deployment['spec'] as { template: { metadata: object } };
    const template = { ...spec.template, metadata: { ...spec.template.metadata, annotations: bad } };
    const owner = await scene.tryApply({ ...deployment, spec: { ...spec, template } });
    expect(owner.code, owner.text).toBe(422);
    expect(owner.text).toContain(`spec.template.${field}`);
    expectDone(await scene.tryApply(deployment));
  });
});
