import { describe, expect, it } from 'vitest';
import { aPdb, aPod, ns } from '../../../../../test/support/builders.ts';
import type { Reservation } from '../../../src/api/ledger.ts';
import { World } from '../../../src/core/world/world.ts';
import { LedgerSink } from '../../../src/observe/view/ledger-sink.ts';

const reservation = (pod: string): Reservation => ({
  pod,
  uid: `uid-${pod}`,
  operation: 'EVICT',
  time: '2026-03-01T12:00:00Z',
  view: '1',
});

const ledger = (resourceVersion: string, ...pods: readonly string[]) => ({
  metadata: { name: 'default', namespace: ns, resourceVersion },
  spec: { reservations: pods.map(reservation) },
});

function aSink() {
  const world = new World();
  for (const app of ['web', 'api']) {
    world.upsertPdb(aPdb(app, { app }, { maxUnavailable: 1 }));
    world.upsertPod(aPod(`${app}-0`).labels({ app }).build());
  }
  const told: string[] = [];
  const sink = new LedgerSink({
    world,
    touched: {
      budgets: (refs) =>
        void told.push(
          `budgets ${[...refs]
            .map(({ name }) => name)
            .sort()
            .join(' ')}`,
        ),
      namespace: (name) => void told.push(`namespace ${name}`),
    },
    seen: (namespace) => void told.push(`seen ${namespace}`),
    older: (namespace) => void told.push(`older ${namespace}`),
  });
  const reserved = () => [...(world.namespace(ns)?.reservations.values() ?? [])].map(({ pod }) => pod);
  return { world, sink, told, reserved };
}

describe('ledgers that come in', () => {
  it('[G5] touch the namespace when the size of a group changed, and no pod did', () => {
    const { sink, told } = aSink();
    const sized = (resourceVersion: string, size: number) => {
      const { metadata, spec } = ledger(resourceVersion);
      return { metadata, spec: { ...spec, sizes: [{ group: 'g', unit: 'web', size }] } };
    };
    sink.replace([sized('5', 3)], '5');
    sink.upsert(sized('6', 3), '6');
    sink.upsert(sized('7', 2), '7');
    expect(told).toEqual([`seen ${ns}`, `namespace ${ns}`, `seen ${ns}`, `seen ${ns}`, `namespace ${ns}`]);
  });

  it('touch the budgets of pods that were reserved or released, and no others', () => {
    const { sink, told, reserved } = aSink();
    sink.replace([ledger('5', 'web-0')], '5');
    expect(told).toEqual([`seen ${ns}`, 'budgets web']);
    told.length = 0;
    sink.upsert(ledger('6', 'web-0', 'api-0'), '6');
    expect(told).toEqual([`seen ${ns}`, 'budgets api']);
    told.length = 0;
    sink.upsert(ledger('7', 'api-0'), '7');
    expect(told).toEqual([`seen ${ns}`, 'budgets web']);
    expect(reserved()).toEqual(['api-0']);
  });

  it('that our own write brought before are still told', () => {
    const { world, sink, told } = aSink();
    world.setLedger(ns, ledger('5', 'web-0'));
    sink.upsert(ledger('5', 'web-0'), '5');
    expect(told).toContain('budgets web');
  });

  it('[I1] never take the place of newer ones', () => {
    const { world, sink, told, reserved } = aSink();
    world.setLedger(ns, ledger('9', 'web-0', 'api-0'));
    sink.upsert(ledger('7', 'web-0'), '7');
    expect(reserved()).toEqual(['web-0', 'api-0']);
    expect(told).not.toContain(`seen ${ns}`);
    expect(world.syncedVersion('ledgers')).toBe('7');
  });

  it('[I1] that a client deletes are remembered', () => {
    const { sink, reserved } = aSink();
    sink.upsert(ledger('5', 'web-0'), '5');
    sink.remove(ledger('6', 'web-0'), '6');
    expect(reserved()).toEqual(['web-0']);
  });

  it('[I1] are asked for once more when a list has an older one, as after a restore of etcd', () => {
    const { sink, told, world } = aSink();
    world.setLedger(ns, ledger('50', 'web-0'));
    sink.upsert(ledger('40'), '40');
    expect(told.filter((line) => line.startsWith('older'))).toEqual([]);
    sink.replace([ledger('40')], '40');
    expect(told.filter((line) => line.startsWith('older'))).toEqual([`older ${ns}`]);
  });
});
