import { existsSync } from 'node:fs';
import type { PolicyRule } from 'kubernetes-types/rbac/v1.js';
import { afterAll, describe, expect, it } from 'vitest';
import { agentUser, defaultNamespace, operatorUser } from '../../packages/holdfast/src/api/installation-names.ts';
import { agentClusterRules, agentNamespaceRules } from '../../packages/holdfast/src/install/manifests/agent-rbac.ts';
import {
  agentsNamespacePermissions,
  clusterPermissions,
  namespacePermissions,
} from '../../packages/holdfast/src/install/manifests/rbac-rules.ts';
import { defaultInstallValues as values } from '../../packages/holdfast/src/install/values/values.ts';
import { watchedKinds } from '../../packages/holdfast/src/observe/owners/owner-kinds.ts';
import { agentsOf, untilEvictable } from '../e2e/support/agents.ts';
import { Applications } from '../e2e/support/applications.ts';
import { addDefinition, farm, farms, farmsApi } from '../e2e/support/definitions.ts';
import { addNode } from '../e2e/support/nodes.ts';
import { pdb, pod, pub, workload } from '../e2e/support/objects.ts';
import { expectDone, expectNotNow } from '../e2e/support/refusals.ts';
import { all, brokenPods, images, set, waitShape } from '../e2e/support/rollouts.ts';
import { pathOf, sceneIn } from '../e2e/support/scene.ts';
import { suite } from '../e2e/support/suite.ts';
import { waitUntil } from '../e2e/support/wait.ts';
import { made } from '../support/cluster.ts';
import { doneBy } from './audit.ts';

/** A right that nothing uses is one that only a thief needs. Every rule is compared with the API server's own log of what was done. */

const auditLog = process.env['HOLDFAST_TEST_AUDIT_LOG'] ?? '';
const { cluster, skipped } = await suite();
const applications = await Applications.start(cluster);
afterAll(() => applications.close());

/** What this scene does not come to: the test that does, which also runs against this log when all of them run. */
const elsewhere: Readonly<Record<string, string>> = {
  '/persistentvolumeclaims get': 'test/e2e/enforced-rollout-claims.test.ts',
  '/namespaces get': 'test/e2e/webhook-callers.test.ts',
  '/pods get': 'packages/holdfast/test/operator/admission/verify.test.ts',
  'policy.kruise.io/podunavailablebudgets/status patch': 'test/kubernetes/kruise.test.ts',
  '/secrets create': 'packages/holdfast/test/operator/certificates',
  '/secrets update': 'packages/holdfast/test/operator/certificates',
  '/events patch': 'packages/holdfast/test/kube/events',
};

const versions: Readonly<Record<string, string>> = { 'jobset.x-k8s.io': 'v1alpha2' };

/** Servers without streaming lists (1.34 and before) are listed; this one is watched at once. */
const byOlderServers = (right: string) => right.endsWith(' list');

async function servedGroups(): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
  const served = new Map<string, Set<string>>();
  for (const root of ['/api', '/apis']) {
    const { body } = await cluster.request('GET', root, { accept });
    for (const { metadata, ...group } of body.items) {
      const versions = group['versions'] as readonly {
        readonly resources?: readonly { readonly resource: string }[];
      }[];
      const names = versions.flatMap(({ resources = [] }) => resources.map(({ resource }) => resource));
      served.set(metadata?.name ?? '', new Set(names));
    }
  }
  return served;
}

function rightsIn(rules: readonly PolicyRule[], served: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  return rules.flatMap(({ apiGroups = [], resources = [], verbs }) =>
    apiGroups.flatMap((group) =>
      resources
        // Rights to kinds that a cluster does not have cost nothing, and are used where it has them.
        .filter((resource) => group === '*' || served.get(group)?.has(resource.split('/')[0] ?? '') === true)
        .flatMap((resource) => verbs.map((verb) => `${group}/${resource} ${verb}`)),
    ),
  );
}

/** `*` stands for any group, and for any resource before a slash. */
function isUsed(right: string, done: ReadonlySet<string>): boolean {
  const pattern = new RegExp(`^${right.replaceAll('*', '[^/ ]*')}$`);
  return [...done].some((one) => pattern.test(one));
}

async function unused(rules: readonly PolicyRule[], user: string): Promise<readonly string[]> {
  const done = doneBy(auditLog, user);
  const rights = rightsIn(rules, await servedGroups());
  return rights.filter((right) => !isUsed(right, done) && elsewhere[right] === undefined && !byOlderServers(right));
}

/** Most of what the operator does: takeovers, refusals, repairs, owners of a kind that only this cluster has. */
async function disruptions(): Promise<void> {
  const scene = await sceneIn(cluster);
  const node = await addNode(cluster, 'used');
  await addDefinition(cluster, farms, farmsApi);
  await scene.apply(farm('herd', 3));
  const { metadata } = await scene.read('Farm', 'herd');
  const owner = { apiVersion: 'e2e.holdfast.dev/v1', kind: 'Farm', name: 'herd', uid: metadata.uid, controller: true };
  await scene.addPods(...['a', 'b', 'c'].map((name) => pod(name, { node, ownerReferences: [owner] })));
  const budget = pub('herd', { maxUnavailable: 1 });
  await scene.apply(budget);
  await scene.waitEnforced(budget);
  expectDone(await scene.evict('a'));
  expectNotNow(await scene.evict('b'));
}

/** A plain PDB that shares pods with a budget of ours is judged by us, and its own counter is told. */
async function entangled(): Promise<void> {
  const scene = await sceneIn(cluster);
  const budget = pub('web', { maxUnavailable: 1 });
  await scene.apply(workload('Deployment', 'web', 3), budget, pdb('web', { minAvailable: 2 }));
  const [first] = await scene.waitReady(3, 'app=web');
  await scene.waitEnforced(budget);
  // The disruption controller may still have to count.
  await waitUntil(
    'a pod is evicted',
    () => scene.evict(first?.metadata.name ?? ''),
    ({ code }) => code < 300,
  );
}

/** A pod names its owner before a watch has shown that, or when it never existed: then it is looked up. */
async function lostOwners(served: ReadonlyMap<string, ReadonlySet<string>>): Promise<void> {
  const scene = await sceneIn(cluster);
  const node = await addNode(cluster, 'lost');
  const kinds = watchedKinds.filter(({ group, kind }) => served.get(group)?.has(`${kind.toLowerCase()}s`) === true);
  for (const { group, kind } of kinds) {
    const apiVersion = group === '' ? 'v1' : `${group}/${versions[group] ?? 'v1'}`;
    const owner = { apiVersion, kind, name: 'lost', uid: `lost-${kind.toLowerCase()}`, controller: true };
    const lost = pod(kind.toLowerCase(), { node, ownerReferences: [owner] });
    await made(cluster.request('POST', pathOf(scene.namespace, 'Pod'), { body: lost }));
  }
}

async function repair(): Promise<void> {
  const scene = await sceneIn(cluster);
  await brokenPods(scene, {}, 'web-0');
  await scene.apply(set({ image: images.better }));
  await waitShape(scene, all(3, images.better));
}

async function probing(): Promise<void> {
  const startAgent = await agentsOf(cluster);
  const node = await addNode(cluster, 'probing', { spec: applications.nodeSpec });
  await startAgent(node);
  const scene = await sceneIn(cluster);
  applications.expect(scene, 'db', 'yes');
  await scene.addPods(applications.probed(scene, 'db', { node }));
  await scene.waitGuarded();
  await untilEvictable(scene, 'db');
  // Its lease is renewed.
  await new Promise((resolve) => setTimeout(resolve, 2_000));
}

describe.skipIf(auditLog === '' || skipped)('every right that the manifests grant is used', () => {
  it("[A1] the operator's and the agents'", async () => {
    const served = await servedGroups();
    await lostOwners(served);
    await disruptions();
    await entangled();
    await repair();
    await probing();
    const operator = [
      ...clusterPermissions(values),
      ...namespacePermissions(values),
      ...agentsNamespacePermissions,
    ].map(({ rule }) => rule);
    expect(await unused(operator, operatorUser(defaultNamespace))).toEqual([]);
    expect(await unused([...agentClusterRules, ...agentNamespaceRules], agentUser(defaultNamespace))).toEqual([]);
  });
});

it.each(Object.values(elsewhere))('%s is there', (path) => expect(existsSync(path)).toBe(true));
