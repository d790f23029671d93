import { describe, expect, it } from 'vitest';
import type { PodDisruptionBudget } from '../../../src/api/pdb.ts';
import { type Failure, failed, succeeded } from '../../../src/kube/outcome/failure.ts';
import { BuiltinCounters } from '../../../src/operator/admission/complete.ts';
import { TestClock } from '../../kube/support/test-clock.ts';

type Status = NonNullable<PodDisruptionBudget['status']>;

interface Script {
  readonly budgets: Readonly<Record<string, Status>>;
  /** Another writer of the status comes in between, so many times. */
  readonly races?: number;
  /** What the API server's clock says; absent: it says nothing. */
  readonly serverTime?: string;
  readonly failure?: Failure['kind'];
}

/** An API server with PDBs of generation 1 that is compared and swapped by resourceVersion. */
function server({ budgets, races = 0, serverTime, failure }: Script) {
  const stored = new Map(Object.entries(budgets).map(([name, status]) => [name, { version: 1, status }]));
  let left = races;
  const writes: string[] = [];
  const object = (name: string) => {
    const found = stored.get(name);
    if (found === undefined) return undefined;
    const fields = { manager: 'holdfast-eviction', subresource: 'status', time: serverTime };
    const metadata = { name, generation: 1, resourceVersion: String(found.version) };
    return { metadata: { ...metadata, ...(serverTime ? { managedFields: [fields] } : {}) }, status: found.status };
  };
  const fail = (kind: Failure['kind']) => failed({ kind, message: 'so it was said' } as Failure);
  const client = {
    async get(_resource: unknown, { name }: { name: string }) {
      if (failure !== undefined) return fail(failure);
      const found = object(name);
      return found === undefined ? fail('notFound') : succeeded(found);
    },
    async patch(_resource: unknown, { name, subresource }: { name: string; subresource?: string }, patch: unknown) {
      expect(subresource).toBe('status');
      const { body } = patch as { body: { metadata?: { resourceVersion: string }; status: Status } };
      const found = stored.get(name);
      if (found === undefined) return fail('notFound');
      if (left > 0) {
        left -= 1;
        found.version += 1;
      }
      if (body.metadata !== undefined && body.metadata.resourceVersion !== String(found.version))
        return fail('conflict');
      const pods = Object.entries({ ...found.status.disruptedPods, ...body.status.disruptedPods });
      const disruptedPods = Object.fromEntries(pods.filter(([, time]) => time !== null));
      stored.set(name, { version: found.version + 1, status: { ...found.status, ...body.status, disruptedPods } });
      writes.push(name);
      return succeeded(object(name));
    },
  };
  const counters = new BuiltinCounters({ client: client as never, clock: new TestClock() });
  const take = (...names: string[]) => counters.take({ namespace: 'shop', pod: 'x-0', budgets: names }, 9_000);
  return { counters, take, writes, status: (name: string) => stored.get(name)?.status };
}

const one: Status = { observedGeneration: 1, disruptionsAllowed: 1 };
const none: Status = { observedGeneration: 1, disruptionsAllowed: 0 };
const noted: Status = { ...none, disruptedPods: { 'x-0': '2020-01-01T00:00:00Z' } };

describe('the counters of plain PDBs', () => {
  it('[P9] lose one for an eviction, and note its pod', async () => {
    const { take, status } = server({ budgets: { a: { ...one, disruptionsAllowed: 2 } } });
    expect(await take('a')).toMatchObject({ kind: 'taken' });
    expect(status('a')).toMatchObject({
      disruptionsAllowed: 1,
      disruptedPods: { 'x-0': expect.stringMatching(/:\d\dZ$/) },
    });
  });

  it('[P9] [I5] lose nothing more for a pod that is noted: the note is renewed', async () => {
    const { take, status } = server({ budgets: { a: noted } });
    expect(await take('a')).toMatchObject({ kind: 'taken' });
    expect(status('a')?.disruptionsAllowed).toBe(0);
    expect(status('a')?.disruptedPods?.['x-0']).not.toBe(noted.disruptedPods?.['x-0']);
  });

  it.each([
    ['allows nothing', none, 'its status allows 0 disruptions'],
    [
      'was not counted since it was changed',
      { ...one, observedGeneration: 0 },
      'it is at generation 1, and 0 was counted',
    ],
    ['has no status yet', {}, 'it is at generation 1, and 0 was counted'],
    [
      'has more evictions under way than Kubernetes keeps',
      { ...one, disruptedPods: Object.fromEntries(Array.from({ length: 2_001 }, (_, i) => [`p-${i}`, ''])) },
      'its status lists 2001 evictions that have not happened yet',
    ],
  ])('[P9] refuse where a budget %s', async (_title, budget, why) => {
    const { take, writes } = server({ budgets: { a: budget } });
    expect(await take('a')).toEqual({ kind: 'refused', budget: 'a', why });
    expect(writes).toEqual([]);
  });

  it('[P9] are read again when another writer was faster', async () => {
    const { take, status } = server({ budgets: { a: one }, races: 3 });
    expect(await take('a')).toMatchObject({ kind: 'taken' });
    expect(status('a')?.disruptionsAllowed).toBe(0);
  });

  it('[P9] refuse when the status does not come to rest', async () => {
    const { take } = server({ budgets: { a: one }, races: 99 });
    expect(await take('a')).toMatchObject({ kind: 'refused', why: 'its status kept changing' });
  });

  it('[P9] [I3] all lose one, or none: what was taken is given back', async () => {
    const { take, status } = server({ budgets: { a: one, b: none } });
    expect(await take('a', 'b')).toMatchObject({ kind: 'refused', budget: 'b' });
    expect(status('a')?.disruptedPods).toEqual({});
  });

  it('[P9] keep a note that was there before', async () => {
    const { take, status } = server({ budgets: { a: noted, b: none } });
    await take('a', 'b');
    expect(status('a')?.disruptedPods).toHaveProperty('x-0');
  });

  it('[P9] of a budget that is gone ask nothing', async () => {
    expect(await server({ budgets: {} }).take('a')).toMatchObject({ kind: 'taken' });
  });

  it('[P9] [I4] refuse when they cannot be read', async () => {
    expect(await server({ budgets: { a: one }, failure: 'denied' }).take('a')).toMatchObject({ kind: 'refused' });
  });

  it('[P9] are counted again by the disruption controller when asked for, once in a while', async () => {
    const { counters, writes, status } = server({ budgets: { a: none, b: none } });
    for (const name of ['a', 'a', 'b', 'a']) await counters.recount('shop', name);
    expect(writes).toEqual(['a', 'b']);
    expect(status('a')).toMatchObject({
      disruptionsAllowed: 0,
      disruptedPods: { '_recount.holdfast.dev': expect.any(String) },
    });
  });

  it('[P9] note the time by the API server’s clock, also where ours is wrong', async () => {
    const serverTime = '2031-05-05T05:05:05Z';
    const { take, status } = server({ budgets: { a: one }, serverTime });
    await take('a');
    const time = Date.parse(status('a')?.disruptedPods?.['x-0'] ?? '');
    expect(Math.abs(time - Date.parse(serverTime))).toBeLessThan(20_000);
    expect(status('a')?.disruptionsAllowed).toBe(0);
  });
});
