import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createCertificateMetrics } from '../../../src/operator/certificates/certificate-metrics.ts';
import { ChangeSignal } from '../../../src/operator/certificates/change-signal.ts';
import { leadCertificates } from '../../../src/operator/certificates/lead.ts';
import { createMetrics } from '../../../src/telemetry/metrics.ts';
import { defaultCertificatePolicy as policy } from '../../../src/trust/certificate-policy.ts';
import type { ServerNames } from '../../../src/trust/material.ts';
import { TestClock } from '../../kube/support/test-clock.ts';
import { FakeStore, type Fate } from './fake-store.ts';
import { logInto } from './support.ts';

const minute = 60_000;

interface Led {
  readonly store: FakeStore;
  readonly clock: TestClock;
  readonly changes: ChangeSignal;
  readonly lines: string[];
  readonly stopping: AbortController;
  readonly leading: Promise<void>;
}

function lead(store = new FakeStore(), names: ServerNames = { dnsNames: ['a.example'], addresses: [] }): Led {
  const clock = new TestClock(Date.now());
  const lines: string[] = [];
  const changes = new ChangeSignal();
  const stopping = new AbortController();
  const leading = leadCertificates(
    {
      store,
      names,
      ownCertificates: true,
      allKnowPaths: () => Promise.resolve(true),
      policy,
      randomBytes,
      clock,
      random: () => 0.5,
      log: logInto(lines),
      metrics: createCertificateMetrics(createMetrics()),
      changes,
    },
    stopping.signal,
  );
  return { store, clock, changes, lines, stopping, leading };
}

async function stop({ stopping, leading }: Led): Promise<void> {
  stopping.abort();
  await leading;
}

describe('a leader', () => {
  it('has everything in place within a second, and then writes nothing', async () => {
    const led = lead();
    await led.clock.advance(1_000);
    expect(led.store.holdsTogether()).toBe(true);
    // Until the path is a day old.
    await led.clock.advance(23 * 60 * minute);
    expect(led.store.writes).toEqual(['secret', 'bundle']);
    await stop(led);
  });

  it.each<readonly [Fate]>([['failed'], ['thrown']])('goes on when every read is %s, later each time', async (fate) => {
    const store = new FakeStore();
    store.readFates = Array.from({ length: 200 }, () => fate);
    const led = lead(store);
    await led.clock.advance(10 * minute);
    const tried = 200 - store.readFates.length;
    expect(tried).toBeGreaterThan(10);
    expect(tried).toBeLessThan(60);
    store.readFates = [];
    await led.clock.advance(minute);
    expect(store.holdsTogether()).toBe(true);
    await stop(led);
  });

  it('comes to the same end, whatever happens to its writes', async () => {
    const fate = fc.constantFrom<Fate>('fine', 'conflict', 'failed', 'lost', 'thrown');
    await fc.assert(
      fc.asyncProperty(fc.array(fate, { maxLength: 8 }), async (fates) => {
        const store = new FakeStore();
        store.writeFates = fates;
        const led = lead(store);
        await led.clock.advance(5 * minute);
        await stop(led);
        expect(store.holdsTogether()).toBe(true);
        expect(store.stored().trusted).toHaveLength(1);
      }),
      { numRuns: 40 },
    );
  });

  it('looks at once when something changes, and fills in what was emptied', async () => {
    const led = lead();
    await led.clock.advance(minute);
    led.store.configuration = { webhooks: [{ clientConfig: {} }] };
    await led.clock.advance(minute);
    expect(led.store.holdsTogether()).toBe(false);
    led.changes.give();
    await led.clock.advance(1_000);
    expect(led.store.holdsTogether()).toBe(true);
    await stop(led);
  });

  it('sees without being told, only later', async () => {
    const led = lead();
    await led.clock.advance(minute);
    led.store.configuration = { webhooks: [{ clientConfig: {} }] };
    await led.clock.advance(policy.confirmWithinMs + minute);
    expect(led.store.holdsTogether()).toBe(true);
    await stop(led);
  });

  it.each([
    ['has it when that time has passed', 0, policy.settleMs, true],
    ['has none while it has not', 0, policy.settleMs / 2, false],
    ['does not take a clock that was set for time that has passed', 10 * minute, policy.settleMs / 2, false],
  ])('lets a leaf of a new authority wait until all know that one, and %s', async (_, setMs, waitMs, expected) => {
    const led = lead();
    await led.clock.advance(minute);
    led.store.secretObject = undefined;
    led.changes.give();
    await led.clock.advance(2_000);
    expect(led.store.stored()).toMatchObject({ leaf: undefined, trusted: [{}, {}] });
    led.clock.skewMs = setMs;
    led.changes.give();
    await led.clock.advance(waitMs);
    expect(led.store.stored().leaf !== undefined).toBe(expected);
    await led.clock.advance(policy.settleMs);
    expect(led.store.stored().leaf).toBeDefined();
    await stop(led);
  });

  it('that could never be content does not write all the time', async () => {
    // Certificates know only ASCII: the one that is made does not have this name.
    const led = lead(new FakeStore(), { dnsNames: ['ä.example'], addresses: [] });
    await led.clock.advance(60 * minute);
    expect(led.store.writes.length).toBeGreaterThan(20);
    expect(led.store.writes.length).toBeLessThan(200);
    expect(led.store.holdsTogether()).toBe(true);
    await stop(led);
  });

  it('stops while it waits, and does not write when it was stopped before', async () => {
    const led = lead();
    await led.clock.advance(minute);
    await stop(led);
    const idle = lead();
    await stop(idle);
    expect(idle.store.writes.length).toBeLessThan(2);
  });
});
