import { afterAll, beforeAll, expect, test } from 'vitest';
import { unwrap } from '../../../../../test/support/unwrap.ts';
import { type Cluster, startCluster } from '../../../../embedded-cluster/src/cluster.ts';
import { seededRandom } from '../../../../embedded-cluster/src/time/random.ts';
import type { Pod } from '../../../src/api/pod.ts';
import type { KubeClient, ResourceName } from '../../../src/kube/client/client.ts';
import { list } from '../../../src/kube/client/list.ts';
import { accessOf, parseKubeconfig } from '../../../src/kube/config/kubeconfig.ts';
import { targetOf } from '../../../src/kube/config/target-of.ts';
import { ObjectCache } from '../../../src/kube/reflector/cache.ts';
import { Reflector } from '../../../src/kube/reflector/reflector.ts';
import { realClock } from '../../../src/kube/time/clock.ts';
import type { Connection } from '../../../src/kube/transport/connection.ts';
import { clientOf, connect, until } from '../support/server.ts';

const pods: ResourceName = { group: '', version: 'v1', plural: 'pods', namespaced: true };
const namespaces: ResourceName = { group: '', version: 'v1', plural: 'namespaces', namespaced: false };
const accounts: ResourceName = { group: '', version: 'v1', plural: 'serviceaccounts', namespaced: true };

let cluster: Cluster;
let connection: Connection;
let client: KubeClient;

beforeAll(async () => {
  cluster = await startCluster({ controllers: false, report: () => {} });
  connection = connect(targetOf(accessOf(parseKubeconfig(cluster.kubeconfig(), '/')), realClock));
  client = clientOf(connection);
  unwrap(await client.create(namespaces, {}, { metadata: { name: 'shop' } }));
  await client.create(accounts, { namespace: 'shop' }, { metadata: { name: 'default' } });
});

afterAll(async () => {
  connection.close();
  await cluster.close();
});

const project = (object: unknown) => object as Pod;
const versions = (items: Iterable<Pod>) =>
  [...items].map((pod) => `${pod.metadata.uid} ${pod.metadata.resourceVersion}`).sort();
const everything = () => list({ client, resource: pods, project, clock: realClock, pageSize: 3 });

function podOf(name: string, app: string): object {
  return { metadata: { name, labels: { app } }, spec: { containers: [{ name: 'main', image: 'i' }] } };
}

async function write(chance: () => number): Promise<void> {
  const name = `p${Math.floor(chance() * 8)}`;
  const place = { namespace: 'shop', name };
  const app = `app-${Math.floor(chance() * 1000)}`;
  const kind = chance();
  if (kind < 0.4) await client.create(pods, { namespace: 'shop' }, podOf(name, app));
  else if (kind < 0.8) await client.patch(pods, place, { type: 'merge', body: { metadata: { labels: { app } } } });
  else await client.delete(pods, place, { gracePeriodSeconds: 0 });
}

test.each([true, false])(
  'a view of the embedded cluster equals a list, under random writes (state as a watch: %s)',
  async (watchList) => {
    const cache = new ObjectCache<Pod>({
      indexes: { app: (pod) => [pod.metadata.labels?.['app'] ?? ''] },
      report: () => {},
    });
    const traits = { watchList };
    const reflector = new Reflector<Pod>({
      client,
      resource: pods,
      project,
      sink: cache,
      traits,
      clock: realClock,
      random: () => 0.5,
      pageSize: 3,
      backoff: { baseMs: 5, capMs: 20 },
    });
    const random = seededRandom(watchList ? 1 : 2);
    for (let i = 0; i < 10; i += 1) await write(() => random.next());
    reflector.start();
    for (let round = 0; round < 8; round += 1) {
      for (let i = 0; i < 8; i += 1) await write(() => random.next());
      const listed = unwrap(await everything());
      await until(() => String(versions(cache.items())) === String(versions(listed.items)), 'the same state');
      for (const pod of listed.items) {
        expect(cache.indexed('app', pod.metadata.labels?.['app'] ?? '').map((one) => one.metadata.name)).toContain(
          pod.metadata.name,
        );
      }
    }
    await reflector.stop();
    expect([cache.synced, traits.watchList]).toEqual([true, watchList]);
  },
);

test('refusals of the embedded cluster are told apart', async () => {
  const place = { namespace: 'shop', name: 'typed' };
  const created = unwrap(await client.create<Pod>(pods, { namespace: 'shop' }, podOf('typed', 'x')));
  expect(await client.create(pods, { namespace: 'shop' }, podOf('typed', 'x'))).toMatchObject({
    failure: { kind: 'alreadyExists' },
  });
  expect(await client.get(pods, { ...place, name: 'none' })).toMatchObject({ failure: { kind: 'notFound' } });
  expect(await client.create(pods, { namespace: 'shop' }, { metadata: { name: 'X' } })).toMatchObject({
    failure: { kind: 'rejected' },
  });
  unwrap(await client.patch(pods, place, { type: 'merge', body: { metadata: { labels: { a: 'b' } } } }));
  expect(await client.replace(pods, place, created)).toMatchObject({ failure: { kind: 'conflict' } });
  const wrongUid = { preconditions: { uid: 'other' } };
  expect(await client.delete(pods, place, wrongUid)).toMatchObject({ failure: { kind: 'conflict' } });
  unwrap(
    await client.delete(pods, place, { gracePeriodSeconds: 0, preconditions: { uid: created.metadata.uid ?? '' } }),
  );
  expect(await client.get(pods, place)).toMatchObject({ failure: { kind: 'notFound' } });
});
