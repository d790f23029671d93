import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { pubNumbers } from '../../../../../test/support/a-world.ts';
import { aPod, aPub, ns } from '../../../../../test/support/builders.ts';
import { made } from '../../../../../test/support/cluster.ts';
import { accessFrom, type Body, KubeHttp } from '../../../../../test/support/kube-http.ts';
import { chainState, gone, known, ownerView, unknown, unknownNames } from '../../../../../test/support/owner-view.ts';
import type { OwnerReference } from '../../../../base/src/meta.ts';
import { type Cluster, startCluster } from '../../../../embedded-cluster/src/cluster.ts';
import type { Crd } from '../../../../embedded-cluster/src/crd/crd.ts';
import { clusterPermissions } from '../../../src/install/manifests/rbac-rules.ts';
import { defaultInstallValues } from '../../../src/install/values/values.ts';
import { accessOf, parseKubeconfig } from '../../../src/kube/config/kubeconfig.ts';
import { targetOf } from '../../../src/kube/config/target-of.ts';
import { type Clock, realClock } from '../../../src/kube/time/clock.ts';
import type { Connection } from '../../../src/kube/transport/connection.ts';
import { connect, until } from '../../kube/support/server.ts';
import { type RunningResolver, reference, runResolver } from './support.ts';

const user = 'operator';
let cluster: Cluster;
let http: KubeHttp;
/** With the rights that the manifests give to the operator, and with all rights. */
let asOperator: Connection;
let asAdmin: Connection;

const apps = `/apis/apps/v1/namespaces/${ns}`;
const template = { metadata: { labels: { app: 'x' } }, spec: { containers: [{ name: 'main', image: 'i' }] } };
const workload = (name: string, replicas: number, ownerReferences: readonly OwnerReference[] = []) => ({
  metadata: { name, ownerReferences },
  spec: { replicas, serviceName: name, selector: { matchLabels: { app: 'x' } }, template },
});
const set = (name: string, replicas: number, owners: readonly OwnerReference[] = []) => {
  const { metadata, spec } = workload(name, replicas, owners);
  const { serviceName: _, ...rest } = spec;
  return { metadata, spec: rest };
};

function crd(group: string, kind: string, plural: string, scalable: boolean, versions = ['v1']): Crd {
  const any = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  const scale = { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      names: { plural, kind },
      scope: 'Namespaced',
      versions: versions.map((name, i) => ({
        name,
        served: true,
        storage: i === 0,
        schema: { openAPIV3Schema: { type: 'object', properties: { spec: any, status: any } } },
        ...(scalable ? { subresources: { scale } } : {}),
      })),
    },
  };
}

async function install(definition: Crd): Promise<void> {
  const { group, names, versions } = definition.spec;
  await made(http.request('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', { body: definition }));
  const path = `/apis/${group}/${versions[0]?.name}/${names.plural}`;
  for (let served = false; !served; ) served = (await http.request('GET', path)).code === 200;
}

function create(path: string, body: object): Promise<Body> {
  return made(http.request('POST', path, { body }));
}

const merge = (path: string, body: object) =>
  made(http.request('PATCH', path, { contentType: 'application/merge-patch+json', body }));

const remove = (path: string) => made(http.request('DELETE', `${path}?propagationPolicy=Background`));

const ref = (apiVersion: string, kind: string, { metadata }: Body) =>
  reference(apiVersion, kind, metadata?.name ?? '', metadata?.uid ?? '');

const running: RunningResolver[] = [];

function resolve(connection: Connection, clock?: Clock): RunningResolver {
  const one = runResolver(ownerView(), connection, clock);
  running.push(one);
  one.resolver.start();
  return one;
}

/** As the view of the pods would: it says that something changed. */
function addPod({ world, resolver }: RunningResolver, name: string, owner: OwnerReference): void {
  world.upsertPod(aPod(name).labels({ app: 'x' }).ownedBy(owner).build());
  resolver.wake();
}

const budget = aPub('c', { selector: { matchLabels: { app: 'x' } }, maxUnavailable: 1 });

beforeAll(async () => {
  cluster = await startCluster({ controllers: false, report: () => {} });
  http = new KubeHttp(accessFrom(cluster.kubeconfig()));
  const access = accessOf(parseKubeconfig(cluster.kubeconfig(), '/'));
  const impersonate = { user, uid: undefined, groups: ['system:authenticated'], extra: {} };
  asAdmin = connect(targetOf(access, realClock));
  asOperator = connect(targetOf({ ...access, user: { ...access.user, impersonate } }, realClock));
  await create('/api/v1/namespaces', { metadata: { name: ns } });
  const rbac = '/apis/rbac.authorization.k8s.io/v1';
  const rules = clusterPermissions(defaultInstallValues).map(({ rule }) => rule);
  await create(`${rbac}/clusterroles`, { metadata: { name: 'operator' }, rules });
  await create(`${rbac}/clusterrolebindings`, {
    metadata: { name: 'operator' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'operator' },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }],
  });
  await install(crd('argo.example', 'Rollout', 'rollouts', true));
  await install(crd('plain.example', 'Thing', 'things', false));
});

afterEach(async () => {
  for (const one of running.splice(0)) await one.resolver.close();
});

afterAll(async () => {
  asOperator?.close();
  asAdmin?.close();
  http?.close();
  await cluster?.close();
});

describe('with the rights of the operator', () => {
  it('[O1] [O2] the chain of a Deployment comes from watches, and its scale is followed', async () => {
    const one = resolve(asOperator);
    const web = await create(`${apps}/deployments`, set('web', 3));
    const webSet = await create(`${apps}/replicasets`, set('web-a', 3, [ref('apps/v1', 'Deployment', web)]));
    addPod(one, 'p', ref('apps/v1', 'ReplicaSet', webSet));
    one.world.upsertPub(budget);
    await until(() => one.resolver.synced() && pubNumbers(one.world, 'c')?.expected === 3);
    expect(unknownNames(one.world)).toEqual([]);
    one.touched.length = 0;
    await merge(`${apps}/deployments/web`, { spec: { replicas: 5 } });
    await until(() => pubNumbers(one.world, 'c')?.expected === 5);
    await until(() => one.touched.includes(ns));
    await remove(`${apps}/deployments/web`);
    await until(() => chainState(one.world) === gone);
    expect(await one.metrics()).toContain('holdfast_owner_lookups_total{result="absent"}');
  });

  it('[O1] an owner that is known when its first pod comes is known at once', async () => {
    const db = await create(`${apps}/statefulsets`, workload('early', 2));
    const one = resolve(asOperator);
    await until(() => one.resolver.synced());
    one.world.upsertPod(
      aPod('p')
        .ownedBy(ref('apps/v1', 'StatefulSet', db))
        .build(),
    );
    expect(chainState(one.world)).toBe(known);
  });

  it('[O1] an owner of the same name that was made again is another one', async () => {
    const one = resolve(asOperator);
    const before = await create(`${apps}/statefulsets`, workload('again', 2));
    addPod(one, 'old', ref('apps/v1', 'StatefulSet', before));
    await until(() => chainState(one.world, 'old') === known);
    await remove(`${apps}/statefulsets/again`);
    const after = await create(`${apps}/statefulsets`, workload('again', 2));
    addPod(one, 'new', ref('apps/v1', 'StatefulSet', after));
    await until(() => chainState(one.world, 'new') === known && chainState(one.world, 'old') === gone);
  });

  it('[P7] of a kind that may not be read, the scale says how many pods there should be, also none', async () => {
    const path = `/apis/argo.example/v1/namespaces/${ns}/rollouts`;
    const rollout = await create(path, {
      apiVersion: 'argo.example/v1',
      kind: 'Rollout',
      metadata: { name: 'roll' },
      spec: { replicas: 4 },
    });
    const one = resolve(asOperator);
    addPod(one, 'p', ref('argo.example/v1', 'Rollout', rollout));
    one.world.upsertPub(budget);
    await until(() => pubNumbers(one.world, 'c')?.expected === 4);
    await merge(`${path}/roll`, { spec: { replicas: 0 } });
    await until(() => chainState(one.world) === gone);
    await merge(`${path}/roll`, { spec: { replicas: 2 } });
    await until(() => pubNumbers(one.world, 'c')?.expected === 2);
    await remove(`${path}/roll`);
    await until(() => chainState(one.world) === gone);
  });

  it('[I4] of a kind that may not be read and has no scale nothing is known, which is said once', async () => {
    const path = `/apis/plain.example/v1/namespaces/${ns}/things`;
    const one = resolve(asOperator);
    for (const name of ['t1', 't2']) {
      const thing = await create(path, { apiVersion: 'plain.example/v1', kind: 'Thing', metadata: { name } });
      addPod(one, `p-${name}`, ref('plain.example/v1', 'Thing', thing));
    }
    addPod(one, 'p-never', reference('plain.example/v1', 'Thing', 'never-was', 'uid-never'));
    const complaints = () => one.log.filter(({ msg }) => msg === 'the operator may not read owners of this kind');
    await until(() => complaints().length > 0);
    await until(() => one.resolver.synced());
    expect(['p-t1', 'p-t2', 'p-never'].map((name) => chainState(one.world, name))).toEqual([unknown, unknown, unknown]);
    expect(complaints()).toMatchObject([
      { kind: 'plain.example/Thing', resource: 'things', help: expect.stringContaining('ownerKinds') },
    ]);
    expect(await one.metrics()).toMatch(/holdfast_owners_unknown 3/);
  });

  it('[I4] of a kind that the server does not have nothing is known, until it has it', async () => {
    const one = resolve(asOperator);
    const later = reference('late.example/v1', 'Late', 'l', 'uid-l');
    addPod(one, 'p', later);
    await until(() => one.log.some(({ kind }) => kind === 'late.example/Late'));
    expect(chainState(one.world)).toBe(unknown);
    await install(crd('late.example', 'Late', 'lates', true));
    await until(() => chainState(one.world) === gone);
  });

  it('[O3] a LeaderWorkerSet is found when its definition is installed after us', async () => {
    const group = 'leaderworkerset.x-k8s.io';
    const one = resolve(asOperator);
    await until(() => one.resolver.synced());
    one.world.upsertPod(aPod('p').labels({ app: 'x' }).lws('llm', 0, 0, 1).build());
    one.world.upsertPub(
      aPub('c', {
        selector: { matchLabels: { app: 'x' } },
        maxUnavailable: 1,
        podGroupPolicy: { groupLabelKey: 'leaderworkerset.sigs.k8s.io/group-index' },
      }),
    );
    one.resolver.wake();
    await until(() => one.log.some(({ kind }) => kind === `${group}/LeaderWorkerSet`));
    await install(crd(group, 'LeaderWorkerSet', 'leaderworkersets', true));
    const path = `/apis/${group}/v1/namespaces/${ns}/leaderworkersets`;
    await create(path, {
      apiVersion: `${group}/v1`,
      kind: 'LeaderWorkerSet',
      metadata: { name: 'llm' },
      spec: { replicas: 6, leaderWorkerTemplate: { size: 1, workerTemplate: template } },
    });
    await until(() => pubNumbers(one.world, 'c')?.expected === 6);
    await merge(`${path}/llm`, { spec: { replicas: 7 } });
    await until(() => pubNumbers(one.world, 'c')?.expected === 7);
  });

  it('[U3] a workload that only a budget names is looked up, and looked for while it is not there', async () => {
    const one = resolve(asOperator);
    const targetRef = { apiVersion: 'argo.example/v1', kind: 'Rollout', name: 'target' };
    one.world.upsertPub(aPub('c', { targetRef, maxUnavailable: 1 }));
    one.resolver.wake();
    await until(() => unknownNames(one.world).length === 0);
    await create(`/apis/argo.example/v1/namespaces/${ns}/rollouts`, {
      apiVersion: 'argo.example/v1',
      kind: 'Rollout',
      metadata: { name: 'target' },
      spec: { replicas: 9 },
    });
    await until(() => pubNumbers(one.world, 'c')?.expected === 9);
  });
});

describe('with more rights', () => {
  it('[O1] [O3] owners of kinds that are not built in lead on to their own', async () => {
    const path = `/apis/plain.example/v1/namespaces/${ns}/things`;
    const thing = await create(path, { apiVersion: 'plain.example/v1', kind: 'Thing', metadata: { name: 'top' } });
    const owned = await create(`${apps}/statefulsets`, workload('owned', 2, [ref('plain.example/v1', 'Thing', thing)]));
    const one = resolve(asAdmin);
    addPod(one, 'p', ref('apps/v1', 'StatefulSet', owned));
    await until(() => chainState(one.world) === known);
    await remove(`${path}/top`);
    await until(() => chainState(one.world) === gone);
  });

  it('[P7] a change of a kind that may be watched is heard of, long before it would be looked at again', async () => {
    const path = `/apis/argo.example/v1/namespaces/${ns}/rollouts`;
    const body = { apiVersion: 'argo.example/v1', kind: 'Rollout', metadata: { name: 'heard' }, spec: { replicas: 1 } };
    const rollout = await create(path, body);
    const one = resolve(asAdmin, realClock);
    addPod(one, 'p', ref('argo.example/v1', 'Rollout', rollout));
    one.world.upsertPub(budget);
    await until(() => pubNumbers(one.world, 'c')?.expected === 1);
    await merge(`${path}/heard`, { spec: { replicas: 2 } });
    await until(() => pubNumbers(one.world, 'c')?.expected === 2);
  });

  it('[O1] a kind that only a version has which is not preferred is found, too', async () => {
    await install(crd('both.example', 'New', 'news', false, ['v1']));
    await install(crd('both.example', 'Old', 'olds', false, ['v1beta1']));
    const old = await create(`/apis/both.example/v1beta1/namespaces/${ns}/olds`, {
      apiVersion: 'both.example/v1beta1',
      kind: 'Old',
      metadata: { name: 'o' },
    });
    const one = resolve(asAdmin);
    addPod(one, 'p', ref('both.example/v1beta1', 'Old', old));
    await until(() => chainState(one.world) === known);
  });
});
