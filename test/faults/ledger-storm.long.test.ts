import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { JumpClock } from '../../packages/holdfast/test/operator/certificates/jump-clock.ts';
import { type ApiProxy, type Asked, conflict, cut, type Fate, pass } from '../support/api-proxy.ts';
import { type AvailabilityObserver, byLabel, observeAvailability } from '../support/availability.ts';
import { type FaultBed, faultBed, type StartedProcess } from './support/bed.ts';
import { eventually } from './support/eventually.ts';
import { deletesPod, killAt, writesLedger } from './support/kill.ts';
import {
  all,
  createGroupPdb,
  createPods,
  createPub,
  evict,
  nothingReserved,
  nudge,
  podNames,
  reservations,
} from './support/shop.ts';

const minute = 60_000;
let bed: FaultBed;
/** Of the replicas that live. */
const proxies: ApiProxy[] = [];
let ofDoomed: ApiProxy;
let doomed: StartedProcess;
/** One is ten minutes slow, one ten minutes fast, and the process is right. */
const clocks = [new JumpClock(-10 * minute), new JumpClock(10 * minute)] as const;

/** Every third write of a ledger gets a conflict without another writer. */
function everyThird(): (asked: Asked) => Fate {
  let count = 0;
  return (asked) => (writesLedger(asked) && ++count % 3 === 0 ? conflict : pass);
}

beforeAll(async () => {
  bed = await faultBed();
  for (const clock of clocks) {
    const by = await bed.proxy();
    await bed.replica({ by, clock });
    by.fate = everyThird();
    proxies.push(by);
  }
  ofDoomed = await bed.proxy();
  doomed = await bed.process({ by: ofDoomed });
}, 120_000);
afterAll(() => bed?.close());

interface Stormed {
  readonly gone: ReadonlySet<string>;
  /** What was said with a code that is neither a success nor "not now" nor "it is gone". */
  readonly strange: readonly string[];
}

/** All pods are asked for at once, each twice, and again until as many are gone as may go; and then once more. */
async function storm(namespace: string, names: readonly string[], most: number): Promise<Stormed> {
  const gone = new Set<string>();
  const strange: string[] = [];
  const round = async () => {
    const asked = names.filter((name) => !gone.has(name)).flatMap((name) => [name, name]);
    await Promise.all(
      asked.map(async (name) => {
        const { code, text } = await evict(bed.cluster, namespace, name);
        if (![201, 404, 429].includes(code)) strange.push(`${code}: ${text}`);
        // A pod that was taken over and ended within milliseconds is a 404 to the API server.
        if (code === 201 || code === 404) gone.add(name);
      }),
    );
    return gone.size >= most;
  };
  await eventually(round, `${most} pods are gone`, () => `${gone.size} are; ${strange.join('\n')}`);
  await round();
  return { gone, strange };
}

async function settled(namespace: string, observers: readonly AvailabilityObserver[]): Promise<number[]> {
  await nothingReserved(bed.cluster, namespace);
  for (const observer of observers) await observer.caughtUp();
  const lowest = observers.map((one) => one.lowest);
  for (const observer of observers) observer.close();
  return lowest;
}

describe.sequential('three replicas with clocks that are minutes apart, and writes that lose races', () => {
  it('[I1] [I5] [I9] let exactly as many go as the budget says, while one of them is killed', async () => {
    const namespace = await bed.cluster.newNamespace();
    const names = podNames('web', 60);
    await createPods(bed.cluster, namespace, all(names, { app: 'web' }));
    await createPub(bed.cluster, namespace, 'web', { selector: { matchLabels: { app: 'web' } }, minAvailable: 40 });
    const observer = await observeAvailability(bed.cluster, { namespace });
    const killed = killAt({ bed, proxy: ofDoomed, process: doomed }, writesLedger, 'after');
    const { gone, strange } = await storm(namespace, names, 20);
    await killed;
    expect(gone.size).toBe(20);
    // Those that it was answering.
    expect(strange.filter((one) => !one.includes('failed calling webhook'))).toEqual([]);
    expect(await settled(namespace, [observer]), observer.describe()).toEqual([40]);
  });

  it('[I1] [I2] [I3] charge groups once, and both budgets of a pod or none', async () => {
    const namespace = await bed.cluster.newNamespace();
    const names = podNames('gang', 45);
    const labels = names.map((name, i) => {
      const zone = i % 3 === 0 ? { zone: 'a' } : {};
      return [name, { app: 'gang', gang: `g${Math.floor(i / 3)}`, ...zone }] as const;
    });
    await createPods(bed.cluster, namespace, new Map(labels));
    await createPub(bed.cluster, namespace, 'gangs', {
      selector: { matchLabels: { app: 'gang' } },
      minAvailable: 9,
      podGroupPolicy: { groupLabelKey: 'gang', minReadyReplicas: 3 },
    });
    // One pod of each gang is under this one, too. It is the tighter one: ten of fifteen must stay.
    await createPub(bed.cluster, namespace, 'zone', { selector: { matchLabels: { zone: 'a' } }, minAvailable: 10 });
    const gangs = await observeAvailability(bed.cluster, { namespace, unitOf: byLabel('gang'), minimum: 3 });
    const zone = await observeAvailability(bed.cluster, { namespace, selector: 'zone=a' });
    const { gone, strange } = await storm(namespace, names, 17);
    expect(strange).toEqual([]);
    expect(await settled(namespace, [gangs, zone])).toEqual([9, 10]);
    // Six gangs are broken. All their pods are free for the first budget, so that only the second keeps any of them.
    const broken = new Set(labels.filter(([name]) => gone.has(name)).map(([, { gang }]) => gang));
    expect(broken.size).toBe(6);
    const kept = labels.filter(([name, { gang }]) => broken.has(gang) && !gone.has(name));
    expect(kept.map(([, one]) => 'zone' in one)).toEqual([true]);
  });

  it('[I1] [I9] release what came to nothing, whichever replica reserved it', async () => {
    const namespace = await bed.cluster.newNamespace();
    const pods = podNames('pair', 8).map((name, i) => [name, { app: 'pair', gang: `g${Math.floor(i / 2)}` }] as const);
    await createPods(bed.cluster, namespace, new Map(pods));
    const budget = { minAvailable: 2, groupLabel: 'gang', labels: { app: 'pair' } };
    await createGroupPdb(bed.cluster, namespace, 'pair', budget);
    const observer = await observeAvailability(bed.cluster, { namespace, unitOf: byLabel('gang'), minimum: 2 });
    for (const proxy of proxies) proxy.fate = (asked) => (deletesPod(asked) ? cut : pass);
    // Every connection goes to the next replica: both of them come to reserve.
    for (const name of ['pair-0', 'pair-2', 'pair-4', 'pair-6']) {
      bed.cluster.balancer.cut();
      await evict(bed.cluster, namespace, name);
    }
    const reserved = async () => (await reservations(bed.cluster, namespace)).map(({ pod }) => pod);
    expect(await reserved()).toHaveLength(2);
    for (const proxy of proxies) proxy.fate = () => pass;

    for (const clock of clocks) clock.set(30 * minute);
    await nudge(bed.cluster, namespace, 'pair-7');
    const waiting = async () =>
      (await reservations(bed.cluster, namespace)).every(({ overdue }) => overdue !== undefined);
    await eventually(waiting, 'the leader waits for what is under way');
    for (const clock of clocks) clock.set(minute);
    await eventually(async () => {
      await nudge(bed.cluster, namespace, 'pair-7');
      return (await reserved()).length === 0;
    }, 'both are released');
    expect(await settled(namespace, [observer]), observer.describe()).toEqual([4]);
  });
});
