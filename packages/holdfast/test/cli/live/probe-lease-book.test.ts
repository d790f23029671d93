import { describe, expect, it } from 'vitest';
import { probeLeaseAnnotations } from '../../../src/api/probe-lease.ts';
import { probeLeaseName } from '../../../src/kube/probes/lease-name.ts';
import { Interner } from '../../../src/kube/projection/interner.ts';
import {
  believed,
  type FoundLease,
  foundLeaseProjection,
  ProbeLeaseBook,
} from '../../../src/observe/once/probe-lease-book.ts';

const now = Date.parse('2026-01-01T00:10:00Z');

function lease(renewTime: string, name = probeLeaseName('node-1')): FoundLease {
  return foundLeaseProjection(new Interner())({
    metadata: { name, namespace: 'holdfast-agents', annotations: probeLeaseAnnotations('node-1', 'agent', ['uid-a']) },
    spec: { holderIdentity: 'agent', leaseDurationSeconds: 40, renewTime },
  });
}

describe('probe leases, looked at once', () => {
  it.each([
    ['a moment ago', '2026-01-01T00:09:55.000000Z', 'fresh', 5],
    ['just within its duration', '2026-01-01T00:09:20.500000Z', 'fresh', 39.5],
    ['a little in our future, as clocks differ', '2026-01-01T00:10:03.000000Z', 'fresh', -3],
    ['as long ago as it lasts', '2026-01-01T00:09:20.000000Z', 'expired', 40],
    ['far in our future', '2026-01-01T00:20:00.000000Z', 'ahead', -600],
  ] as const)('[I4] renewed %s', (_, renewTime, state, seconds) => {
    const [view] = new ProbeLeaseBook().look([lease(renewTime)], now);
    expect(view).toMatchObject({ node: 'node-1', state, by: 'renewTime', ageMs: seconds * 1_000 });
    const told = view === undefined ? undefined : believed(view, now);
    expect(told?.pods).toEqual(state === 'fresh' ? new Set(['uid-a']) : undefined);
    // No agent is trusted for longer because a clock is ahead.
    if (told !== undefined) expect(told.renewedAt).toBe(now - Math.max(0, seconds) * 1_000);
  });

  it('[I4] without a time that can be read', () => {
    expect(new ProbeLeaseBook().look([lease('yesterday')], now)[0]?.state).toBe('expired');
  });

  it('[I4] under the name of another node, is not there', () => {
    expect(new ProbeLeaseBook().look([lease('2026-01-01T00:10:00Z', 'other')], now)).toEqual([]);
  });
});

describe('probe leases, looked at again', () => {
  it('count from the look before the renewal that was seen, whatever their times say', () => {
    const book = new ProbeLeaseBook();
    expect(book.look([lease('2031-01-01T00:00:00Z')], now)[0]?.state).toBe('ahead');
    expect(book.look([lease('2031-01-01T00:00:00Z')], now + 5_000)[0]?.state).toBe('ahead');
    const renewed = book.look([lease('2031-01-01T00:00:10Z')], now + 10_000)[0];
    expect(renewed).toMatchObject({ state: 'fresh', by: 'seen', ageMs: 5_000 });
    expect(book.look([lease('2031-01-01T00:00:10Z')], now + 44_999)[0]).toMatchObject({ state: 'fresh' });
    expect(book.look([lease('2031-01-01T00:00:10Z')], now + 45_000)[0]).toMatchObject({ state: 'expired' });
  });
});
