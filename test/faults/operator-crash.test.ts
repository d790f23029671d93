import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { JumpClock } from '../operator/certificates/jump-clock.ts';
import { type ApiProxy, cut, pass } from '../support/api-proxy.ts';
import { type AvailabilityObserver, byLabel, observeAvailability } from '../support/availability.ts';
import { type FaultBed, faultBed, type StartedProcess } from './support/bed.ts';
import { eventually } from './support/eventually.ts';
import {
  createGroupPdb,
  createPods,
  createPub,
  evict,
  nothingReserved,
  nudge,
  podNames,
  podsReady,
  pubOf,
  reservations,
} from './support/shop.ts';

const minute = 60_000;
/** Wall time that a test sets forward; what is measured is real. */
const clock = new JumpClock();
let bed: FaultBed;
let proxy: ApiProxy;
let doomed: StartedProcess;

const groupOf = (pod: number) => `gang-${Math.floor(pod / 2)}`;
const gangs = (base: string) => new Map(podNames(base, 8).map((name, i) => [name, { app: base, gang: groupOf(i) }]));

/** Kills the process at the moment at which it has reserved and is about to delete. */
function killAtTakeover(): Promise<void> {
  return new Promise((killed) => {
    proxy.fate = async ({ method, path }) => {
      if (method !== 'DELETE' || !path.includes('/pods/')) return pass;
      proxy.fate = () => pass;
      bed.cluster.balancer.remove(doomed.port);
      await doomed.operator.kill('SIGKILL');
      killed();
      return cut;
    };
  });
}

interface Scene {
  readonly namespace: string;
  readonly observer: AvailabilityObserver;
}

/** Four gangs of two, of which two must serve. */
async function scene(base: string): Promise<Scene> {
  const namespace = await bed.cluster.newNamespace();
  await createPods(bed.cluster, namespace, gangs(base));
  await createGroupPdb(bed.cluster, namespace, base, { minAvailable: 2, groupLabel: 'gang', labels: { app: base } });
  const observer = await observeAvailability(bed.cluster, { namespace, unitOf: byLabel('gang'), minimum: 2 });
  return { namespace, observer };
}

beforeAll(async () => {
  bed = await faultBed();
  proxy = await bed.proxy();
  await bed.replica({ clock, serves: false });
  doomed = await bed.process({ by: proxy });
});
afterAll(() => bed?.close());

describe.sequential('an operator that is killed after it reserved and before it deleted', () => {
  it('[I1] [I2] [I5] has charged the budget once when the eviction is repeated', async () => {
    const { namespace, observer } = await scene('again');
    const killed = killAtTakeover();
    const first = await evict(bed.cluster, namespace, 'again-0');
    await killed;
    expect(first.code).toBe(500);
    expect(await reservations(bed.cluster, namespace)).toMatchObject([{ pod: 'again-0', operation: 'EVICT' }]);

    doomed = await bed.process({ by: proxy });
    expect((await evict(bed.cluster, namespace, 'again-0')).code).toBe(201);
    // The gang is broken and paid for: its other pod is free. One more gang may go, and no third.
    expect((await evict(bed.cluster, namespace, 'again-1')).code).toBe(201);
    expect((await evict(bed.cluster, namespace, 'again-2')).code).toBe(201);
    expect((await evict(bed.cluster, namespace, 'again-4')).code).toBe(429);
    await nothingReserved(bed.cluster, namespace);
    await observer.caughtUp();
    expect(observer.lowest, observer.describe()).toBe(2);
    observer.close();
  });

  it('[I1] [I9] does not hold the budget for good when nobody comes back', async () => {
    const { namespace, observer } = await scene('left');
    const killed = killAtTakeover();
    await evict(bed.cluster, namespace, 'left-0');
    await killed;
    doomed = await bed.process({ by: proxy });
    expect((await evict(bed.cluster, namespace, 'left-2')).code).toBe(201);
    expect((await evict(bed.cluster, namespace, 'left-4')).code).toBe(429);

    clock.set(3 * minute);
    await nudge(bed.cluster, namespace, 'left-7');
    const phase = async () => (await reservations(bed.cluster, namespace)).find(({ pod }) => pod === 'left-0')?.overdue;
    await eventually(async () => (await phase())?.phase === 'waiting', 'the leader waits for what is under way');
    clock.set(minute);
    await nudge(bed.cluster, namespace, 'left-7');
    await eventually(async () => {
      await nudge(bed.cluster, namespace, 'left-7');
      return (await reservations(bed.cluster, namespace)).length === 0;
    }, 'the reservation is released');
    expect((await evict(bed.cluster, namespace, 'left-4')).code).toBe(201);
    expect((await evict(bed.cluster, namespace, 'left-0')).code).toBe(429);
    await nothingReserved(bed.cluster, namespace);
    await observer.caughtUp();
    expect(observer.lowest, observer.describe()).toBe(2);
    observer.close();
  });
});

describe.sequential('a leader that is killed', () => {
  const lease = '/apis/coordination.k8s.io/v1/namespaces/holdfast-system/leases/holdfast-operator';
  const holder = async () => (await bed.cluster.request('GET', lease)).body.spec?.['holderIdentity'];

  it('is followed by another, which goes on with the statuses', async () => {
    const other = await faultBed();
    try {
      const leader = await other.process();
      const successor = new JumpClock();
      await other.replica({ clock: successor });
      const before = (await other.cluster.request('GET', lease)).body.spec?.['holderIdentity'];
      const namespace = await other.cluster.newNamespace();
      await createPods(other.cluster, namespace, new Map(podNames('web', 3).map((name) => [name, { app: 'web' }])));
      await createPub(other.cluster, namespace, 'web', { selector: { matchLabels: { app: 'web' } }, minAvailable: 1 });
      other.cluster.balancer.remove(leader.port);
      await leader.operator.kill('SIGKILL');
      await createPods(other.cluster, namespace, new Map([['more-0', { app: 'web' }]])).catch(() => undefined);
      await podsReady(other.cluster, namespace, 4);
      // A lease lasts for fifteen seconds; it is not the test that waits for them.
      await eventually(async () => {
        successor.jump(4_000);
        const now = (await other.cluster.request('GET', lease)).body.spec?.['holderIdentity'];
        return now !== before && now !== '';
      }, 'another leads');
      const available = async () => (await pubOf(other.cluster, namespace, 'web')).status['currentAvailable'];
      await eventually(async () => (await available()) === 4, 'the status shows the fourth pod');
      expect((await evict(other.cluster, namespace, 'web-0')).code).toBe(201);
      await nothingReserved(other.cluster, namespace);
    } finally {
      await other.close();
    }
  });
  void holder;
});
