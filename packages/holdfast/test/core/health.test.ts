import { describe, expect, it } from 'vitest';
import { aWorld, pdbNumbers, pubNumbers } from '../../../../test/support/a-world.ts';
import { aGroupPdb, aPod, aPub, type PodBuilder } from '../../../../test/support/builders.ts';
import { table } from '../../../../test/support/table.ts';
import { annotation } from '../../src/api/names.ts';
import type { ProbeLease } from '../../src/core/lease.ts';
import type { World } from '../../src/core/world/world.ts';

const app = { app: 'x' };
const pod = aPod('p').labels(app);

/** A world of one pod under a PDB and a PUB, which then are available when the pod is healthy for them. */
function around(one: PodBuilder, lease?: ProbeLease): World {
  const world = aWorld({
    pods: [one],
    pdbs: [aGroupPdb('b', app, { minAvailable: 1 }, 'app')],
    pubs: [aPub('b', { selector: { matchLabels: app }, minAvailable: 1 })],
  });
  if (lease !== undefined) world.setProbeLease('node-1', lease);
  return world;
}

function health(world: World, now = 0): { readonly pdb: boolean; readonly pub: boolean } {
  return { pdb: pdbNumbers(world, 'b', now)?.available === 1, pub: pubNumbers(world, 'b', now)?.available === 1 };
}

const healthy = { pdb: true, pub: true };
const unhealthy = { pdb: false, pub: false };
const onlyForPdb = { pdb: true, pub: false };
const onlyForPub = { pdb: false, pub: true };
const fresh: ProbeLease = { renewedAt: 0, durationSeconds: 40 };
const stale: ProbeLease = { renewedAt: -40_000, durationSeconds: 40 };

interface Row {
  readonly name: string;
  readonly pod: PodBuilder;
  readonly lease?: ProbeLease;
  readonly want: { readonly pdb: boolean; readonly pub: boolean };
}

const check = (rows: readonly Row[]): void =>
  table(rows, ({ pod: one, lease, want }) => expect(health(around(one, lease))).toEqual(want));

describe('a pod without a probe', () => {
  const withConditions = (
    ...conditions: readonly { type: string; status: 'True' | 'False' | 'Unknown' }[]
  ): PodBuilder => pod.conditions(conditions);
  check([
    { name: '[H1] is healthy when it is Ready', pod, want: healthy },
    { name: '[H1] is not when it is not Ready', pod: pod.notReady(), want: unhealthy },
    {
      name: '[H1] is not when it is unknown',
      pod: withConditions({ type: 'Ready', status: 'Unknown' }),
      want: unhealthy,
    },
    { name: '[H1] is not without conditions', pod: withConditions(), want: unhealthy },
    {
      name: '[H1] is not by other conditions',
      pod: withConditions({ type: 'ContainersReady', status: 'True' }),
      want: unhealthy,
    },
    {
      name: '[H1] is by Ready alone, whatever Disruptable says',
      pod: withConditions({ type: 'Disruptable', status: 'False' }, { type: 'Ready', status: 'True' }),
      want: healthy,
    },
    {
      name: '[H1] is not by Disruptable',
      pod: withConditions({ type: 'Disruptable', status: 'True' }),
      want: unhealthy,
    },
    { name: '[H1] needs no lease', pod, lease: stale, want: healthy },
  ]);

  const gate = 'InPlaceUpdateReady';
  const gated = (gates: readonly string[], ...more: readonly [string, 'True' | 'False' | 'Unknown'][]): PodBuilder =>
    pod
      .spec({ readinessGates: gates.map((conditionType) => ({ conditionType })) })
      .conditions([
        { type: 'Ready', status: 'False' },
        { type: 'ContainersReady', status: 'True' },
        ...more.map(([type, status]) => ({ type, status })),
      ]);
  check([
    {
      name: '[H6] is healthy for a PUB, which judges the announcement, when only an announced update in place keeps it from being Ready',
      pod: gated([gate], [gate, 'False']),
      want: onlyForPub,
    },
    {
      name: '[H6] is not when its containers are not ready',
      pod: gated([gate]).conditions([
        { type: 'Ready', status: 'False' },
        { type: 'ContainersReady', status: 'False' },
        { type: gate, status: 'False' },
      ]),
      want: unhealthy,
    },
    {
      name: '[H6] is not when another gate is closed',
      pod: gated([gate, 'other'], [gate, 'False'], ['other', 'False']),
      want: unhealthy,
    },
    {
      name: '[H6] is for a PUB when all other gates are open',
      pod: gated([gate, 'other'], [gate, 'False'], ['other', 'True']),
      want: onlyForPub,
    },
    { name: '[H6] is not when nothing was said by that gate', pod: gated([gate]), want: unhealthy },
    { name: '[H6] is not when it is unknown', pod: gated([gate], [gate, 'Unknown']), want: unhealthy },
    { name: '[H6] is not when it is no gate of the pod', pod: gated([], [gate, 'False']), want: unhealthy },
    { name: '[H6] is not when it is open', pod: gated([gate], [gate, 'True']), want: unhealthy },
  ]);

  it('[H6] is not for a PUB that does not protect UPDATE, and so did not judge the announcement', () => {
    const announced = gated([gate], [gate, 'False']);
    const world = aWorld({
      pods: [announced],
      pubs: [aPub('b', { selector: { matchLabels: app }, minAvailable: 1, protectOperations: ['EVICT'] })],
    });
    expect(pubNumbers(world, 'b')?.available).toBe(0);
    world.upsertPod(pod.build());
    expect(pubNumbers(world, 'b')?.available).toBe(1);
    world.upsertPod(announced.build());
    expect(pubNumbers(world, 'b')?.available).toBe(0);
  });

  it('[H1] changes with its condition', () => {
    const world = around(pod);
    world.upsertPod(pod.notReady().build());
    expect(health(world)).toEqual(unhealthy);
    world.upsertPod(pod.build());
    expect(health(world)).toEqual(healthy);
  });
});

describe('a pod with a probe', () => {
  check([
    {
      name: '[H2] is healthy when Disruptable is True and the lease fresh',
      pod: pod.probed('True'),
      lease: fresh,
      want: healthy,
    },
    { name: '[H2] is not when Disruptable is False', pod: pod.probed('False'), lease: fresh, want: unhealthy },
    {
      name: '[H2] is not when the probe has not answered',
      pod: pod.probed('unanswered'),
      lease: fresh,
      want: unhealthy,
    },
    { name: '[H2] is not when the lease is stale', pod: pod.probed('True'), lease: stale, want: unhealthy },
    { name: '[H2] is not when its node has no lease', pod: pod.probed('True'), want: unhealthy },
    {
      name: '[H2] is not by the lease of another node',
      pod: pod.probed('True').on('node-2'),
      lease: fresh,
      want: unhealthy,
    },
    {
      name: '[H2] is healthy although it is not Ready',
      pod: pod.probed('True').notReady(),
      lease: fresh,
      want: healthy,
    },
    { name: '[H2] is not healthy although it is Ready', pod: pod.probed('False'), lease: fresh, want: unhealthy },
    {
      name: '[H2] in a container’s own field counts, too',
      pod: pod.spec({ containers: [{ name: 'main', disruptionProbe: { httpGet: { port: 80 } } }] }),
      lease: fresh,
      want: unhealthy,
    },
  ]);

  it('[H2] without a node is not healthy', () => {
    const world = around(aPod('p').labels(app).probed('True').unscheduled(), fresh);
    expect(health(world)).toEqual(unhealthy);
  });

  it('[H2] is healthy until the duration of the lease has passed, and again when it is renewed', () => {
    const world = around(pod.probed('True'), fresh);
    expect(health(world, 39_999)).toEqual(healthy);
    expect(health(world, 40_000)).toEqual(unhealthy);
    world.setProbeLease('node-1', { renewedAt: 41_000, durationSeconds: 40 });
    expect(health(world, 41_000)).toEqual(healthy);
    expect(health(world, 80_999)).toEqual(healthy);
    expect(health(world, 81_000)).toEqual(unhealthy);
  });

  it('[H2] stays healthy when the lease is renewed in time', () => {
    const world = around(pod.probed('True'), fresh);
    expect(health(world, 20_000)).toEqual(healthy);
    world.setProbeLease('node-1', { renewedAt: 20_000, durationSeconds: 40 });
    expect(health(world, 59_999)).toEqual(healthy);
  });

  it('[H2] follows a lease that gets shorter, and each node its own', () => {
    const world = around(pod.probed('True'), fresh);
    world.setProbeLease('node-2', { renewedAt: 0, durationSeconds: 10 });
    expect(health(world, 15_000)).toEqual(healthy);
    world.setProbeLease('node-1', { renewedAt: 15_000, durationSeconds: 5 });
    expect(health(world, 19_999)).toEqual(healthy);
    expect(health(world, 20_000)).toEqual(unhealthy);
  });

  it('[H2] [I4] stays unhealthy when a clock goes backwards', () => {
    const world = around(pod.probed('True'), fresh);
    expect(health(world, 50_000)).toEqual(unhealthy);
    expect(health(world, 1_000)).toEqual(unhealthy);
    world.setProbeLease('node-1', { renewedAt: 1_000, durationSeconds: 40 });
    expect(health(world, 1_000)).toEqual(unhealthy);
  });

  it('[H2] is not healthy by a renewal that is older than its duration when it comes', () => {
    const world = around(pod.probed('True'));
    expect(health(world, 100_000)).toEqual(unhealthy);
    world.setProbeLease('node-1', fresh);
    expect(health(world, 100_000)).toEqual(unhealthy);
  });

  it('[H2] is not healthy when the lease is deleted', () => {
    const world = around(pod.probed('True'), fresh);
    world.deleteProbeLease('node-1');
    expect(health(world)).toEqual(unhealthy);
    world.setProbeLease('node-1', fresh);
    expect(health(world)).toEqual(healthy);
  });

  it('[H2] is healthy only while the lease lists its uid', () => {
    const world = around(pod.probed('True'), { ...fresh, pods: new Set() });
    expect(health(world)).toEqual(unhealthy);
    world.setProbeLease('node-1', { ...fresh, pods: new Set(['another', 'uid-p']) });
    expect(health(world)).toEqual(healthy);
    world.upsertPod(pod.probed('True').uid('another-life').build());
    expect(health(world)).toEqual(unhealthy);
    world.setProbeLease('node-1', { ...fresh, pods: new Set(['another-life']) });
    expect(health(world)).toEqual(healthy);
    world.setProbeLease('node-1', { ...fresh, pods: new Set(['uid-p']) });
    expect(health(world)).toEqual(unhealthy);
  });

  it("[H2] [I4] is timed by the keeper's clock where there is one, whatever time others bring", () => {
    const world = around(pod.probed('True'));
    let steady = 1_000;
    const told: string[] = [];
    world.keepLeases({
      clock: { monotonic: () => steady },
      changed: ({ name, fresh }) => void told.push(`${name} ${fresh}`),
    });
    world.setProbeLease('node-1', { renewedAt: 1_000, durationSeconds: 40 });
    expect(health(world, Date.parse('2036-01-01T00:00:00Z'))).toEqual(healthy);
    steady = 40_999;
    expect(health(world, 0)).toEqual(healthy);
    steady = 41_000;
    expect(health(world, 0)).toEqual(unhealthy);
    expect(told).toEqual(['p true', 'p false']);
  });

  it('[H2] is judged by the lease that there is when it comes, and when its probe comes or goes', () => {
    const world = around(pod, fresh);
    expect(health(world, 50_000)).toEqual(healthy);
    world.upsertPod(pod.probed('True').build());
    expect(health(world, 50_000)).toEqual(unhealthy);
    world.upsertPod(pod.build());
    expect(health(world, 50_000)).toEqual(healthy);
  });

  it('[H2] changes with its condition, and pods of one node change together with the lease', () => {
    const world = around(pod.probed('True'), fresh);
    world.upsertPod(aPod('q').labels(app).probed('True').build());
    expect(pubNumbers(world, 'b', 0)?.available).toBe(2);
    world.upsertPod(pod.probed('False').build());
    expect(pubNumbers(world, 'b', 0)?.available).toBe(1);
    expect(pubNumbers(world, 'b', 40_000)?.available).toBe(0);
  });
});

describe('a pod for a PUB', () => {
  const state = (record: unknown): PodBuilder =>
    pod.annotate({ [annotation.kruiseInPlaceState]: typeof record === 'string' ? record : JSON.stringify(record) });
  const record = {
    revision: 'web-7f9',
    updateTimestamp: '2026-01-01T00:00:00Z',
    lastContainerStatuses: {
      main: { imageID: 'registry/web@sha256:old' },
      side: { imageID: 'registry/side@sha256:old' },
    },
  };
  const ids = (main: string, side: string) => ({
    main: `registry/web@sha256:${main}`,
    side: `registry/side@sha256:${side}`,
  });
  check([
    { name: '[H3] is Running', pod: pod.phase('Running'), want: healthy },
    { name: '[H3] is not of phase Unknown', pod: pod.phase('Unknown'), want: onlyForPdb },
    { name: '[H3] is not Pending', pod: pod.phase('Pending'), want: onlyForPdb },
    { name: '[H3] [N1] is not when it is finished, for any budget', pod: pod.phase('Succeeded'), want: unhealthy },
    { name: '[H3] [N1] is not when it failed, for any budget', pod: pod.phase('Failed'), want: unhealthy },
    { name: '[H3] [N1] is not when it is terminating, for any budget', pod: pod.terminating(), want: unhealthy },
    {
      name: '[H3] has no unavailable label',
      pod: pod.labels({ 'unavailable-pod.kruise.io/maintenance': 'true' }),
      want: onlyForPdb,
    },
    {
      name: '[H3] has no unavailable label, whatever its value',
      pod: pod.labels({ 'unavailable-pod.kruise.io/x': '' }),
      want: onlyForPdb,
    },
    {
      name: '[H3] may have labels that look alike',
      pod: pod.labels({ 'unavailable-pod.example.com/x': 'true', 'kruise.io/unavailable-pod': 'true' }),
      want: healthy,
    },
    { name: '[H3] may have a finished in-place update', pod: state(record).runs(ids('new', 'new')), want: healthy },
    {
      name: '[H3] has no container that still runs the old image',
      pod: state(record).runs(ids('new', 'old')),
      want: onlyForPdb,
    },
    { name: '[H3] has no update that has not begun', pod: state(record).runs(ids('old', 'old')), want: onlyForPdb },
    {
      name: '[H3] has no containers left for a next batch',
      pod: state({ ...record, nextContainerImages: { late: 'web:2' } }).runs(ids('new', 'new')),
      want: onlyForPdb,
    },
    {
      name: '[H3] may have an empty next batch',
      pod: state({ ...record, nextContainerImages: {} }).runs(ids('new', 'new')),
      want: healthy,
    },
    { name: '[H3] may have an update of no image', pod: state({ revision: 'web-7f9' }), want: healthy },
    { name: '[H3] [I4] has no update that cannot be read', pod: state('{"revision":'), want: onlyForPdb },
    { name: '[H3] [I4] has no update that is something else', pod: state('[]'), want: onlyForPdb },
    {
      name: '[H3] with a probe is Running, too',
      pod: pod.probed('True').phase('Unknown'),
      lease: fresh,
      want: onlyForPdb,
    },
    {
      name: '[H3] with a probe has no unavailable label, either',
      pod: pod.probed('True').labels({ 'unavailable-pod.kruise.io/x': '' }),
      lease: fresh,
      want: onlyForPdb,
    },
    { name: '[H3] [H1] is Ready on top of all that', pod: pod.notReady(), want: unhealthy },
  ]);
});

describe('a probe that cannot be read', () => {
  const text = (probe: string): PodBuilder => pod.probed('True').annotate({ [annotation.disruptionProbe]: probe });
  check(
    [
      { what: 'that is no JSON and no YAML', probe: '{"httpGet":' },
      { what: 'that is empty', probe: '' },
      { what: 'without a handler', probe: '{"periodSeconds":5}' },
      { what: 'with two handlers', probe: '{"httpGet":{"port":80},"tcpSocket":{"port":80}}' },
      { what: 'for a container that the pod does not have', probe: '{"ghost":{"httpGet":{"port":80}}}' },
    ].map(({ what, probe }) => ({
      name: `[H4] one ${what} counts as one that never answers`,
      pod: text(probe),
      lease: fresh,
      want: unhealthy,
    })),
  );

  it('[H4] is healthy as soon as it can be read', () => {
    const world = around(text('{'), fresh);
    expect(health(world)).toEqual(unhealthy);
    world.upsertPod(pod.probed('True').build());
    expect(health(world)).toEqual(healthy);
  });
});
