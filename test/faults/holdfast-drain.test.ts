import { afterAll, describe, expect, it } from 'vitest';
import { HoldfastProcess } from '../e2e/support/holdfast-process.ts';
import { type AvailabilityObserver, observeAvailability } from '../support/availability.ts';
import { type FaultBed, faultBed } from './support/bed.ts';
import { eventually } from './support/eventually.ts';
import { killAt, writesLedger } from './support/kill.ts';
import { restartableCluster } from './support/restartable.ts';
import { createDeployment, createPub, nothingReserved, podsOn } from './support/shop.ts';

const pods = 60;
const mayBeDown = 12;
const drained = ['node-1', 'node-2', 'node-3'];
const selector = { matchLabels: { app: 'web' } };
const beds: FaultBed[] = [];
afterAll(async () => {
  for (const bed of beds) await bed.close();
});

async function shopIn(bed: FaultBed): Promise<string> {
  beds.push(bed);
  const namespace = await bed.cluster.newNamespace();
  await createDeployment(bed.cluster, namespace, 'web', pods);
  await createPub(bed.cluster, namespace, 'web', { selector, maxUnavailable: mayBeDown });
  return namespace;
}

/** One command, and whatever happens it is not run a second time. */
function drain({ cluster }: FaultBed): HoldfastProcess {
  return new HoldfastProcess(cluster.kubeconfig, 'drain', ...drained, '--ignore-daemonsets', '--timeout', '4m');
}

async function judge({ cluster }: FaultBed, namespace: string, observer: AvailabilityObserver): Promise<void> {
  expect(await podsOn(cluster, namespace, drained)).toEqual([]);
  await nothingReserved(cluster, namespace);
  await observer.caughtUp();
  expect(observer.lowest, observer.describe()).toBeGreaterThanOrEqual(pods - mayBeDown);
  observer.close();
}

/** Everything runs in one process on a machine that may have other things to do. */
const timeout = 300_000;

describe('holdfast drain', { timeout }, () => {
  it('[D3] [I1] finishes at the first go when a replica that judges is killed', async () => {
    const bed = await faultBed();
    await bed.replica();
    await bed.replica();
    const proxy = await bed.proxy();
    const doomed = await bed.process({ by: proxy });
    const namespace = await shopIn(bed);
    const observer = await observeAvailability(bed.cluster, { namespace });
    const killed = killAt({ bed, proxy, process: doomed }, writesLedger, 'after');
    const { code, out, err } = await drain(bed).ended;
    await killed;
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(/: failed: .*failed calling webhook/);
    await judge(bed, namespace, observer);
  });

  it('[D3] [I1] finishes at the first go when the API server goes and comes back', async () => {
    const server = await restartableCluster(6);
    const bed = await faultBed({ base: server });
    await bed.replica();
    await bed.replica();
    const namespace = await shopIn(bed);
    const observer = await observeAvailability(server, { namespace });
    const { ended } = drain(bed);
    await eventually(() => observer.lowest < pods, 'the first pods go');
    await server.restart(async () => {
      await eventually(async () => !(await server.request('GET', '/readyz').catch(() => false)), 'no server answers');
    });
    const { code, err } = await ended;
    expect({ code, err }).toEqual({ code: 0, err: '' });
    await judge(bed, namespace, observer);
  });
});
