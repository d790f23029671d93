import { describe, expect, it } from 'vitest';
import { ask, aWorld, inShort } from '../../../../../test/support/a-world.ts';
import { anOwner, aPod, ns } from '../../../../../test/support/builders.ts';
import { pubFor } from '../../../../../test/support/fleet.ts';
import type { OwnerState } from '../../../src/core/owner.ts';
import type { Denied } from '../../../src/core/verdict.ts';
import type { World } from '../../../src/core/world/world.ts';
import { FreshScales } from '../../../src/observe/owners/fresh-scales.ts';
import type { OwnerPlace } from '../../../src/observe/owners/owner-key.ts';
import { TestClock } from '../../kube/support/test-clock.ts';

const farm = anOwner('Farm', 'herd', 3);
const other = anOwner('Farm', 'flock', 1);
const set = anOwner('StatefulSet', 'db', 1);
const web = (name: string, owner: OwnerState) => aPod(name).labels({ app: 'web' }).ownedBy(owner);
const request = { operation: 'EVICT', namespace: ns, pod: 'a' } as const;

function farmed(spec: object = { maxUnavailable: 0 }): World {
  return aWorld({
    pods: [...['a', 'b', 'c'].map((name) => web(name, farm)), web('d', other), web('e', set)],
    owners: [farm, other, set],
    pubs: [pubFor('web', spec)],
  });
}

interface Bench {
  readonly clock: TestClock;
  readonly scales: FreshScales;
  readonly reads: string[];
  /** What the API server has. */
  readonly served: Map<string, OwnerState>;
}

function bench(world: World, answerMs = 0): Bench {
  const clock = new TestClock();
  const reads: string[] = [];
  const served = new Map<string, OwnerState>();
  const read = async ({ kind, name }: OwnerPlace): Promise<void> => {
    reads.push(`${kind} ${name}`);
    const found = served.get(name);
    if (answerMs > 0) await new Promise<void>((resolve) => clock.after(answerMs, () => resolve()));
    if (found !== undefined) world.setOwner(found);
  };
  const isWatched = ({ kind }: OwnerPlace) => kind === 'StatefulSet';
  return { clock, scales: new FreshScales({ world, clock, isWatched, read }), reads, served };
}

function refused(world: World, pod = 'a'): Denied {
  const verdict = ask(world, 'EVICT', pod);
  if (verdict.result === 'allow') throw new Error(`expected a refusal, not ${verdict.reason}`);
  return verdict;
}

describe('[O5] before a refusal that depends on owners that no watch covers', () => {
  it('they are read, those of the pod first, and those by which the budget is counted', async () => {
    const world = farmed();
    const { scales, reads, served } = bench(world);
    served.set('herd', { ...farm, replicas: 0 });
    expect(await scales.readAgain(request, refused(world), 5_000)).toBe(true);
    expect(reads).toEqual(['Farm herd', 'Farm flock']);
    expect(inShort(ask(world, 'EVICT', 'a'))).toBe('allow WorkloadGone');
  });

  it('the answer is no when they are as they were, or when there are none', async () => {
    const world = farmed();
    const { scales, reads, served } = bench(world);
    served.set('herd', { ...farm, resourceVersion: '99' });
    expect(await scales.readAgain(request, refused(world), 5_000)).toBe(false);
    const watched = aWorld({ pods: [web('a', set)], owners: [set], pubs: [pubFor('web', { maxUnavailable: 0 })] });
    const another = bench(watched);
    expect(await another.scales.readAgain(request, refused(watched), 5_000)).toBe(false);
    expect([reads.length, another.reads.length]).toEqual([2, 0]);
  });

  it('the pod’s own owner is read also where the budget needs no scale', async () => {
    const world = farmed({ minAvailable: 5 });
    const { scales, reads, served } = bench(world);
    served.set('herd', { ...farm, replicas: 0 });
    expect(await scales.readAgain(request, refused(world), 5_000)).toBe(true);
    expect(reads[0]).toBe('Farm herd');
  });

  it('nothing is read where no owner could change the answer', async () => {
    const world = farmed();
    const { scales, reads } = bench(world);
    const blind: Denied = {
      ...refused(world),
      blockers: [{ code: 'CacheStale', outlook: 'moment', message: '', unblock: '' }],
    };
    expect(await scales.readAgain(request, blind, 5_000)).toBe(false);
    expect(await scales.readAgain({ ...request, pod: 'nowhere' }, refused(world), 5_000)).toBe(false);
    expect(await scales.readAgain(request, refused(world), 0)).toBe(false);
    expect(reads).toEqual([]);
  });

  it('an owner is read once in a second for all who are refused, and each waits for a read that began after', async () => {
    const world = aWorld({ pods: [web('a', farm)], owners: [farm], pubs: [pubFor('web', { maxUnavailable: 0 })] });
    const { scales, reads, served, clock } = bench(world);
    expect(await scales.readAgain(request, refused(world), 5_000)).toBe(false);
    served.set('herd', { ...farm, replicas: 0 });
    const later = [1, 2, 3].map(() => scales.readAgain(request, refused(world), 5_000));
    await clock.advance(999);
    expect(reads).toHaveLength(1);
    await clock.advance(1);
    expect(await Promise.all(later)).toEqual([true, true, true]);
    expect(reads).toHaveLength(2);
  });

  it('a request with no time left is answered; what is read late counts for the next', async () => {
    const world = farmed();
    const { scales, served, clock } = bench(world, 700);
    served.set('herd', { ...farm, replicas: 0 });
    const hurried = scales.readAgain(request, refused(world), 500);
    await clock.advance(500);
    expect(await hurried).toBe(false);
    await clock.advance(200);
    expect(inShort(ask(world, 'EVICT', 'a'))).toBe('allow WorkloadGone');
  });
});
