import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { mayKeepPreviousLease, type PreviousLease, previousLeaseOf } from '../../src/agent/publish/previous-lease.ts';
import type { Standing } from '../../src/agent/verdict.ts';
import { probeLeaseAnnotations } from '../../src/api/probe-lease.ts';
import type { Clock } from '../../src/kube/time/clock.ts';
import { AgentBed } from './support/bed.ts';
import { scaledClock } from './support/scaled-clock.ts';

describe('[I4] what the last agent of a node said', () => {
  const left: PreviousLease = { uids: new Set(['a', 'b']), renewedAt: 100_000, durationMs: 40_000 };
  const table: readonly {
    readonly name: string;
    readonly now?: number;
    readonly waitedMs?: number;
    readonly standings: readonly [Standing | undefined, Standing | undefined];
    readonly stands: boolean;
  }[] = [
    { name: 'while no pod was asked', standings: ['unasked', 'unasked'], stands: true },
    { name: 'while one was asked and says the same', standings: ['yes', 'unasked'], stands: true },
    { name: 'not when one says no', standings: ['unasked', 'no'], stands: false },
    { name: 'not when all were asked', standings: ['yes', 'yes'], stands: false },
    { name: 'while one is left that was not asked', standings: [undefined, 'unasked'], stands: true },
    { name: 'not when none of its pods is left', standings: [undefined, undefined], stands: false },
    { name: 'until it has run out', now: 139_999, standings: ['unasked', 'unasked'], stands: true },
    { name: 'not when it has run out', now: 140_000, standings: ['unasked', 'unasked'], stands: false },
    { name: 'not after a wait as long', waitedMs: 40_000, standings: ['unasked', 'unasked'], stands: false },
    { name: 'not when it is from the future', now: 99_999, standings: ['unasked', 'unasked'], stands: false },
  ];
  it.each(table)('stands $name: $stands', ({ now = 110_000, waitedMs = 0, standings, stands }) => {
    const standing = (uid: string) => standings[uid === 'a' ? 0 : 1];
    expect(mayKeepPreviousLease(left, { now, waitedMs, standing })).toBe(stands);
  });

  const spec = { holderIdentity: 'first', leaseDurationSeconds: 40, renewTime: '1970-01-01T00:01:40.000000Z' };
  const metadata = { annotations: { ...probeLeaseAnnotations('n', 'first', ['b', 'a']) } };
  it('is read from its lease', () => {
    expect(previousLeaseOf({ metadata, spec })).toEqual(left);
  });

  const nothing: readonly (readonly [string, object])[] = [
    ['lists no pod', { metadata: { annotations: { ...probeLeaseAnnotations('n', 'first', []) } }, spec }],
    ['was taken by another client', { metadata, spec: { ...spec, holderIdentity: 'thief' } }],
    ['does not say when it was renewed', { metadata, spec: { ...spec, renewTime: undefined } }],
  ];
  it.each(nothing)('is nothing where the lease %s', (_name, lease) => {
    expect(previousLeaseOf(lease)).toBeUndefined();
  });
});

describe('[I4] an agent that takes the place of another', () => {
  let bed: AgentBed;
  let clock: Clock;

  beforeEach(async () => {
    bed = await AgentBed.start();
    clock = scaledClock(10);
  });
  afterEach(() => bed.close());

  const holder = async () => (await bed.lease())?.spec['holderIdentity'];
  const version = async () => (await bed.lease())?.metadata.resourceVersion;
  const patient = (name: string) => ({
    ...bed.probe(name),
    periodSeconds: 60,
    timeoutSeconds: 60,
    failureThreshold: 3,
  });

  /** The first agent has found the pod to be disruptable, and is gone; its application says nothing now. */
  async function orphaned(leaseDurationSeconds = 40): Promise<string> {
    const { metadata } = await bed.pod('db-0', { probe: patient('db-0') });
    const first = await bed.agent({ identity: 'first', clock, leaseDurationSeconds });
    await bed.eventually(() => bed.isDisruptable('db-0'), 'it is disruptable');
    await first.stop();
    bed.application.says('db-0', 'silent');
    return metadata.uid;
  }

  async function untilAsked(start: () => Promise<unknown>): Promise<void> {
    const before = bed.application.timesAsked('db-0');
    await start();
    await bed.eventually(() => bed.application.timesAsked('db-0') > before, 'the second agent asks');
  }

  it('keeps what that one said until it has asked for itself, and renews nothing before', async () => {
    const uid = await orphaned(600);
    const last = await version();
    await untilAsked(() => bed.agent({ identity: 'second', clock }));
    expect(await version()).toBe(last);
    expect(await bed.listed()).toEqual(new Set([uid]));
    bed.application.says('db-0', 'yes');
    await bed.eventually(async () => (await holder()) === 'second', 'the second agent holds the lease');
    expect(await bed.listed()).toEqual(new Set([uid]));
    expect(await bed.shown('db-0')).toMatchObject({ status: 'True' });
  });

  it('takes it back with its first own answer, although one failure is not enough for its threshold', async () => {
    await orphaned(600);
    await untilAsked(() => bed.agent({ identity: 'second', clock }));
    bed.application.says('db-0', 'no');
    await bed.eventually(async () => (await holder()) === 'second', 'the second agent holds the lease');
    expect(await bed.listed()).toEqual(new Set());
  });

  it('keeps it no longer than the lease lasts', async () => {
    await orphaned(4);
    await bed.agent({ identity: 'second', clock, leaseDurationSeconds: 4 });
    await bed.eventually(async () => (await holder()) === 'second', 'the second agent holds the lease');
    expect(await bed.listed()).toEqual(new Set());
    // The last word of the first stays on the pod, and counts for nothing.
    expect(await bed.shown('db-0')).toMatchObject({ status: 'True' });
    bed.application.says('db-0', 'yes');
    await bed.eventually(() => bed.isDisruptable('db-0'), 'it is disruptable again');
  });

  it('keeps it for no container that was started since', async () => {
    await orphaned(600);
    await bed.run('db-0', { life: 2, startedAt: clock.now() });
    await bed.agent({ identity: 'second', clock });
    await bed.eventually(async () => (await holder()) === 'second', 'the second agent holds the lease');
    expect(await bed.listed()).toEqual(new Set());
  });

  it('waits for no pod that is gone', async () => {
    await orphaned(600);
    await bed.remove('db-0');
    await bed.agent({ identity: 'second', clock });
    await bed.eventually(async () => (await holder()) === 'second', 'the second agent holds the lease');
    expect(await bed.listed()).toEqual(new Set());
  });
});
