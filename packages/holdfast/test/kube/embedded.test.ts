import type { Lease } from 'kubernetes-types/coordination/v1.js';
import type { ConfigMap, Event, Pod } from 'kubernetes-types/core/v1.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { unwrap } from '../../../../test/support/unwrap.ts';
import { type Cluster, startCluster } from '../../../embedded-cluster/src/cluster.ts';
import type { KubeClient, ResourceName } from '../../src/kube/client/client.ts';
import { createClients } from '../../src/kube/client/clients.ts';
import { list } from '../../src/kube/client/list.ts';
import type { Patch } from '../../src/kube/client/patch.ts';
import { accessOf, parseKubeconfig } from '../../src/kube/config/kubeconfig.ts';
import { targetOf } from '../../src/kube/config/target-of.ts';
import { leaseApi, leases } from '../../src/kube/election/lease-api.ts';
import { LeaseElection } from '../../src/kube/election/lease-election.ts';
import { EventRecorder } from '../../src/kube/events/recorder.ts';
import { realClock } from '../../src/kube/time/clock.ts';
import type { Connection } from '../../src/kube/transport/connection.ts';
import { connect, until } from './support/server.ts';

/** The client and the embedded cluster were written apart from each other: here they meet. */

const limit = { perSecond: 1_000, burst: 1_000, concurrent: 50, waiting: 1_000 };
const core = (plural: string, namespaced = true): ResourceName => ({ group: '', version: 'v1', plural, namespaced });

let cluster: Cluster;
let connection: Connection;
let client: KubeClient;
let electionClient: KubeClient;

beforeAll(async () => {
  cluster = await startCluster({ controllers: false, report: () => {} });
  connection = connect(targetOf(accessOf(parseKubeconfig(cluster.kubeconfig(), '/')), realClock));
  const clients = createClients(connection, { work: limit, election: limit }, realClock);
  client = clients.work;
  electionClient = clients.election;
  unwrap(await client.create(core('namespaces', false), {}, { metadata: { name: 'shop' } }));
});

afterAll(async () => {
  connection.close();
  await cluster.close();
});

describe('every kind of patch', () => {
  const patches: readonly (readonly [string, Patch, Record<string, string>])[] = [
    ['JSON', { type: 'json', operations: [{ op: 'add', path: '/data/b', value: '2' }] }, { a: '1', b: '2' }],
    ['merge', { type: 'merge', body: { data: { a: null, c: '3' } } }, { c: '3' }],
    ['strategic', { type: 'strategic', body: { data: { d: '4' } } }, { a: '1', d: '4' }],
    [
      'apply',
      {
        type: 'apply',
        fieldManager: 'test',
        force: true,
        body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'patched-apply' }, data: { a: '5' } },
      },
      { a: '5' },
    ],
  ];

  test.each(patches)('%s', async (name, patch, data) => {
    const place = { namespace: 'shop', name: `patched-${name.toLowerCase()}` };
    const maps = core('configmaps');
    unwrap(await client.create(maps, { namespace: 'shop' }, { metadata: { name: place.name }, data: { a: '1' } }));
    const dry = unwrap(await client.patch<ConfigMap>(maps, place, patch, { dryRun: true }));
    expect(dry.data).toEqual(data);
    expect(unwrap(await client.get<ConfigMap>(maps, place)).data).toEqual({ a: '1' });
    unwrap(await client.patch(maps, place, patch));
    expect(unwrap(await client.get<ConfigMap>(maps, place)).data).toEqual(data);
  });
});

test('an election: one leads, gives the lease back, and the other leads', async () => {
  const place = { namespace: 'shop', name: 'leader' };
  const stand = (identity: string) =>
    new LeaseElection({
      api: leaseApi(electionClient, place),
      ...place,
      identity,
      clock: realClock,
      random: Math.random,
      leaseDurationMs: 60_000,
      renewDeadlineMs: 40_000,
      retryPeriodMs: 50,
      lead: (signal) => new Promise((resolve) => signal.addEventListener('abort', () => resolve())),
      report: () => {},
    });
  const [first, second] = [stand('a'), stand('b')];
  first.start();
  await until(() => first.isLeader);
  second.start();
  await first.stop();
  await until(() => second.isLeader);
  expect(first.isLeader).toBe(false);
  expect(unwrap(await client.get<Lease>(leases, place)).spec).toMatchObject({
    holderIdentity: 'b',
    leaseTransitions: 1,
  });
  await second.stop();
  expect(unwrap(await client.get<Lease>(leases, place)).spec).toMatchObject({ holderIdentity: '' });
});

test('events are accepted, and counted up', async () => {
  const recorder = new EventRecorder({
    client,
    clock: realClock,
    random: Math.random,
    component: 'holdfast',
    instance: 'test',
    report: (message) => {
      throw new Error(message);
    },
  });
  const subject = { apiVersion: 'v1', kind: 'Pod', namespace: 'shop', name: 'a', uid: 'u' };
  for (let i = 0; i < 3; i += 1) {
    recorder.record({ subject, type: 'Warning', reason: 'Blocked', message: 'by a budget' });
    await recorder.flush();
  }
  const request = { client, resource: core('events'), clock: realClock, project: (object: unknown) => object as Event };
  const { items } = unwrap(await list({ ...request, selection: { namespace: 'shop' } }));
  expect(items).toMatchObject([{ reason: 'Blocked', count: 3, involvedObject: { name: 'a' } }]);
});

test('a collection is deleted at once, as far as a selector reaches', async () => {
  const maps = core('configmaps');
  for (const name of ['keep', 'drop']) {
    unwrap(await client.create(maps, { namespace: 'shop' }, { metadata: { name, labels: { what: name } } }));
  }
  unwrap(await client.deleteCollection(maps, { namespace: 'shop', labelSelector: 'what=drop' }));
  expect(await client.get<Pod>(maps, { namespace: 'shop', name: 'drop' })).toMatchObject({
    failure: { kind: 'notFound' },
  });
  expect(await client.get<Pod>(maps, { namespace: 'shop', name: 'keep' })).toMatchObject({ ok: true });
});
