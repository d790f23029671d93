import { afterAll, describe, expect, it } from 'vitest';
import { annotation } from '../../packages/holdfast/src/api/names.ts';
import { made } from '../support/cluster.ts';
import { agentsOf, untilBlocked, untilEvictable, untilShown, wouldEvict } from './support/agents.ts';
import { Applications } from './support/applications.ts';
import { addNode } from './support/nodes.ts';
import { type Named, type PodWish, pdb, pod, pub, workload } from './support/objects.ts';
import { blockersOf, expectDone, expectNotNow } from './support/refusals.ts';
import { conditionOf, pathOf, type Scene, sceneIn } from './support/scene.ts';
import { suite } from './support/suite.ts';
import { waitUntil } from './support/wait.ts';

const { cluster, skipped } = await suite();
const applications = await Applications.start(cluster);
afterAll(() => applications.close());
const node = skipped ? '' : await addNode(cluster, 'probed', { spec: applications.nodeSpec });
const startAgent = skipped ? undefined : await agentsOf(cluster);
await startAgent?.(node);

function probed(scene: Scene, name: string, wish: PodWish = {}): Named {
  return applications.probed(scene, name, { node, ...wish });
}

/** A pod with a probe and without any budget. */
async function alone(mood: 'yes' | 'no' = 'yes'): Promise<Scene> {
  const scene = await sceneIn(cluster);
  applications.expect(scene, 'db', mood);
  await scene.addPods(probed(scene, 'db'));
  await scene.waitGuarded();
  return scene;
}

describe.skipIf(skipped).concurrent('a pod with a disruption probe', () => {
  it('[V1] is not evicted while the application says no, and is when it says yes', async () => {
    const scene = await alone('no');
    await untilShown(scene, 'db', 'False');
    const refused = await scene.evict('db');
    expectNotNow(refused);
    expect(blockersOf(refused)).toEqual(['ProbeVeto']);
    await applications.says(scene, 'db', 'yes');
    await untilEvictable(scene, 'db');
    await applications.says(scene, 'db', 'no');
    await untilBlocked(scene, 'db', 'ProbeVeto');
    await applications.says(scene, 'db', 'yes');
    await untilEvictable(scene, 'db');
    expectDone(await scene.evict('db'));
  });

  it('[V1] can be deleted by a person or a rollout all the same, where no PodUnavailableBudget covers it', async () => {
    const scene = await alone('no');
    await untilBlocked(scene, 'db', 'ProbeVeto');
    expectDone(await scene.remove('db'));
  });

  it('[V1] that a PodUnavailableBudget covers is not deleted, either', async () => {
    const scene = await sceneIn(cluster);
    applications.expect(scene, 'db-0', 'no');
    await scene.addPods(probed(scene, 'db-0'), probed(scene, 'db-1'), probed(scene, 'db-2'));
    const budget = pub('db', { maxUnavailable: 1, protectTotalReplicas: 3 }, 'v1beta1');
    await scene.apply(budget);
    await scene.waitEnforced(budget);
    await untilBlocked(scene, 'db-0', 'ProbeVeto');
    await untilBlocked(scene, 'db-1', 'BudgetExhausted');
    expectNotNow(await scene.remove('db-0'));
    expectNotNow(await scene.remove('db-1'));
    await applications.says(scene, 'db-0', 'yes');
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
    await applications.says(scene, 'db-0', 'no');
    await untilBlocked(scene, 'db-0', 'ProbeVeto');
    await untilBlocked(scene, 'db-1', 'BudgetExhausted');
    await applications.says(scene, 'db-0', 'yes');
    await untilEvictable(scene, 'db-1');
    expectDone(await scene.evict('db-1'));
    expectNotNow(await scene.evict('db-2'));
  });

  it('[V2] lets one go that does not serve either, where it says AlwaysAllow', async () => {
    const scene = await sceneIn(cluster);
    for (const name of ['db-0', 'db-1']) applications.expect(scene, name, 'no');
    await scene.addPods(probed(scene, 'db-0'), probed(scene, 'db-1'));
    const budget = pdb('db', { minAvailable: 2, unhealthyPodEvictionPolicy: 'AlwaysAllow' });
    await scene.apply(budget);
    await scene.waitEnforced(budget);
    await scene.setReady('db-0', false);
    await untilEvictable(scene, 'db-0');
    expect(blockersOf(await wouldEvict(scene, 'db-1'))).toContain('ProbeVeto');
    expectDone(await scene.evict('db-0'));
  });

  it('[H2] [H5] does not count a group of which one pod is not disruptable, and keeps its other pods', async () => {
    const scene = await sceneIn(cluster);
    const members = ['a-0', 'a-1', 'b-0', 'b-1'];
    const labels = (name: string) => ({ app: 'web', shard: name.slice(0, 1) });
    await scene.addPods(...members.map((name) => probed(scene, name, { labels: labels(name) })));
    const grouping = { [annotation.budgetScope]: 'PodGroup', [annotation.groupLabel]: 'shard' };
    const budget = pdb('shards', { minAvailable: 1 }, grouping);
    await scene.apply(budget);
    await scene.waitEnforced(budget);
    for (const name of members) await untilEvictable(scene, name);
    await applications.says(scene, 'a-0', 'no');
    await untilBlocked(scene, 'a-0', 'ProbeVeto', 'UnitWithheld');
    await untilBlocked(scene, 'b-0', 'BudgetExhausted');
    await untilBlocked(scene, 'a-1', 'UnitWithheld');
    await applications.says(scene, 'a-0', 'yes');
    await untilEvictable(scene, 'a-1');
    expectDone(await scene.evict('a-1'));
  });
});

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

  it('[H4] that slipped in counts as one that fails, with a condition and an event', async () => {
    const scene = await sceneIn(cluster);
    await leaveUnchecked(scene);
    const path = pathOf(scene.namespace, 'Pod');
    await waitUntil(
      'no webhook checks probes there',
      () => cluster.request('POST', path, { body: pod('bad', { node, annotations: bad }) }),
      ({ code }) => code === 201,
    );
    await scene.waitGuarded();
    await untilBlocked(scene, 'bad', 'ProbeInvalid');
    await untilShown(scene, 'bad', 'False');
    expect(conditionOf((await scene.pod('bad')).body, 'Disruptable')).toMatchObject({
      reason: 'ProbeInvalid',
      message: expect.stringContaining(field),
    });
    await waitUntil(
      'there is an event',
      async () => (await made(cluster.request('GET', pathOf(scene.namespace, 'Event')))).items,
      (events) => events.some(({ reason }) => reason === 'ProbeInvalid'),
    );
  });
});

/** The webhook that reads probes is not asked about this namespace, as while the operator is away. */
async function leaveUnchecked({ namespace }: Scene): Promise<void> {
  const path = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/holdfast';
  const exception = { key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: [namespace] };
  const { webhooks } = (await made(cluster.request('GET', path))) as unknown as { webhooks: readonly Webhook[] };
  const index = webhooks.findIndex(({ name }) => name === 'probes.holdfast.dev');
  const pointer = `/webhooks/${index}`;
  const body = [
    { op: 'test', path: `${pointer}/name`, value: 'probes.holdfast.dev' },
    { op: 'add', path: `${pointer}/namespaceSelector/matchExpressions/-`, value: exception },
  ];
  await made(cluster.request('PATCH', path, { contentType: 'application/json-patch+json', body }));
}

interface Webhook {
  readonly name: string;
}
