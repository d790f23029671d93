import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { JumpClock } from '../../packages/holdfast/test/operator/certificates/jump-clock.ts';
import type { ApiProxy } from '../support/api-proxy.ts';
import { type AvailabilityObserver, byLabel, observeAvailability } from '../support/availability.ts';
import { made } from '../support/cluster.ts';
import { type FaultBed, faultBed, type StartedProcess } from './support/bed.ts';
import { eventually } from './support/eventually.ts';
import { deletesPod, killAt } from './support/kill.ts';
import {
  all,
  createGroupPdb,
  createPods,
  createPub,
  evict,
  nothingReserved,
  nudge,
  podNames,
  pubOf,
  reservations,
  went,
} from './support/shop.ts';

const minute = 60_000;
/** Of the replica that is not killed: what takes minutes on it takes no time here. */
const clock = new JumpClock();
let bed: FaultBed;
let proxy: ApiProxy;
let doomed: StartedProcess;

const groupOf = (pod: number) => `gang-${Math.floor(pod / 2)}`;
const gangs = (base: string) => new Map(podNames(base, 8).map((name, i) => [name, { app: base, gang: groupOf(i) }]));

/** At the moment at which it has reserved and is about to delete. */
const killAtTakeover = () => killAt({ bed, proxy, process: doomed }, deletesPod, 'before');

interface Scene {
  readonly namespace: string;
  readonly observer: AvailabilityObserver;
  readonly gone: (pod: string) => Promise<boolean>;
}

/** Four gangs of two, of which two must serve. */
async function scene(base: string): Promise<Scene> {
  const namespace = await bed.cluster.newNamespace();
  await createPods(bed.cluster, namespace, gangs(base));
  await createGroupPdb(bed.cluster, namespace, base, { minAvailable: 2, groupLabel: 'gang', labels: { app: base } });
  const observer = await observeAvailability(bed.cluster, { namespace, unitOf: byLabel('gang'), minimum: 2 });
  return { namespace, observer, gone: async (pod) => went(await evict(bed.cluster, namespace, pod)) };
}

const lease = '/apis/coordination.k8s.io/v1/namespaces/holdfast-system/leases/holdfast-operator';
const leader = async () => (await made(bed.cluster.request('GET', lease))).spec['holderIdentity'];

beforeAll(async () => {
  bed = await faultBed();
  proxy = await bed.proxy();
  // The first one leads.
  doomed = await bed.process({ by: proxy });
  await bed.replica({ clock, serves: false });
}, 120_000);
afterAll(() => bed?.close());

describe.sequential('an operator that is killed after it reserved and before it deleted', () => {
  it('[I1] [I2] [I5] has charged the budget once when the eviction is repeated', async () => {
    const { namespace, observer, gone } = await scene('again');
    const first = await leader();
    const killed = killAtTakeover();
    expect((await evict(bed.cluster, namespace, 'again-0')).code).toBe(500);
    await killed;
    expect(await reservations(bed.cluster, namespace)).toMatchObject([{ pod: 'again-0', operation: 'EVICT' }]);

    doomed = await bed.process({ by: proxy });
    expect(await gone('again-0')).toBe(true);
    // The gang is broken and paid for: its other pod is free. One more gang may go, and no third.
    expect(await gone('again-1')).toBe(true);
    expect(await gone('again-2')).toBe(true);
    expect((await evict(bed.cluster, namespace, 'again-4')).code).toBe(429);

    // It was the leader. A lease lasts for fifteen seconds, which the test need not wait for.
    await eventually(async () => {
      clock.jump(4_000);
      return (await leader()) !== first;
    }, 'another leads');
    await nothingReserved(bed.cluster, namespace);
    await observer.caughtUp();
    expect(observer.lowest, observer.describe()).toBe(2);
    observer.close();
  });

  it('[I1] [I9] does not hold the budget for good when no client retries', async () => {
    const { namespace, observer, gone } = await scene('left');
    const killed = killAtTakeover();
    await evict(bed.cluster, namespace, 'left-0');
    await killed;
    doomed = await bed.process({ by: proxy });
    expect(await gone('left-2')).toBe(true);
    expect((await evict(bed.cluster, namespace, 'left-4')).code).toBe(429);

    clock.set(3 * minute);
    const left = async () => (await reservations(bed.cluster, namespace)).find(({ pod }) => pod === 'left-0');
    await eventually(async () => {
      await nudge(bed.cluster, namespace, 'left-7');
      return (await left())?.overdue?.phase === 'waiting';
    }, 'the leader waits for what is under way');
    clock.set(minute);
    await eventually(async () => {
      await nudge(bed.cluster, namespace, 'left-7');
      return (await left()) === undefined;
    }, 'the reservation is released');
    expect(await gone('left-4')).toBe(true);
    expect((await evict(bed.cluster, namespace, 'left-0')).code).toBe(429);
    await nothingReserved(bed.cluster, namespace);
    await observer.caughtUp();
    expect(observer.lowest, observer.describe()).toBe(2);
    observer.close();
  });

  it('is followed by another leader, which goes on with the statuses', async () => {
    const namespace = await bed.cluster.newNamespace();
    await createPods(bed.cluster, namespace, all(podNames('web', 3), { app: 'web' }));
    await createPub(bed.cluster, namespace, 'web', { selector: { matchLabels: { app: 'web' } }, minAvailable: 2 });
    const numbers = async () => (await pubOf(bed.cluster, namespace, 'web')).status;
    await eventually(async () => (await numbers())['currentAvailable'] === 3, 'the status shows three pods');
    expect(went(await evict(bed.cluster, namespace, 'web-0'))).toBe(true);
    await eventually(async () => (await numbers())['unavailableAllowed'] === 0, 'the status shows that no more may go');
    await nothingReserved(bed.cluster, namespace);
  });
});
