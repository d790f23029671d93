import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pdb, pub } from '../../../../../test/e2e/support/objects.ts';
import { waitUntil } from '../../../../../test/e2e/support/wait.ts';
import { inShort } from '../../../../../test/support/a-world.ts';
import { made, type TestCluster, testCluster } from '../../../../../test/support/cluster.ts';
import { withSession } from '../../../src/cli/live/session.ts';
import { budgetNumbers } from '../../../src/core/budget/numbers.ts';
import { decide } from '../../../src/core/decide/decide.ts';
import { crdManifests } from '../../../src/install/manifests/manifests.ts';
import type { LiveWorld } from '../../../src/observe/once/live-world.ts';
import { readWorld } from '../../../src/observe/once/read-world.ts';
import { everywhere, only, type Scope } from '../../../src/observe/once/scope.ts';
import { kubeconfigFile, reading, userWith } from './support.ts';

let cluster: TestCluster;
let admin: string;
beforeAll(async () => {
  cluster = await testCluster();
  admin = kubeconfigFile(cluster.kubeconfig);
});
afterAll(() => cluster.close());

const scale = { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' };
const any = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
const farms = {
  metadata: { name: 'farms.live.holdfast.dev' },
  spec: {
    group: 'live.holdfast.dev',
    names: { plural: 'farms', kind: 'Farm' },
    scope: 'Namespaced',
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', properties: { spec: any, status: any } } },
        subresources: { scale, status: {} },
      },
    ],
  },
};
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

function look(kubeconfig: string, scope: Scope): Promise<LiveWorld> {
  return withSession({ kubeconfig }, (session) => readWorld(session, { scope }));
}

async function put(namespace: string, path: string, body: object): Promise<{ uid: string }> {
  return (await made(cluster.request('POST', path.replace('*', namespace), { body }))).metadata;
}

interface PodWish {
  readonly labels?: Record<string, string>;
  readonly owner?: object;
  readonly annotations?: Record<string, string>;
}

/** A pod that the test made ready. */
async function addPod(namespace: string, name: string, wish: PodWish = {}): Promise<string> {
  const { labels = { app: 'web' }, owner, annotations = {} } = wish;
  const ownerReferences = owner === undefined ? [] : [{ ...owner, controller: true }];
  const { uid } = await put(namespace, '/api/v1/namespaces/*/pods', {
    metadata: { name, labels, ownerReferences, annotations },
    spec: { nodeName: 'node-1', containers: [{ name: 'main', image: 'i' }] },
  });
  const conditions = [{ type: 'Ready', status: 'True' }];
  await made(
    cluster.request('PATCH', `/api/v1/namespaces/${namespace}/pods/${name}/status`, {
      contentType: 'application/merge-patch+json',
      body: { status: { phase: 'Running', conditions } },
    }),
  );
  return uid;
}

function verdict({ world, readAt }: LiveWorld, namespace: string, pod: string): string {
  return inShort(decide(world, { operation: 'EVICT', namespace, pod }, readAt, { judgePlain: true }));
}

async function served(path: string): Promise<void> {
  await waitUntil(
    `${path} is served`,
    () => cluster.request('GET', path),
    ({ code }) => code === 200,
  );
}

describe('reading a live cluster', () => {
  it('knows scales of kinds that are not built in', async () => {
    const namespace = await cluster.newNamespace();
    await put('', definitions, farms);
    await served('/apis/live.holdfast.dev/v1');
    const { uid } = await put(namespace, '/apis/live.holdfast.dev/v1/namespaces/*/farms', {
      apiVersion: 'live.holdfast.dev/v1',
      kind: 'Farm',
      metadata: { name: 'herd' },
      spec: { replicas: 3 },
    });
    const owner = { apiVersion: 'live.holdfast.dev/v1', kind: 'Farm', name: 'herd', uid };
    for (const name of ['a', 'b', 'c']) await addPod(namespace, name, { owner });
    await put(namespace, '/apis/policy/v1/namespaces/*/poddisruptionbudgets', pdb('web', { maxUnavailable: '34%' }));
    const live = await look(admin, only(namespace));
    expect(live.gaps).toEqual([]);
    const ref = { kind: 'PodDisruptionBudget', namespace, name: 'web' } as const;
    expect(budgetNumbers(live.world, ref, live.readAt)).toMatchObject({ available: 3, desired: 1, expected: 3 });
    expect(verdict(live, namespace, 'a')).toBe('allow WithinBudget');
  });

  it('lists owners of which there are many, and takes one that is not there for gone', async () => {
    const namespace = await cluster.newNamespace();
    const sets = Array.from({ length: 12 }, (_, i) => `set-${i}`);
    const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'main', image: 'i' }] } };
    for (const name of sets) {
      const spec = { replicas: 1, selector: { matchLabels: { app: 'web' } }, template };
      const { uid } = await put(namespace, '/apis/apps/v1/namespaces/*/replicasets', { metadata: { name }, spec });
      const known = name === 'set-11' ? 'another' : uid;
      await addPod(namespace, name, { owner: { apiVersion: 'apps/v1', kind: 'ReplicaSet', name, uid: known } });
    }
    const live = await look(admin, only(namespace));
    expect([...live.world.unknownOwners()]).toEqual([]);
    const doomed = [...(live.world.namespace(namespace)?.pods.values() ?? [])].filter((pod) => pod.doomed);
    expect(doomed.map(({ name }) => name)).toEqual(['set-11']);
  });

  it('takes PodUnavailableBudgets for processed where no operator is registered', async () => {
    const namespace = await cluster.newNamespace();
    for (const crd of crdManifests) await put('', definitions, crd);
    await served('/apis/policy.kruise.io/v1alpha1');
    await served('/apis/holdfast.dev/v1alpha1');
    await addPod(namespace, 'a');
    const budgets = '/apis/policy.kruise.io/v1alpha1/namespaces/*/podunavailablebudgets';
    await put(namespace, budgets, pub('web', { minAvailable: 1 }));
    expect(verdict(await look(admin, only(namespace)), namespace, 'a')).toBe('deny BudgetExhausted');
  });

  it('counts what is reserved in the ledger', async () => {
    const namespace = await cluster.newNamespace();
    const uid = await addPod(namespace, 'a');
    await addPod(namespace, 'b');
    await put(namespace, '/apis/holdfast.dev/v1alpha1/namespaces/*/disruptionledgers', {
      apiVersion: 'holdfast.dev/v1alpha1',
      kind: 'DisruptionLedger',
      metadata: { name: 'default' },
      spec: { reservations: [{ pod: 'a', uid, operation: 'EVICT', time: '2026-01-01T00:00:00Z', view: '1' }] },
    });
    await put(namespace, '/apis/policy/v1/namespaces/*/poddisruptionbudgets', pdb('web', { minAvailable: 1 }));
    const live = await look(admin, only(namespace));
    expect(live.world.namespace(namespace)?.reservations.size).toBe(1);
    expect(verdict(live, namespace, 'b')).toBe('deny BudgetExhausted');
  });

  it('believes no probe of a node without a lease', async () => {
    const namespace = await cluster.newNamespace();
    const annotations = { 'holdfast.dev/disruption-probe': '{"tcpSocket":{"port":80}}' };
    await addPod(namespace, 'a', { annotations });
    expect(verdict(await look(admin, only(namespace)), namespace, 'a')).toMatch(/^deny Probe/);
  });
});

describe('[I4] what may not be read', () => {
  const pods = { apiGroups: [''], resources: ['pods', 'namespaces'], verbs: reading };
  const pdbs = { apiGroups: ['policy'], resources: ['poddisruptionbudgets'], verbs: reading };

  const kruise = { apiGroups: ['policy.kruise.io'], resources: ['*'], verbs: reading };
  const ledgers = { apiGroups: ['holdfast.dev'], resources: ['*'], verbs: reading };
  const sets = { apiGroups: ['apps'], resources: ['statefulsets'], verbs: reading };

  it.each([
    ['budgets', [pods, kruise, ledgers, sets], ['poddisruptionbudgets'], 'deny NotSynced'],
    ['PodUnavailableBudgets', [pods, pdbs, ledgers, sets], ['podunavailablebudgets'], 'deny NotSynced'],
    ['the ledger', [pods, pdbs, kruise, sets], ['disruptionledgers'], 'deny LedgerUnknown'],
    ['owners', [pods, pdbs, kruise, ledgers], ['statefulsets.apps'], 'deny ExpectedUnknown'],
    ['nothing', [pods, pdbs, kruise, ledgers, sets], [], 'allow WithinBudget'],
  ] as const)('is said and refused: %s', async (what, rules, gaps, wanted) => {
    const namespace = await cluster.newNamespace();
    const spec = {
      replicas: 2,
      serviceName: 'web',
      selector: { matchLabels: { app: 'web' } },
      template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'main', image: 'i' }] } },
    };
    const { uid } = await put(namespace, '/apis/apps/v1/namespaces/*/statefulsets', {
      metadata: { name: 'web' },
      spec,
    });
    const owner = { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'web', uid };
    for (const name of ['a', 'b']) await addPod(namespace, name, { owner });
    const scoped = pdb(
      'web',
      { maxUnavailable: 1 },
      { 'holdfast.dev/budget-scope': 'PodGroup', 'holdfast.dev/group-label': 'app' },
    );
    const budget = what === 'the ledger' ? scoped : pdb('web', { maxUnavailable: 1 });
    await put(namespace, '/apis/policy/v1/namespaces/*/poddisruptionbudgets', budget);
    const user = kubeconfigFile(await userWith(cluster, `without-${what.toLowerCase().replace(/\W/g, '-')}`, rules));
    const live = await look(user, only(namespace));
    expect(live.gaps.map((gap) => gap.what)).toEqual(gaps);
    expect(live.registrations.kind).toBe('unknown');
    expect(verdict(live, namespace, 'a')).toBe(wanted);
  });

  it('ends the command where it is the pods', async () => {
    const user = kubeconfigFile(await userWith(cluster, 'stranger', []));
    await expect(look(user, everywhere)).rejects.toThrow(/^pods cannot be read: .*forbidden/);
  });

  it('ends the command where the namespace is not there', async () => {
    await expect(look(admin, only('nowhere'))).rejects.toThrow('namespace nowhere does not exist');
  });
});
