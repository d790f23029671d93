import { afterAll, describe, expect, it } from 'vitest';
import { lwsCrd } from '../../packages/embedded-cluster/src/controllers/leaderworkerset/lws-crd.ts';
import { annotation } from '../../packages/holdfast/src/api/names.ts';
import { agentsOf, untilBlocked, untilEvictable } from './support/agents.ts';
import { Applications } from './support/applications.ts';
import { addDefinition } from './support/definitions.ts';
import { addNode } from './support/nodes.ts';
import { leaderWorkerSet, type Named, pdb, pub } from './support/objects.ts';
import { blockersOf, expectDone, expectNotNow } from './support/refusals.ts';
import { type Scene, sceneIn } from './support/scene.ts';
import { serves, suite } from './support/suite.ts';

const { cluster, skipped } = await suite();
const applications = await Applications.start(cluster);
afterAll(() => applications.close());
const lwsApi = '/apis/leaderworkerset.x-k8s.io/v1';
if (!skipped && cluster.embedded) await addDefinition(cluster, lwsCrd, lwsApi);
const hasLws = !skipped && (await serves(cluster, lwsApi));
const node = skipped ? '' : await addNode(cluster, 'withheld', { spec: applications.nodeSpec });
const otherNode = skipped ? '' : await addNode(cluster, 'withheld-other', { spec: applications.nodeSpec });
const startAgent = skipped ? undefined : await agentsOf(cluster);
await startAgent?.(node);

const shard = (name: string) => ({ app: 'web', shard: name.slice(0, 1) });
const grouping = {
  [annotation.budgetScope]: 'PodGroup',
  [annotation.groupLabel]: 'shard',
  [annotation.groupMinAvailable]: '2',
};
const frozen = pub(
  'shards',
  {
    selector: { matchLabels: { app: 'web' } },
    maxUnavailable: 0,
    podGroupPolicy: { groupLabelKey: 'shard', minReadyReplicas: 2 },
  },
  'v1beta1',
);

/** Two shards of two pods: of each the first carries a probe, on a node of its own. */
async function shards(budget: Named, probedOn = node): Promise<Scene> {
  const scene = await sceneIn(cluster);
  const pods = ['a-0', 'a-1', 'b-0', 'b-1'].map((name) =>
    applications.probed(scene, name, { labels: shard(name), node: name.endsWith('0') ? probedOn : node }),
  );
  await scene.addPods(...pods);
  await scene.apply(budget);
  await scene.waitEnforced(budget);
  return scene;
}

describe.skipIf(skipped).concurrent('the siblings of a pod that says no', () => {
  it('[H5] stay under a PodUnavailableBudget that spares nothing: eviction, deletion and update', async () => {
    const scene = await shards(frozen);
    await untilBlocked(scene, 'a-1', 'BudgetExhausted');
    await applications.says(scene, 'a-0', 'no');
    await untilBlocked(scene, 'a-1', 'UnitWithheld');
    const refused = await scene.evict('a-1');
    expectNotNow(refused);
    expect(refused.text).toContain('the disruption probe of pod a-0 reports that it cannot be disrupted now');
    expectNotNow(await scene.remove('a-1'));
    const update = await scene.patchPod('a-1', { spec: { activeDeadlineSeconds: 3_600 } });
    expect(blockersOf(update)).toEqual(['UnitWithheld']);
    await applications.says(scene, 'a-0', 'yes');
    await untilBlocked(scene, 'a-1', 'BudgetExhausted');
  });

  it('[H5] stay under a PodDisruptionBudget that says AlwaysAllow, and may go when it says yes', async () => {
    const budget = pdb('shards', { minAvailable: 1, unhealthyPodEvictionPolicy: 'AlwaysAllow' }, grouping);
    const scene = await shards(budget);
    await untilEvictable(scene, 'a-1');
    await applications.says(scene, 'a-0', 'no');
    await untilBlocked(scene, 'a-1', 'UnitWithheld');
    expectNotNow(await scene.evict('a-1'));
    await applications.says(scene, 'a-0', 'yes');
    await untilEvictable(scene, 'a-1');
    expectDone(await scene.evict('a-1'));
  });
});

describe.skipIf(skipped)('the siblings of a pod whose agent is dead', () => {
  it('[H5] [I4] stay, and may go when an agent confirms the pod again', async () => {
    const agent = await startAgent?.(otherNode, 20);
    const budget = pdb('shards', { minAvailable: 1, unhealthyPodEvictionPolicy: 'AlwaysAllow' }, grouping);
    const scene = await shards(budget, otherNode);
    await untilEvictable(scene, 'a-1');
    await agent?.stop();
    await untilBlocked(scene, 'a-1', 'UnitWithheld');
    const refused = await scene.evict('a-1');
    expectNotNow(refused);
    expect(refused.text).toContain(`the agent on ${otherNode} does not renew its lease`);
    await startAgent?.(otherNode, 20);
    await untilEvictable(scene, 'a-1');
  });
});

describe.skipIf(!hasLws)('a LeaderWorkerSet of which one worker says no', () => {
  const groupLabelKey = 'leaderworkerset.sigs.k8s.io/group-index';
  const selector = { matchLabels: { app: 'llm' } };

  /** Its pods run on the node of the agent and carry a probe. */
  function probedSet(scene: Scene): Named {
    const { metadata } = applications.probed(scene, 'llm', {});
    const set = leaderWorkerSet('llm', 2, 2);
    const spec = set['spec'] as { leaderWorkerTemplate: { size: number; workerTemplate: Template } };
    const { workerTemplate } = spec.leaderWorkerTemplate;
    const template = {
      metadata: { ...workerTemplate.metadata, annotations: metadata['annotations'] },
      spec: { ...workerTemplate.spec, nodeName: node },
    };
    return {
      ...set,
      spec: { ...spec, leaderWorkerTemplate: { ...spec.leaderWorkerTemplate, workerTemplate: template } },
    };
  }

  interface Template {
    readonly metadata?: object;
    readonly spec: object;
  }

  it('[H5] [I10] keeps the leader: its eviction would recreate the pod that said no', async () => {
    const scene = await sceneIn(cluster);
    const podGroupPolicy = { groupLabelKey, minReadyReplicas: 2 };
    const byPub = pub('llm', { selector, maxUnavailable: 0, podGroupPolicy }, 'v1beta1');
    await scene.apply(probedSet(scene), byPub);
    await scene.waitReady(4, 'app=llm');
    await scene.waitEnforced(byPub);
    await untilBlocked(scene, 'llm-0', 'BudgetExhausted');
    // Where the test's own server answers for pods, those of one template are asked at one place, and answer alike.
    await applications.says(scene, cluster.embedded ? 'llm-0-1' : 'llm', 'no');
    await untilBlocked(scene, 'llm-0', 'UnitWithheld');
    expectNotNow(await scene.evict('llm-0'));
    expectNotNow(await scene.remove('llm-0'));
    // Really down: a worker is not even Ready, and the controller may start the group again.
    await scene.setReady('llm-0-1', false);
    await untilEvictable(scene, 'llm-0');
    expectDone(await scene.remove('llm-0'));
    await scene.waitReady(4, 'app=llm');
  });
});
