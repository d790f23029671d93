import { afterAll, beforeAll, expect, it } from 'vitest';
import type { RunningOperator } from '../../packages/holdfast/src/operator/operator.ts';
import { JumpClock } from '../../packages/holdfast/test/operator/certificates/jump-clock.ts';
import { pause } from '../support/cluster.ts';
import { ConnectionProxy } from '../support/connection-proxy.ts';
import { type FaultBed, faultBed } from './support/bed.ts';
import { eventually } from './support/eventually.ts';
import { createDeployment, createPub, evict, podsOn } from './support/shop.ts';

let bed: FaultBed;
let proxy: ConnectionProxy;
let operator: RunningOperator;
const clock = new JumpClock();

beforeAll(async () => {
  bed = await faultBed();
  proxy = await ConnectionProxy.start(bed.cluster.operatorAccess);
  operator = await bed.replica({ by: proxy, clock });
}, 120_000);
afterAll(async () => {
  proxy?.restore();
  await bed?.close();
  await proxy?.close();
});

it('[W1] an operator that could not reach the API server for three minutes judges again as soon as it can', async () => {
  const { cluster } = bed;
  const namespace = await cluster.newNamespace();
  await createDeployment(cluster, namespace, 'web', 3);
  await createPub(cluster, namespace, 'web', { selector: { matchLabels: { app: 'web' } }, minAvailable: 2 });
  const nodes = Array.from({ length: 6 }, (_, i) => `node-${i + 1}`);
  const [pod = ''] = await podsOn(cluster, namespace, nodes);
  const ask = () => evict(cluster, namespace, pod, { dryRun: true });
  await eventually(async () => (await ask()).code === 201, 'the operator judges');

  proxy.cutOff();
  for (let seconds = 0; seconds < 180; seconds += 10) {
    clock.jump(10_000);
    await pause(50);
  }
  const refused = await ask();
  expect(refused.code).toBe(429);
  expect(refused.text).toContain('NotSynced');
  expect(refused.text).toMatch(/the view of \w+ was last known to be current \d+ seconds ago/);

  proxy.restore();
  const start = clock.monotonic();
  // In the operator's own time, so that the wait for a bookmark of the next minute would be seen. Five seconds are what is wanted on a
  // quiet machine; on a busy one it takes longer to answer, and never as long as until the next bookmark.
  const limitMs = 30_000;
  await eventually(
    async () => (await ask()).code === 201 || clock.monotonic() - start > limitMs,
    'the operator judges',
  );
  const tookMs = clock.monotonic() - start;
  process.stderr.write(`judged again after ${Math.round(tookMs)} ms\n`);
  expect(tookMs).toBeLessThan(limitMs);
  await eventually(() => operator.missing().length === 0, 'the operator is ready');
});
