import { afterAll, beforeAll, expect, test } from 'vitest';
import { unwrap } from '../../../../../test/support/unwrap.ts';
import { type Cluster, startCluster } from '../../../../embedded-cluster/src/cluster.ts';
import { podUnavailableBudgetCrd } from '../../../src/api/crd/pod-unavailable-budget.ts';
import type { KubeClient, ResourceName } from '../../../src/kube/client/client.ts';
import { createClients } from '../../../src/kube/client/clients.ts';
import { accessOf, parseKubeconfig } from '../../../src/kube/config/kubeconfig.ts';
import { targetOf } from '../../../src/kube/config/target-of.ts';
import { Discovery } from '../../../src/kube/discovery/discovery.ts';
import { Interner } from '../../../src/kube/projection/interner.ts';
import { ObjectCache } from '../../../src/kube/reflector/cache.ts';
import { realClock, sleep } from '../../../src/kube/time/clock.ts';
import { Connection } from '../../../src/kube/transport/connection.ts';
import { operatorPurposeLimits } from '../../../src/observe/purposes.ts';
import { pubsIn } from '../../../src/observe/resources.ts';
import { pubProjection } from '../../../src/observe/view/projections.ts';
import { Watched } from '../../../src/observe/view/watched.ts';
import { createLogger } from '../../../src/telemetry/log.ts';
import { until } from '../../kube/support/server.ts';

const crds: ResourceName = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  plural: 'customresourcedefinitions',
  namespaced: false,
};
const clock = realClock;
const log = createLogger({ level: 'error', format: 'text', write: () => undefined, now: () => 0 });

let cluster: Cluster;
let connection: Connection;
let client: KubeClient;
let discovery: Discovery;
let context: ConstructorParameters<typeof Watched>[0]['context'];

beforeAll(async () => {
  cluster = await startCluster({ controllers: false, report: () => undefined });
  const target = targetOf(accessOf(parseKubeconfig(cluster.kubeconfig(), '/'), undefined), clock);
  connection = new Connection(target, { clock, userAgent: 'test' });
  const clients = createClients(connection, operatorPurposeLimits, clock);
  client = clients.upkeep;
  discovery = new Discovery({ client, clock, missMs: 10, hitMs: 10 });
  context = { clients, clock, random: () => 0, log };
});

afterAll(async () => {
  connection.close();
  await cluster.close();
});

function watchPubs(kinds: Pick<Discovery, 'resourceOf'> = discovery) {
  const cache = new ObjectCache<ReturnType<ReturnType<typeof pubProjection>>>({
    report: (error) => expect(error).toBe('none'),
  });
  const watched = new Watched({
    context,
    discovery: kinds,
    traits: { watchList: true },
    kind: { group: 'policy.kruise.io', kind: 'PodUnavailableBudget' },
    sink: cache,
    project: (resource) => pubProjection(new Interner(), resource),
    recheckMs: 20,
  });
  return { cache, watched, names: () => [...cache.items()].map(({ metadata }) => metadata.name) };
}

const budget = (name: string) => ({
  apiVersion: 'policy.kruise.io/v1beta1',
  kind: 'PodUnavailableBudget',
  metadata: { name, namespace: 'default' },
  spec: { selector: { matchLabels: { app: 'web' } }, maxUnavailable: 1 },
});

test('an API that is not there has no objects, and one that comes, goes and comes again is followed', async () => {
  const { cache, watched, names } = watchPubs();
  expect(watched.silentMs()).toBe(Number.POSITIVE_INFINITY);
  watched.start();
  await until(() => cache.synced);
  expect(names()).toEqual([]);
  expect(watched.silentMs()).toBe(0);

  unwrap(await client.create(crds, {}, podUnavailableBudgetCrd));
  await createWhenServed('first');
  await until(() => names().includes('first'));

  unwrap(await client.delete(crds, { name: podUnavailableBudgetCrd.metadata.name }));
  await until(() => names().length === 0);

  unwrap(await client.create(crds, {}, podUnavailableBudgetCrd));
  await createWhenServed('second');
  await until(() => names().includes('second'));
  expect(names()).toEqual(['second']);
  await watched.close();
});

/** A definition takes a moment to be served. */
async function createWhenServed(name: string): Promise<void> {
  for (let left = 200; ; left -= 1) {
    const created = await client.create(pubsIn('v1beta1'), { namespace: 'default' }, budget(name));
    if (created.ok) return;
    if (left === 0) throw new Error(created.failure.message);
    await sleep(clock, 20);
  }
}

test('ends when it is closed before the server has said whether it has the API', async () => {
  let answer = () => {};
  const asked = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const nodes = {
    group: '',
    version: 'v1',
    plural: 'nodes',
    namespaced: false,
    kind: 'Node',
    verbs: ['watch'],
    scalable: false,
  };
  const { watched } = watchPubs({ resourceOf: () => asked.then(() => ({ ok: true, value: nodes })) });
  watched.start();
  const closed = watched.close();
  answer();
  await closed;
});
