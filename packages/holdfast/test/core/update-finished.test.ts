import { describe, expect, it } from 'vitest';
import { ask, aWorld } from '../../../../test/support/a-world.ts';
import { aLedger, aPod, aReservation, ns, PodBuilder } from '../../../../test/support/builders.ts';
import { aFirmReservation, podsOf, pubFor } from '../../../../test/support/fleet.ts';
import { fateOf, iso } from '../../../../test/support/pruning.ts';
import { table } from '../../../../test/support/table.ts';
import type { Condition } from '../../../base/src/meta.ts';
import type { ChangeRecord, Reservation } from '../../src/api/ledger.ts';
import type { ContainerStatus, Pod } from '../../src/api/pod.ts';
import { runsOf } from '../../src/core/container-runs.ts';
import { type RequestedChange, recordChange } from '../../src/core/ledger/change-record.ts';

/** A pod of two containers as its kubelet tells of it: `x` before the change, then `y`, then `z`. */
interface Life {
  readonly version?: string;
  readonly generation?: number;
  /** Absent: as the generation. `none`: the kubelet says nothing of it. */
  readonly observed?: number | 'none';
  readonly app?: string;
  readonly image?: string;
  readonly restarts?: number;
  readonly started?: boolean;
  readonly ready?: boolean;
  readonly proxy?: string;
  readonly proxyImage?: string;
  readonly cpu?: string;
  readonly allocated?: string;
  readonly conditions?: readonly Condition[];
  readonly gate?: 'True' | 'False';
  readonly labels?: Readonly<Record<string, string>>;
}

function pod(life: Life = {}): Pod {
  const { generation = 1, observed = generation, ready = true, cpu = '1', gate, labels = {} } = life;
  const { app = 'x', image = 'app:1', restarts = 0, started = true, proxy = 'x', proxyImage = 'proxy:1' } = life;
  const status = (name: string, run: string, more: Partial<ContainerStatus>): ContainerStatus => ({
    name,
    containerID: `containerd://${name}-${run}`,
    started: true,
    restartCount: 0,
    ...more,
  });
  const isReady = ready && gate !== 'False';
  const conditions: Condition[] = [
    { type: 'Ready', status: isReady ? 'True' : 'False' },
    { type: 'ContainersReady', status: ready ? 'True' : 'False' },
    ...(gate === undefined ? [] : [{ type: 'InPlaceUpdateReady', status: gate }]),
    ...(life.conditions ?? []),
  ];
  const containers = [
    { name: 'app', image, resources: { requests: { cpu } } },
    { name: 'proxy', image: proxyImage },
  ];
  const base = aPod('web-0')
    .labels({ app: 'web', ...labels })
    .version(life.version ?? '10')
    .build();
  return {
    ...base,
    metadata: { ...base.metadata, generation },
    spec: { ...base.spec, containers, readinessGates: [{ conditionType: 'InPlaceUpdateReady' }] },
    status: {
      ...base.status,
      ...(observed === 'none' ? {} : { observedGeneration: observed }),
      conditions,
      containerStatuses: [
        status('app', app, { restartCount: restarts, started, allocatedResources: { cpu: life.allocated ?? cpu } }),
        status('proxy', proxy, {}),
      ],
    },
  };
}

const asked = (before: Life, change: Partial<RequestedChange>): RequestedChange => {
  const { metadata, ...rest } = pod(before);
  return {
    resourceVersion: metadata.resourceVersion ?? '',
    generation: metadata.generation ?? 0,
    runs: runsOf({ metadata, ...rest }),
    kind: 'spec',
    restarts: [],
    ...change,
  };
};

const reservedFor = (change: RequestedChange, before?: Reservation): Reservation =>
  aReservation('web-0', 'UPDATE', {
    time: iso(0),
    generation: change.generation,
    change: recordChange(change, before),
  });

/** What becomes of the reservation, by a look at the pod, a moment later unless it says otherwise. */
const seen = (reservation: Reservation, life: Life, seconds = 1): string =>
  fateOf({ pod: new PodBuilder(pod(life)), ledger: aLedger([reservation]) }, seconds).split(' ')[0] ?? '';

const image = asked({}, { restarts: ['app'] });
const resize = asked({}, {});
const inPlace = asked({}, { kind: 'announcement' });
const move = asked({}, { kind: 'membership' });
const deadline = asked({}, { kind: 'unknown' });
const pending = (reason: string): Life => ({
  conditions: [{ type: 'PodResizePending', status: 'True', reason }],
  cpu: '2',
  allocated: '1',
});
const inProgress: Life = { conditions: [{ type: 'PodResizeInProgress', status: 'True' }] };
const applied: Life = { version: '12', generation: 2, image: 'app:2' };
const restarted: Life = { ...applied, app: 'y', restarts: 1 };

interface Row {
  readonly name: string;
  readonly change?: RequestedChange;
  readonly life: Life;
  readonly seconds?: number;
  readonly want: string;
}

describe('a change in place is over', () => {
  const rows: readonly Row[] = [
    { name: 'not while the pod is the one that it was asked for', life: {}, want: 'kept' },
    { name: 'not while the old container runs, though the kubelet has observed it', life: applied, want: 'kept' },
    { name: 'and not after minutes of that', life: applied, seconds: 600, want: 'kept' },
    { name: 'not before the kubelet has observed it', life: { ...restarted, observed: 1 }, want: 'kept' },
    { name: 'not while the new container starts', life: { ...restarted, started: false }, want: 'kept' },
    { name: 'not while the pod is not ready', life: { ...restarted, ready: false }, want: 'kept' },
    { name: 'when its container was restarted and the pod is healthy', life: restarted, want: 'updated' },
    {
      name: 'when it was restarted, by its ID alone',
      life: { ...restarted, restarts: 0 },
      want: 'updated',
    },
    { name: 'when it was restarted, by its count alone', life: { ...restarted, app: 'x' }, want: 'updated' },
    {
      name: 'when it was restarted and the kubelet says nothing of generations',
      life: { ...restarted, generation: 0, observed: 'none' },
      want: 'updated',
    },
    { name: 'when it never happened', life: { version: '11' }, want: 'returned' },
    {
      name: 'when it was taken back before the kubelet looked',
      life: { version: '13', generation: 3 },
      want: 'returned',
    },
    {
      name: 'not when it was taken back and the kubelet may be stopping the old container',
      life: { version: '13', generation: 3, observed: 2 },
      want: 'kept',
    },
    {
      name: 'not when it was taken back and the kubelet says nothing of generations',
      life: { version: '13', generation: 3, observed: 'none' },
      want: 'kept',
    },
    {
      name: 'not while a resize is deferred',
      change: resize,
      life: { ...applied, ...pending('Deferred') },
      want: 'kept',
    },
    {
      name: 'not after an hour of that',
      change: resize,
      life: { ...applied, ...pending('Deferred') },
      seconds: 3_600,
      want: 'kept',
    },
    { name: 'not while a resize is in progress', change: resize, life: { ...applied, ...inProgress }, want: 'kept' },
    {
      name: 'not before the node has set the resources aside',
      change: resize,
      life: { ...applied, cpu: '2', allocated: '1' },
      want: 'kept',
    },
    { name: 'when a resize is done', change: resize, life: { ...applied, cpu: '2' }, want: 'updated' },
    {
      name: 'not by the pod itself where the node can never carry a resize out; that waits like a removal',
      change: resize,
      life: { ...applied, ...pending('Infeasible') },
      seconds: 119,
      want: 'kept',
    },
    {
      name: 'not by the pod itself where the node can never carry a resize out, after that',
      change: resize,
      life: { ...applied, ...pending('Infeasible') },
      seconds: 120,
      want: 'waits',
    },
    { name: 'when labels were stored', change: move, life: { version: '11', labels: { app: 'b' } }, want: 'updated' },
    { name: 'when labels are as before in a newer version', change: move, life: { version: '11' }, want: 'updated' },
    { name: 'not while labels may still be stored', change: move, life: {}, want: 'kept' },
    {
      name: 'when an announcement is taken back',
      change: inPlace,
      life: { version: '12', gate: 'True' },
      want: 'returned',
    },
    { name: 'not while it holds', change: inPlace, life: { version: '12', gate: 'False' }, want: 'kept' },
    {
      name: 'not while it holds, for an hour',
      change: inPlace,
      life: { version: '12', gate: 'False' },
      seconds: 3_600,
      want: 'kept',
    },
    { name: 'not before it is stored', change: inPlace, life: { gate: 'True' }, want: 'kept' },
    { name: 'not while the pod is out of service', life: { ...restarted, gate: 'False' }, want: 'kept' },
    { name: 'not at once where nothing shows it', change: deadline, life: applied, seconds: 119, want: 'kept' },
    {
      name: 'not at once where nothing shows it, but it waits',
      change: deadline,
      life: applied,
      seconds: 120,
      want: 'waits',
    },
    { name: 'not when it may never have been stored, but it waits', life: {}, seconds: 20, want: 'waits' },
  ];

  table(
    rows.map((row) => ({ ...row, name: `[L8] ${row.name}` })),
    ({ change = image, life, seconds, want }) => expect(seen(reservedFor(change), life, seconds)).toBe(want),
  );

  it('[L8] also when it was made on a condition', () => {
    expect(seen({ ...reservedFor(image), conditional: true }, restarted)).toBe('updated');
  });

  it('[L8] and is not released by its last step before', () => {
    const overdue = { phase: 'closed', by: 'a', since: iso(20), podsVersion: '150' } as const;
    const late = (life: Life, change = image) => seen({ ...reservedFor(change), overdue }, life, 900);
    expect(late({})).toBe('returned');
    expect(late(applied)).toBe('kept');
    expect(late({ ...applied, ...pending('Deferred') }, resize)).toBe('kept');
    expect(late({ ...applied, ...pending('Infeasible') }, resize)).toBe('returned');
    expect(late({ version: '12', gate: 'False' }, inPlace)).toBe('kept');
  });
});

describe('a change of a pod that is changed already', () => {
  const first = reservedFor(image);

  it('[L8] waits for the containers of both', () => {
    const other = reservedFor(asked(applied, { restarts: ['proxy'] }), first);
    const both: Life = { ...restarted, version: '20', generation: 3, proxyImage: 'proxy:2' };
    expect(seen(other, both)).toBe('kept');
    expect(seen(other, { ...both, app: 'x', restarts: 0, proxy: 'y' })).toBe('kept');
    expect(seen(other, { ...both, proxy: 'y' })).toBe('updated');
  });

  it('[L8] of the same container is not over with its first restart, which may be that of the first', () => {
    const second = reservedFor(asked(applied, { restarts: ['app'] }), first);
    const life: Life = { version: '20', generation: 3, image: 'app:3' };
    expect(seen(second, { ...life, app: 'y', restarts: 1 })).toBe('kept');
    expect(seen(second, { ...life, app: 'z', restarts: 2 })).toBe('updated');
    // The kubelet may have left the first one out; the pod does not say so.
    expect(seen(second, { ...life, app: 'y', restarts: 1 }, 120)).toBe('waits');
  });

  it('[L8] is counted again from what the pod shows then', () => {
    const second = reservedFor(asked(restarted, { restarts: ['app'] }), first);
    expect(seen(second, { version: '20', generation: 3, image: 'app:3', app: 'y', restarts: 1 })).toBe('kept');
    expect(seen(second, { version: '20', generation: 3, image: 'app:3', app: 'z', restarts: 2 })).toBe('updated');
  });

  it('[L8] of a container that does not run takes one restart', () => {
    const broken: Life = { ...applied, started: false, ready: false };
    const fixed = reservedFor(asked(broken, { restarts: ['app'] }), first);
    expect(seen(fixed, { version: '20', generation: 3, app: 'y', restarts: 1 })).toBe('updated');
  });

  it('[L8] takes it back, if the kubelet has not begun', () => {
    const back = reservedFor(asked(applied, { restarts: ['app'] }), first);
    expect(seen(back, { version: '20', generation: 3, observed: 2 })).toBe('kept');
    expect(seen(back, { version: '20', generation: 3 })).toBe('returned');
    expect(seen(back, { version: '20', generation: 3, app: 'y', restarts: 1 })).toBe('kept');
    expect(seen(back, { version: '20', generation: 3, app: 'z', restarts: 2 })).toBe('updated');
  });

  it('[L8] takes one of two containers back', () => {
    const two = reservedFor(asked({}, { restarts: ['app', 'proxy'] }));
    const half = reservedFor(asked({ ...applied, proxyImage: 'proxy:2' }, { restarts: ['app'] }), two);
    const life: Life = { version: '20', generation: 3, proxyImage: 'proxy:2' };
    expect(seen(half, life)).toBe('kept');
    expect(seen(half, { ...life, proxy: 'y' })).toBe('updated');
  });

  it('[L8] is the same one when it is asked for again', () => {
    const again = asked({ version: '11' }, { restarts: ['app'] });
    expect(recordChange(again, first)).toEqual({ ...first.change, from: '11' });
  });

  it('[C2] is what was announced', () => {
    const announced = reservedFor(inPlace);
    const out: Life = { version: '12', gate: 'False' };
    const update = reservedFor(asked(out, { restarts: ['app'] }), announced);
    expect(update.change).not.toHaveProperty('announced');
    expect(seen(update, { ...restarted, version: '14', gate: 'False' })).toBe('kept');
    expect(seen(update, { ...restarted, version: '15', gate: 'True' })).toBe('updated');
    const labelled = reservedFor(asked(out, { kind: 'membership' }), announced);
    expect(seen(labelled, { version: '14', gate: 'False' })).toBe('kept');
  });

  it('[L8] is bounded: what is not recorded is not believed to be over', () => {
    const names = Array.from({ length: 9 }, (_, i) => `c${i}`);
    const { restarts, open } = recordChange(asked({}, { restarts: names })) as ChangeRecord;
    expect([restarts?.length, open]).toEqual([4, true]);
  });
});

describe('a reservation that covers an update', () => {
  const world = (reservation: Reservation) => {
    const made = aWorld({
      pods: [...podsOf('web', 4).slice(1), new PodBuilder(pod())],
      pubs: [pubFor('web', { minAvailable: 3 })],
    });
    made.setLedger(ns, aLedger([aFirmReservation(made, 'web-0', reservation.operation, reservation)]));
    return made;
  };

  it('[L5] records it', () => {
    const reservation = reservedFor(image);
    const verdict = ask(world(reservation), 'UPDATE', 'web-0', { change: asked(applied, { restarts: ['proxy'] }) });
    expect(verdict).toMatchObject({ result: 'allow', reason: 'AlreadyReserved' });
    const effects = verdict.result === 'allow' ? verdict.effects : undefined;
    expect(effects?.confirm).toBeUndefined();
    expect(effects?.reserve).toMatchObject({ operation: 'UPDATE', generation: 2, change: { from: '12' } });
    expect(effects?.reserve?.change?.restarts?.map((one) => one.split(' ')[0])).toEqual(['app', 'proxy']);
  });

  it('[L5] [I5] stays as it is when the same one is asked for again', () => {
    const verdict = ask(world(reservedFor(image)), 'UPDATE', 'web-0', { change: image });
    expect(verdict).toMatchObject({ result: 'allow', reason: 'AlreadyReserved', effects: { confirm: true } });
    expect(verdict).not.toHaveProperty(['effects', 'reserve']);
  });

  it('[L5] stays what it is when it is a removal', () => {
    const verdict = ask(world(aReservation('web-0', 'EVICT')), 'UPDATE', 'web-0', { change: image });
    expect(verdict).not.toHaveProperty(['effects', 'reserve']);
  });

  it('[L8] is kept in mind by the removal that replaces it', () => {
    const first = reservedFor(image);
    const verdict = ask(world(first), 'EVICT', 'web-0');
    const reserve = verdict.result === 'allow' ? verdict.effects.reserve : undefined;
    expect(reserve).toMatchObject({ operation: 'EVICT', change: first.change });
    const overdue = { phase: 'closed', by: 'a', since: iso(20), podsVersion: '150' } as const;
    const removal = aReservation('web-0', 'EVICT', { time: iso(0), ...reserve, overdue });
    expect([seen(removal, applied, 900), seen(removal, restarted, 900)]).toEqual(['kept', 'returned']);
  });

  it('[I6] is not changed by a dry run', () => {
    const change = asked(applied, { restarts: ['proxy'] });
    const verdict = ask(world(reservedFor(image)), 'UPDATE', 'web-0', { change, dryRun: true });
    expect(verdict).not.toHaveProperty(['effects', 'reserve']);
  });
});
