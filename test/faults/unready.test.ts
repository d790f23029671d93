import { afterAll, beforeAll, expect, it } from 'vitest';
import type { RunningOperator } from '../../src/operator/operator.ts';
import { pause } from '../support/cluster.ts';
import { ConnectionProxy } from '../support/connection-proxy.ts';
import { type FaultBed, faultBed } from './support/bed.ts';
import { eventually } from './support/eventually.ts';
import { all, createPods, createPub, evict } from './support/shop.ts';

let bed: FaultBed;
let proxy: ConnectionProxy;
let other: RunningOperator;
let cutOff: RunningOperator;

beforeAll(async () => {
  bed = await faultBed();
  proxy = await ConnectionProxy.start(bed.cluster.operatorAccess);
  other = await bed.replica();
  cutOff = await bed.replica({ by: proxy });
}, 120_000);
afterAll(async () => {
  proxy?.restore();
  await bed?.close();
  await proxy?.close();
});

it('[W2] a replica that cannot judge any more lets go of the connections of API servers, which then ask another', async () => {
  const { cluster } = bed;
  const { balancer } = cluster;
  const namespace = await cluster.newNamespace();
  await createPods(cluster, namespace, all(['web-0', 'web-1'], { app: 'web' }));
  await createPub(cluster, namespace, 'web', { selector: { matchLabels: { app: 'web' } }, minAvailable: 1 });
  const ask = () => evict(cluster, namespace, 'web-0', { dryRun: true });
  balancer.remove(other.webhookPort);
  balancer.cut();
  await eventually(async () => (await ask()).code === 201, 'the replica judges');
  expect(balancer.connections(cutOff.webhookPort)).toBeGreaterThan(0);

  proxy.cutOff();
  await eventually(() => cutOff.missing().length > 0, 'the replica is not ready');
  // What a Service does: new connections go elsewhere, and those that exist go on.
  balancer.remove(cutOff.webhookPort);
  balancer.add(other.webhookPort);
  await eventually(() => balancer.connections(cutOff.webhookPort) === 0, 'the replica closed its connections');
  for (let round = 0; round < 20; round += 1) {
    const answer = await ask();
    expect(answer.code, answer.text).toBe(201);
    await pause(10);
  }

  // And when it is back, connections are kept as before.
  proxy.restore();
  await eventually(() => cutOff.missing().length === 0, 'the replica is ready');
  balancer.add(cutOff.webhookPort);
  balancer.remove(other.webhookPort);
  balancer.cut();
  await eventually(async () => (await ask()).code === 201 && balancer.connections(cutOff.webhookPort) > 0, 'it judges');
  await pause(2_500);
  expect(balancer.connections(cutOff.webhookPort)).toBeGreaterThan(0);
});
