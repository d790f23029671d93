import type { Event } from 'kubernetes-types/core/v1.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { unwrap } from '../../../../../test/support/unwrap.ts';
import type { Fields } from '../../../../base/src/json.ts';
import type { Condition } from '../../../../base/src/meta.ts';
import { type Cluster, startCluster } from '../../../../embedded-cluster/src/cluster.ts';
import { podUnavailableBudgetCrd } from '../../../src/api/crd/pod-unavailable-budget.ts';
import type { PodDisruptionBudget } from '../../../src/api/pdb.ts';
import type { Pod } from '../../../src/api/pod.ts';
import type { PodUnavailableBudget } from '../../../src/api/pub/pub.ts';
import { collections } from '../../../src/core/sync.ts';
import { World } from '../../../src/core/world/world.ts';
import type { ResourceName } from '../../../src/kube/client/client.ts';
import { createClients } from '../../../src/kube/client/clients.ts';
import { accessOf, parseKubeconfig } from '../../../src/kube/config/kubeconfig.ts';
import { targetOf } from '../../../src/kube/config/target-of.ts';
import { EventRecorder } from '../../../src/kube/events/recorder.ts';
import { ObjectCache } from '../../../src/kube/reflector/cache.ts';
import { Reflector } from '../../../src/kube/reflector/reflector.ts';
import type { Reflected } from '../../../src/kube/reflector/sink.ts';
import { realClock } from '../../../src/kube/time/clock.ts';
import type { Connection } from '../../../src/kube/transport/connection.ts';
import { type Clients, operatorPurposeLimits } from '../../../src/observe/purposes.ts';
import { pubsIn, resources } from '../../../src/observe/resources.ts';
import { createBudgetMetrics } from '../../../src/operator/status/budget-metrics.ts';
import { groupBudgetOf } from '../../../src/operator/status/plan-pdb.ts';
import { StatusController } from '../../../src/operator/status/status-controller.ts';
import { createLogger } from '../../../src/telemetry/log.ts';
import { createMetrics } from '../../../src/telemetry/metrics.ts';
import { connect } from '../../kube/support/server.ts';

/** The controller on a Kubernetes API, with the built-in disruption controller beside it. */

const namespace = 'shop';
const crds: ResourceName = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  plural: 'customresourcedefinitions',
  namespaced: false,
};

let cluster: Cluster;
let connection: Connection;
let clients: Clients;

beforeAll(async () => {
  cluster = await startCluster({ controllers: true, sockets: false, report: () => undefined });
  connection = connect(targetOf(accessOf(parseKubeconfig(cluster.kubeconfig(), '/')), realClock));
  clients = createClients(connection, operatorPurposeLimits, realClock);
  unwrap(await clients.upkeep.create(resources.namespaces, {}, { metadata: { name: namespace } }));
  unwrap(await clients.upkeep.create(crds, {}, podUnavailableBudgetCrd));
  await eventually(async () => (await clients.upkeep.document('/apis/policy.kruise.io/v1beta1')).ok);
  await eventually(async () => (await createdPod(pod('web-0', true))) !== undefined);
  await createdPod(pod('web-1', true));
});

afterAll(async () => {
  connection?.close();
  await cluster?.close();
});

const pod = (name: string, ready: boolean) => ({
  metadata: { name, labels: { app: 'web', shard: name } },
  spec: { nodeName: 'none', containers: [{ name: 'main', image: 'web:1' }] },
  status: { phase: 'Running', conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }] },
});

async function createdPod(body: ReturnType<typeof pod>): Promise<Pod | undefined> {
  const created = await clients.upkeep.create<Pod>(resources.pods, { namespace }, body);
  if (created.ok) await setReady(body.metadata.name, true);
  return created.ok ? created.value : undefined;
}

async function setReady(name: string, ready: boolean): Promise<void> {
  const { status } = pod(name, ready);
  const place = { namespace, name, subresource: 'status' };
  unwrap(await clients.upkeep.patch(resources.pods, place, { type: 'merge', body: { status } }));
}

async function eventually(done: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; !(await done()); tries += 1) {
    if (tries > 1_000) throw new Error('waited in vain');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

const pdbNow = async (name: string) =>
  unwrap(await clients.upkeep.get<PodDisruptionBudget & { status: Fields }>(resources.pdbs, { namespace, name }));
const says = async (name: string) => {
  const shown = groupBudgetOf(await pdbNow(name));
  return shown === undefined ? 'nothing' : `${shown.status} ${shown.reason}: ${shown.message}`;
};
const pubNow = async (name: string) =>
  unwrap(await clients.upkeep.get<PodUnavailableBudget>(pubsIn('v1beta1'), { namespace, name }));

async function eventsOfOurs(): Promise<readonly string[]> {
  const told = unwrap(await clients.upkeep.document<{ items: Event[] }>(`/api/v1/namespaces/${namespace}/events`));
  const ours = told.items.filter(({ source }) => source?.component === 'holdfast');
  return ours.map(({ reason, involvedObject }) => `${reason} ${involvedObject.kind}`);
}

function reflected<T extends Reflected>(resource: ResourceName, change: (gone: boolean, item: T) => void) {
  const cache = new ObjectCache<T>({ report: () => undefined });
  cache.listen({ delta: ({ type, item }) => change(type === 'deleted', item) });
  const reflector = new Reflector<T>({
    client: clients.watch,
    resource,
    // Safe: the collection has objects of this kind only.
    project: (object) => object as unknown as T,
    sink: cache,
    traits: { watchList: true },
    clock: realClock,
    random: () => 0.5,
  });
  reflector.start();
  return { cache, reflector };
}

/** A leader, from its first look to its end. */
async function leading(): Promise<() => Promise<void>> {
  const world = new World();
  world.setNamespace({ metadata: { name: namespace } });
  const pods = reflected<Pod>(resources.pods, (gone, item) => {
    if (gone) world.deletePod(namespace, item.metadata.name);
    else world.upsertPod(item);
    controller.namespace(namespace);
  });
  const pdbs = reflected<PodDisruptionBudget>(resources.pdbs, (gone, item) =>
    gone ? world.deletePdb(namespace, item.metadata.name) : world.upsertPdb(item),
  );
  const pubs = reflected<PodUnavailableBudget>(pubsIn('v1beta1'), (gone, item) =>
    gone ? world.deletePub(namespace, item.metadata.name) : world.upsertPub(item),
  );
  const metrics = createMetrics();
  const log = createLogger({ level: 'error', format: 'text', write: () => undefined, now: () => 0 });
  const recorder = new EventRecorder({
    client: clients.events,
    clock: realClock,
    random: () => 0.5,
    component: 'holdfast',
    instance: 'test',
    report: () => undefined,
  });
  const controller = new StatusController({
    context: { world, clients, clock: realClock, random: () => 0.5, log, metrics },
    views: { pdbs: pdbs.cache, pubs: pubs.cache },
    guardOf: () => ({ kind: 'on' }),
    recorder,
    pubsPaused: () => false,
    projects: false,
    budgetMetrics: createBudgetMetrics(metrics, realClock),
  });
  await eventually(async () => [pods, pdbs, pubs].every(({ cache }) => cache.synced));
  for (const one of collections) world.setSynced(one, '1');
  const stop = new AbortController();
  const ended = controller.lead(stop.signal);
  return async () => {
    stop.abort();
    await ended;
    await recorder.stop();
    for (const { reflector } of [pods, pdbs, pubs]) await reflector.stop();
  };
}

const groupScope = { 'holdfast.dev/budget-scope': 'PodGroup', 'holdfast.dev/group-label': 'shard' };
const budget = (name: string, annotations: Record<string, string>) => ({
  metadata: { name, annotations },
  spec: { selector: { matchLabels: { app: 'web' } }, minAvailable: 1 },
});

describe('on an API server', () => {
  it('[S2] the condition of a group budget and what the built-in controller writes live side by side', async () => {
    const end = await leading();
    unwrap(await clients.upkeep.create(resources.pdbs, { namespace }, budget('web', groupScope)));
    await eventually(async () => (await says('web')).startsWith('True Sufficient: 2 groups available, 1 needed'));
    await setReady('web-0', false);
    await eventually(async () => (await says('web')).startsWith('False Insufficient: 1 group available'));
    await eventually(async () => (await pdbNow('web')).status['currentHealthy'] === 1);
    const { conditions } = (await pdbNow('web')).status as { conditions: Condition[] };
    expect(conditions.map(({ type }) => type).sort()).toEqual(['DisruptionAllowed', 'holdfast.dev/GroupBudget']);
    await setReady('web-0', true);
    await eventually(async () => (await pdbNow('web')).status['currentHealthy'] === 2);
    await eventually(async () => (await says('web')).startsWith('True Sufficient: 2 groups'));
    await end();
  });

  it('[S2] a budget that became plain while there was no leader loses the condition, and nothing else', async () => {
    const place = { namespace, name: 'web' };
    const body = { metadata: { annotations: { 'holdfast.dev/budget-scope': null, 'holdfast.dev/group-label': null } } };
    unwrap(await clients.upkeep.patch(resources.pdbs, place, { type: 'merge', body }));
    expect(await says('web')).toContain('True Sufficient');
    const end = await leading();
    await eventually(async () => (await says('web')) === 'nothing');
    const { currentHealthy, conditions } = (await pdbNow('web')).status;
    expect([currentHealthy, (conditions as Condition[]).map(({ type }) => type)]).toEqual([2, ['DisruptionAllowed']]);
    await end();
  });

  it('a condition of ours that another client wrote is also removed', async () => {
    const place = { namespace, name: 'web', subresource: 'status' };
    const left = {
      type: 'holdfast.dev/GroupBudget',
      status: 'True',
      reason: 'Restored',
      message: '',
      lastTransitionTime: '2026-01-01T00:00:00Z',
    };
    const operations = [{ op: 'add', path: '/status/conditions/-', value: left }] as const;
    unwrap(await clients.upkeep.patch(resources.pdbs, place, { type: 'json', operations }, { fieldManager: 'backup' }));
    expect(await says('web')).toContain('Restored');
    const end = await leading();
    await eventually(async () => (await says('web')) === 'nothing');
    await end();
  });

  it('[S1] a PodUnavailableBudget shows its numbers, [U4] and follows its spec', async () => {
    const end = await leading();
    const spec = {
      selector: { matchLabels: { app: 'web' } },
      minAvailable: 1,
      podGroupPolicy: { groupLabelKey: 'team' },
    };
    const body = {
      apiVersion: 'policy.kruise.io/v1beta1',
      kind: 'PodUnavailableBudget',
      metadata: { name: 'web' },
      spec,
    };
    unwrap(await clients.upkeep.create(pubsIn('v1beta1'), { namespace }, body));
    await eventually(async () => (await pubNow('web')).status?.observedGeneration === 1);
    expect((await pubNow('web')).status).toMatchObject({
      currentAvailable: 2,
      desiredAvailable: 1,
      unavailableAllowed: 1,
    });
    const patch = { type: 'merge', body: { spec: { minAvailable: 2 } } } as const;
    unwrap(await clients.upkeep.patch(pubsIn('v1beta1'), { namespace, name: 'web' }, patch));
    await eventually(async () => (await pubNow('web')).status?.observedGeneration === 2);
    expect((await pubNow('web')).status).toMatchObject({ desiredAvailable: 2, unavailableAllowed: 0 });
    await eventually(async () => (await eventsOfOurs()).includes('MissingGroupLabel PodUnavailableBudget'));
    unwrap(await clients.upkeep.delete(pubsIn('v1beta1'), { namespace, name: 'web' }));
    await end();
  });
});
