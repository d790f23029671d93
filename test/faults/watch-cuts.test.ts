import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunningOperator } from '../../packages/holdfast/src/operator/operator.ts';
import { JumpClock } from '../../packages/holdfast/test/operator/certificates/jump-clock.ts';
import { type ApiProxy, type Asked, expired, pass } from '../support/api-proxy.ts';
import { observeAvailability } from '../support/availability.ts';
import { pause } from '../support/cluster.ts';
import { type FaultBed, faultBed } from './support/bed.ts';
import { eventually } from './support/eventually.ts';
import { all, createPods, createPub, evict, nothingReserved, podNames, tally } from './support/shop.ts';

let bed: FaultBed;
let proxy: ApiProxy;
let other: RunningOperator;
let behind: RunningOperator;
const clock = new JumpClock();

beforeAll(async () => {
  bed = await faultBed();
  proxy = await bed.proxy();
  // Leads, and sees everything.
  other = await bed.replica();
  // Sees what the proxy lets through.
  behind = await bed.replica({ by: proxy, clock });
}, 120_000);
afterAll(() => bed?.close());

/** From here on API servers ask this one. */
async function onlyTo(operator: RunningOperator, namespace: string, pod: string): Promise<void> {
  const { balancer } = bed.cluster;
  for (const { webhookPort } of [other, behind]) balancer.remove(webhookPort);
  balancer.cut();
  balancer.add(operator.webhookPort);
  const asked = async () => (await evict(bed.cluster, namespace, pod, { dryRun: true })).code;
  await eventually(async () => (await asked()) !== 500, 'no connection is left that was cut');
}

/** Goes on from where an earlier watch ended. */
const goesOn = ({ path, isWatch }: Asked) => isWatch && /[?&]resourceVersion=[1-9]/.test(path);

/** Seconds since the server last showed of any collection that its view is current. */
async function oldestView({ healthPort }: RunningOperator): Promise<number> {
  const metrics = await (await fetch(`http://127.0.0.1:${healthPort}/metrics`)).text();
  const ages = [...metrics.matchAll(/^holdfast_view_age_seconds\{.*\} (\S+)$/gm)].map(([, age]) => Number(age));
  expect(ages.length).toBeGreaterThan(5);
  return Math.max(...ages);
}

describe.sequential('watches', () => {
  it('[I1] that break all the time overspend nothing, and all that may go goes', async () => {
    const { cluster } = bed;
    const namespace = await cluster.newNamespace();
    const names = podNames('web', 20);
    await createPods(cluster, namespace, all(names, { app: 'web' }));
    await createPub(cluster, namespace, 'web', { selector: { matchLabels: { app: 'web' } }, minAvailable: 12 });
    const observer = await observeAvailability(cluster, { namespace });
    await onlyTo(behind, namespace, 'web-0');
    let cutting = true;
    let cuts = 0;
    const cutter = (async () => {
      for (; cutting; cuts += 1) {
        proxy.cutWatches();
        await pause(50);
      }
    })();
    let gone = new Set<string>();
    await eventually(async () => {
      const left = names.filter((name) => !gone.has(name));
      const answers = await Promise.all(
        left.map(async (name) => ({ name, ...(await evict(cluster, namespace, name)) })),
      );
      expect(Object.keys(tally(answers)).filter((code) => !['201', '404', '429'].includes(code))).toEqual([]);
      gone = new Set([...gone, ...answers.filter(({ code }) => code !== 429).map(({ name }) => name)]);
      // However fast they go: the others are asked for, too, until watches have broken a few times.
      return gone.size === 8 && cuts > 3;
    }, 'eight pods are gone, and watches were cut');
    cutting = false;
    await cutter;
    expect(
      tally(await Promise.all(names.filter((name) => !gone.has(name)).map((name) => evict(cluster, namespace, name)))),
    ).toEqual({ 429: 12 });
    await nothingReserved(cluster, namespace);
    await observer.caughtUp();
    expect(observer.lowest, observer.describe()).toBe(12);
    observer.close();
  });

  it('[I1] [I4] that say nothing any more spend nothing twice, and are noticed and opened again', async () => {
    const { cluster } = bed;
    const namespace = await cluster.newNamespace();
    const names = podNames('web', 10);
    await createPods(cluster, namespace, all(names, { app: 'web' }));
    await createPub(cluster, namespace, 'web', { selector: { matchLabels: { app: 'web' } }, minAvailable: 8 });
    const observer = await observeAvailability(cluster, { namespace });
    // It must know the budget and the pods before it is cut off from what follows.
    await onlyTo(behind, namespace, 'web-9');
    expect((await evict(cluster, namespace, 'web-9', { dryRun: true })).code).toBe(201);
    proxy.stallWatches();
    await onlyTo(other, namespace, 'web-9');
    expect((await evict(cluster, namespace, 'web-0')).code).toBe(201);
    expect((await evict(cluster, namespace, 'web-1')).code).toBe(201);
    await nothingReserved(cluster, namespace);

    // In its eyes all ten are there, and nothing is reserved. The ledger knows better.
    await onlyTo(behind, namespace, 'web-9');
    const answers = await Promise.all(names.slice(2).map((name) => evict(cluster, namespace, name)));
    expect(tally(answers)).toEqual({ 429: 8 });
    expect(answers[0]?.text).toMatch(/CacheStale/);

    // More than the longest silence of a watch passes, so much that the server does not remember where they were.
    proxy.fate = (asked) => (goesOn(asked) ? expired : pass);
    clock.jump(200_000);
    expect(behind.missing()).toContain('a current view of the cluster');
    await eventually(
      () => behind.missing().length === 0,
      'the view is current again',
      () => behind.missing().join(', '),
    );
    proxy.fate = () => pass;
    await createPods(cluster, namespace, all(['web-10'], { app: 'web' }));
    await eventually(async () => (await evict(cluster, namespace, 'web-2')).code !== 429, 'one more may go');
    expect((await evict(cluster, namespace, 'web-3')).code).toBe(429);
    await nothingReserved(cluster, namespace);
    await observer.caughtUp();
    expect(observer.lowest, observer.describe()).toBe(8);
    observer.close();
  });

  it('[W1] [I4] of collections in which nothing happens are known to be alive, and no request is refused because of them', async () => {
    const { cluster } = bed;
    const namespace = await cluster.newNamespace();
    await createPods(cluster, namespace, all(['web-0', 'web-1'], { app: 'web' }));
    await createPub(cluster, namespace, 'web', { selector: { matchLabels: { app: 'web' } }, minAvailable: 1 });
    await onlyTo(behind, namespace, 'web-0');
    // In real time, and for so long that each watch ends once, and is opened again.
    for (let round = 0; round < 48; round += 1) {
      await pause(250);
      expect(behind.missing()).toEqual([]);
      expect((await evict(cluster, namespace, 'web-0', { dryRun: true })).code).toBe(201);
    }
    expect(await oldestView(behind)).toBeLessThan(15);
  });

  it('[W1] that the process slept through are opened again, and until then nothing is let go', async () => {
    const { cluster } = bed;
    const namespace = await cluster.newNamespace();
    await createPods(cluster, namespace, all(['web-0', 'web-1'], { app: 'web' }));
    await createPub(cluster, namespace, 'web', { selector: { matchLabels: { app: 'web' } }, minAvailable: 1 });
    await onlyTo(behind, namespace, 'web-0');
    for (let round = 0; round < 3; round += 1) {
      clock.jump(140_000);
      expect(behind.missing()).toEqual(['a current view of the cluster']);
      await eventually(() => behind.missing().length === 0, 'the view is current again');
      expect((await evict(cluster, namespace, 'web-0', { dryRun: true })).code).toBe(201);
    }
  });
});
