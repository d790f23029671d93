import { afterAll, describe, expect, it } from 'vitest';
import { made } from '../support/cluster.ts';
import { testWebhooks } from '../support/cluster-webhooks.ts';
import type { Answer } from '../support/kube-http.ts';
import { waitCounted } from './support/counted.ts';
import { addDefinition, farm, farms, farmsApi } from './support/definitions.ts';
import { addForeignWebhook } from './support/foreign-webhook.ts';
import { addNode } from './support/nodes.ts';
import { pdb, pod, pub } from './support/objects.ts';
import { expectDone, expectNotNow } from './support/refusals.ts';
import { conditionOf, pathOf, type Scene, sceneIn } from './support/scene.ts';
import { suite } from './support/suite.ts';
import { waitUntil } from './support/wait.ts';

const { cluster, skipped } = await suite({ replicas: 2 });
const node = skipped ? '' : await addNode(cluster, 'any');
if (!skipped) await addDefinition(cluster, farms, farmsApi);
const foreign = await testWebhooks();
afterAll(() => foreign.close());

const grouping = { 'holdfast.dev/budget-scope': 'PodGroup', 'holdfast.dev/group-label': 'shard' };

interface Wish {
  readonly annotations?: Readonly<Record<string, string>>;
  /** Other budgets over the same pods. */
  readonly others?: readonly object[];
}

/** Three shards of two pods, of which the budget lets one shard go; the built-in check, which counts pods, lets one pod go. */
async function shards({ annotations = {}, others = [] }: Wish = {}, scene?: Scene): Promise<Scene> {
  const here = scene ?? (await sceneIn(cluster));
  await here.apply(farm('shards', 6));
  const { uid } = (await here.read('Farm', 'shards')).metadata;
  const owner = { apiVersion: 'e2e.holdfast.dev/v1', kind: 'Farm', name: 'shards', uid, controller: true };
  const names = [0, 1, 2].flatMap((shard) => [0, 1].map((member) => ({ shard, name: `s${shard}-${member}` })));
  const labels = (shard: number) => ({ app: 'web', shard: `s${shard}` });
  await here.addPods(
    ...names.map(({ shard, name }) => pod(name, { node, labels: labels(shard), ownerReferences: [owner] })),
  );
  const budget = pdb('shards', { maxUnavailable: 1 }, { ...grouping, ...annotations });
  await here.apply(budget, ...others.map((spec, index) => pdb(`other-${index}`, spec)));
  await here.waitEnforced(budget);
  await builtInAllows(here, 1);
  for (const index of others.keys()) await waitCounted(here, `other-${index}`);
  return here;
}

/**
 * A real controller manager learns new kinds with a scale once in half a minute, and looks again at a budget that it could not
 * count only when that or a pod of it changes.
 */
async function builtInAllows(scene: Scene, count: number): Promise<void> {
  let looks = 0;
  await waitUntil(
    `the built-in check allows ${count}`,
    async () => {
      const budget = await scene.read('PodDisruptionBudget', 'shards');
      // Where Holdfast shows units, the condition follows them; that the controller could not count shows in the generation alone.
      const { status, metadata } = budget;
      const failed =
        conditionOf(budget, 'DisruptionAllowed')?.reason === 'SyncFailed' ||
        status?.['observedGeneration'] !== metadata.generation;
      const annotations = { 'e2e.holdfast.dev/look': String(looks++) };
      if (failed) await made(scene.change('PodDisruptionBudget', 'shards', { metadata: { annotations } }));
      return budget;
    },
    // The number of units may be there before the controller has counted: until it has, the built-in check refuses everything.
    ({ status, metadata }) =>
      status?.['disruptionsAllowed'] === count && status?.['observedGeneration'] === metadata.generation,
    { withinMs: 70_000, everyMs: 1_000 },
  );
}

const builtInRefusal = "Cannot evict pod as it would violate the pod's disruption budget.";

async function isGoing(scene: Scene, name: string): Promise<boolean> {
  return (await scene.pod(name)).body.metadata.deletionTimestamp !== undefined;
}

function expectBuiltIn(answer: Answer): void {
  expect(answer.code, answer.text).toBe(429);
  expect(answer.body.message).toBe(builtInRefusal);
}

describe.skipIf(skipped).concurrent('an eviction that a group budget allows', () => {
  it('[I2] is completed also where the built-in check, which counts pods, would refuse it', async () => {
    const scene = await shards();
    expectDone(await scene.evict('s0-0'));
    await builtInAllows(scene, 0);
    expectNotNow(await scene.evict('s1-0'));
    expectDone(await scene.evict('s0-1'));
    const { body } = await scene.pod('s0-1');
    expect(conditionOf(body, 'DisruptionTarget')).toMatchObject({ status: 'True', reason: 'EvictionByEvictionAPI' });
  });

  it('[I3] is completed also under several PodDisruptionBudgets, where the built-in check would fail', async () => {
    const scene = await shards({ others: [{ minAvailable: 1 }, { minAvailable: 5 }] });
    expectDone(await scene.evict('s0-0'));
    const refused = await scene.evict('s0-1');
    expectNotNow(refused);
    expect(refused.body.message).toContain('PDB other-1 ');
    expect(await isGoing(scene, 's0-1')).toBe(false);
  });

  it('[I3] is asked of a PodUnavailableBudget, too, and nothing is spent when that refuses', async () => {
    const scene = await shards({ others: [{ minAvailable: 1 }] });
    const budget = pub('all', { minAvailable: 6 });
    await scene.apply(budget);
    await scene.waitEnforced(budget);
    const refused = await scene.evict('s0-0');
    expectNotNow(refused);
    expect(refused.body.message).toContain('PUB all');
    expect(await isGoing(scene, 's0-0')).toBe(false);
    expect(await scene.reservations()).toEqual([]);
    await made(scene.change('PodUnavailableBudget', 'all', { spec: { minAvailable: 5 } }));
    await scene.waitEnforced(budget);
    expectDone(await scene.evict('s0-0'));
    expectNotNow(await scene.evict('s0-1'));
  });

  it('has the grace period that was asked for', async () => {
    const scene = await shards();
    const { metadata } = await made(cluster.request('GET', pathOf(scene.namespace, 'Pod')));
    const watch = await cluster.watch(`${pathOf(scene.namespace, 'Pod')}?resourceVersion=${metadata.resourceVersion}`);
    expectDone(await scene.evict('s0-0', { deleteOptions: { gracePeriodSeconds: 77 } }));
    const events = await watch.until(({ object }) => object.metadata.deletionTimestamp !== undefined);
    expect(events.at(-1)?.object.metadata['deletionGracePeriodSeconds']).toBe(77);
    watch.close();
  });

  it('answers success with a grace period of 0, too', async () => {
    const scene = await shards();
    expectDone(await scene.evict('s0-0', { deleteOptions: { gracePeriodSeconds: 0 } }));
    expect(await isGoing(scene, 's0-0')).toBe(true);
  });

  it('[I5] answers success again when it is asked again', async () => {
    const scene = await shards();
    for (let i = 0; i < 3; i += 1) expectDone(await scene.evict('s0-0'));
    expectNotNow(await scene.evict('s1-0'));
  });

  it('takes the pod that is meant, and no other of the same name', async () => {
    const scene = await shards();
    const { metadata } = (await scene.pod('s0-0')).body;
    const other = await scene.evict('s0-0', { deleteOptions: { preconditions: { uid: 'another' } } });
    expect(other.code, other.text).toBe(409);
    expect(await isGoing(scene, 's0-0')).toBe(false);
    expectDone(await scene.evict('s0-0', { deleteOptions: { preconditions: { uid: metadata.uid } } }));
  });

  it('is left to the built-in check when the client insists on a version of the pod', async () => {
    const scene = await shards();
    const insisting = async (name: string) => {
      const { resourceVersion } = (await scene.pod(name)).body.metadata;
      return scene.evict(name, { deleteOptions: { preconditions: { resourceVersion } } });
    };
    const stale = await scene.evict('s0-0', { deleteOptions: { preconditions: { resourceVersion: '1' } } });
    expect(stale.code, stale.text).toBe(409);
    expect(await isGoing(scene, 's0-0')).toBe(false);
    expectDone(await scene.evict('s0-0'));
    await builtInAllows(scene, 0);
    expectBuiltIn(await insisting('s0-1'));
    expect(await isGoing(scene, 's0-1')).toBe(false);
  });

  it('is left to the built-in check when the budget turned completing off', async () => {
    const scene = await shards({ annotations: { 'holdfast.dev/takeover': 'disabled' } });
    expectDone(await scene.evict('s0-0'));
    await builtInAllows(scene, 0);
    expectBuiltIn(await scene.evict('s0-1'));
  });

  it('is left to the built-in check while another webhook judges evictions', async () => {
    const scene = await sceneIn(cluster);
    const away = await addForeignWebhook(scene, foreign, {
      name: 'evictions',
      rules: [{ operations: ['CREATE'], resources: ['pods/eviction'] }],
      handler: () => ({ allowed: true }),
    });
    await shards({}, scene);
    expectDone(await scene.evict('s0-0'));
    await builtInAllows(scene, 0);
    expectBuiltIn(await scene.evict('s0-1'));
    expect(foreign.received.length).toBeGreaterThan(0);
    await away();
    await waitUntil(
      'it is completed again',
      async () => (await scene.evict('s0-1')).code,
      (code) => code === 201,
    );
  });

  it('[I6] is not completed in a dry run', async () => {
    const scene = await shards();
    expectDone(await scene.evict('s0-0', {}, '?dryRun=All'));
    expectDone(await scene.evict('s0-0', { deleteOptions: { dryRun: ['All'] } }));
    expect(await isGoing(scene, 's0-0')).toBe(false);
    expect(await scene.reservations()).toEqual([]);
  });
});

describe.skipIf(skipped).concurrent('an eviction under a PodUnavailableBudget', () => {
  /** Two pods of which one may go, and the users that delete pods here. */
  async function pair(name: string, annotations: Readonly<Record<string, string>> = {}) {
    const scene = await sceneIn(cluster);
    await scene.addPods(pod('a', { node }), pod('b', { node }));
    const budget = pub('web', { minAvailable: 1 });
    await scene.apply({ ...budget, metadata: { ...budget.metadata, annotations } });
    await scene.waitEnforced(budget);
    const users: string[] = [];
    await addForeignWebhook(scene, foreign, {
      name,
      rules: [{ operations: ['DELETE'], resources: ['pods'] }],
      handler: ({ review }) => {
        const { username } = review.request['userInfo'] as { readonly username: string };
        users.push(username);
        return { allowed: true };
      },
    });
    return { scene, users };
  }

  it('[P9] is completed by the operator', async () => {
    const { scene, users } = await pair('deletions');
    await waitUntil(
      'a deletion by the operator is seen',
      async () => {
        expectDone(await scene.evict('a'));
        return users;
      },
      (seen) => seen.some((user) => user.includes(`:${cluster.operatorNamespace}:`)),
    );
    expect(await isGoing(scene, 'a')).toBe(true);
    expectNotNow(await scene.evict('b'));
  });

  it('[P9] is left to the API server when the budget turned completing off', async () => {
    const { scene, users } = await pair('own-deletions', { 'holdfast.dev/takeover': 'disabled' });
    expectDone(await scene.evict('a'));
    expect(await isGoing(scene, 'a')).toBe(true);
    expect(users.filter((user) => user.includes(`:${cluster.operatorNamespace}:`))).toEqual([]);
  });

  it('[P9] [I1] that is left to the API server does not delete a pod that got the name of the judged one', async () => {
    const scene = await sceneIn(cluster);
    await scene.addPods(pod('a', { node, goes: true }), pod('b', { node }));
    const budget = pub('web', { minAvailable: 1, protectOperations: ['EVICT'] }, 'v1beta1');
    await scene.apply(budget);
    await scene.waitEnforced(budget);
    const before = (await scene.pod('a')).body.metadata.uid;
    // It is asked at the same time as we are, and answers when another pod has the name.
    let asked = false;
    await addForeignWebhook(scene, foreign, {
      name: 'replaces',
      rules: [{ operations: ['CREATE'], resources: ['pods/eviction'] }],
      handler: async ({ review }) => {
        asked = true;
        if (review.request.dryRun === true) return { allowed: true };
        await made(cluster.request('DELETE', `${pathOf(scene.namespace, 'Pod')}/a?gracePeriodSeconds=0`));
        await scene.addPods(pod('a', { node }));
        return { allowed: true };
      },
    });
    await waitUntil(
      'the other webhook is asked',
      async () => (await scene.evict('a', {}, '?dryRun=All')).code,
      () => asked,
    );
    const answer = await scene.evict('a');
    expect(answer.code, answer.text).toBe(409);
    const { metadata } = (await scene.pod('a')).body;
    expect(metadata.uid).not.toBe(before);
    expect(metadata.deletionTimestamp).toBeUndefined();
  });
});
