import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { aWorld } from '../../../../../test/support/a-world.ts';
import { aGroupPdb, anOwner, aPdb, aPod, ns } from '../../../../../test/support/builders.ts';
import type { Pod } from '../../../src/api/pod.ts';
import { Overview } from '../../../src/cli/ui/overview/overview.ts';
import type { World } from '../../../src/core/world/world.ts';
import type { SeenNode } from '../../../src/observe/once/nodes.ts';
import { PodSink } from '../../../src/observe/view/pod-sink.ts';
import type { UiModel } from '../../../src/ui/model.ts';
import { expectGolden } from '../golden.ts';
import { readAt } from '../live-world.ts';
import { aShop } from '../worlds.ts';
import { surroundings } from './around.ts';

const aNode = (name: string, more: Partial<SeenNode> = {}): SeenNode => ({
  name,
  labels: { 'topology.kubernetes.io/zone': `zone-${Number(name.slice(-1)) % 2}` },
  ready: true,
  cordoned: false,
  ...more,
});

function overviewOf(world: World, nodes: readonly SeenNode[] | undefined, now = readAt): Overview {
  const known = nodes === undefined ? undefined : new Map(nodes.map((node) => [node.name, node]));
  const overview = new Overview({ world, nodes: () => known, confirmedAt: () => now - 4_321 });
  overview.pods.rebuild();
  overview.everything();
  return overview;
}

function modelOf(overview: Overview, now = readAt, around = surroundings()): UiModel {
  overview.work(now, around.hidden, () => false);
  return overview.model(now, around, 1);
}

describe('the overview of a shop', () => {
  const nodes = [1, 2, 3, 4, 5].map((index) => aNode(`node-${index}`, { cordoned: index === 3 }));

  it('is what the commands say of it', () => {
    const model = modelOf(overviewOf(aShop().world, nodes));
    expectGolden('ui-model', `${JSON.stringify(model, undefined, 2)}\n`);
  });

  it('says nothing of nodes that the user may not judge', () => {
    const hidden = { everything: true, codes: new Set<string>() };
    const { head, nodes: tiles } = modelOf(overviewOf(aShop().world, nodes), readAt, surroundings({ hidden }));
    expect(tiles.map(({ key, state }) => [key, state])).toEqual([
      ['node-1', 'unknown'],
      ['node-2', 'unknown'],
      ['node-3', 'draining'],
      ['node-4', 'unknown'],
      ['node-5', 'unknown'],
    ]);
    expect(head.summary).toContain('4 nodes not judged');
  });

  it('has the nodes of its pods where nodes may not be read', () => {
    const { nodes: tiles } = modelOf(overviewOf(aShop().world, undefined));
    expect(tiles.map(({ key, zone, ready }) => [key, zone, ready])).toEqual(
      ['node-1', 'node-2', 'node-3', 'node-4'].map((name) => [name, '', undefined]),
    );
  });

  it('is drawn before all of it is judged', () => {
    const overview = overviewOf(aShop().world, nodes);
    let steps = 0;
    overview.work(readAt, surroundings().hidden, () => {
      steps += 1;
      return steps >= 6;
    });
    expect(overview.isDirty).toBe(true);
    const early = overview.model(readAt, surroundings(), 1);
    expect(early.nodes).toHaveLength(5);
    expect(early.nodes.filter(({ state }) => state === 'unknown').length).toBeGreaterThan(0);
    expect(modelOf(overview).nodes.filter(({ state }) => state === 'unknown')).toEqual([]);
  });
});

/** Four pods in two shards, two more under a plain budget, on two nodes. */
function aSmallWorld(): World {
  const set = anOwner('StatefulSet', 'shard', 4);
  const web = anOwner('StatefulSet', 'web', 2);
  return aWorld({
    pods: [],
    pdbs: [
      aGroupPdb('shards', { app: 'shard' }, { minAvailable: 1 }),
      aPdb('web', { app: 'web' }, { minAvailable: 1 }),
    ],
    owners: [set, web, anOwner('LeaderWorkerSet', 'shard', 2)],
  });
}

const names = ['shard-0', 'shard-0-1', 'shard-1', 'shard-1-1', 'web-0', 'web-1'] as const;

interface Change {
  readonly name: (typeof names)[number];
  readonly what: 'ready' | 'notReady' | 'terminating' | 'gone';
  readonly node: 'node-1' | 'node-2';
}

function podOf({ name, what, node }: Change): Pod {
  const [app = '', group = '0', worker = '0'] = name.split('-');
  const base =
    app === 'web'
      ? aPod(name)
          .labels({ app })
          .ownedBy(anOwner('StatefulSet', 'web', 2))
      : aPod(name).labels({ app }).lws('shard', Number(group), Number(worker), 2);
  const placed = base.on(node);
  const pod = (what === 'notReady' ? placed.notReady() : placed).build();
  return what === 'terminating'
    ? { ...pod, metadata: { ...pod.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } }
    : pod;
}

const change = fc.record({
  name: fc.constantFrom(...names),
  what: fc.constantFrom('ready', 'ready', 'notReady', 'terminating', 'gone'),
  node: fc.constantFrom('node-1', 'node-2'),
}) as fc.Arbitrary<Change>;

describe('the overview of a cluster that changes', () => {
  const nodes = [aNode('node-1'), aNode('node-2')];

  it('is the one that a fresh look has, after each change', () => {
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 25 }), (changes) => {
        const world = aSmallWorld();
        const overview = overviewOf(world, nodes);
        const sink = new PodSink({
          world,
          touched: overview,
          advanced: () => undefined,
          seen: (pod) => overview.podSeen(pod, readAt),
        });
        changes.forEach((one, index) => {
          const pod = podOf(one);
          if (one.what === 'gone') sink.remove(pod, String(200 + index));
          else sink.upsert(pod, String(200 + index));
          const kept = modelOf(overview);
          const fresh = modelOf(overviewOf(world, nodes));
          expect(kept.nodes).toEqual(fresh.nodes);
          expect(kept.budgets).toEqual(fresh.budgets);
          expect(kept.groups).toEqual(fresh.groups);
          expect(kept.head).toEqual(fresh.head);
        });
      }),
      { numRuns: 60 },
    );
  });

  it('follows a drain, by whichever client: which pods left, which wait and since when', () => {
    const world = aSmallWorld();
    const known = new Map(nodes.map((node) => [node.name, node]));
    const overview = new Overview({ world, nodes: () => known, confirmedAt: () => undefined });
    let now = readAt;
    const sink = new PodSink({
      world,
      touched: overview,
      advanced: () => undefined,
      seen: (pod) => overview.podSeen(pod, now),
    });
    const place = (name: Change['name'], node: Change['node'], what: Change['what'] = 'ready') =>
      sink.upsert(podOf({ name, what, node }), String(now));
    place('shard-0', 'node-1');
    place('shard-0-1', 'node-2');
    place('shard-1', 'node-2');
    place('shard-1-1', 'node-2', 'notReady');
    place('web-0', 'node-1');
    place('web-1', 'node-1');
    overview.node('node-1');
    expect(modelOf(overview, now).drains).toEqual([]);
    overview.begin();

    now += 1_000;
    known.set('node-1', aNode('node-1', { cordoned: true }));
    overview.node('node-1');
    const [begun] = modelOf(overview, now).drains;
    expect(begun).toMatchObject({
      key: 'node-1',
      state: 'draining',
      since: now,
      sinceStart: false,
      evicted: 0,
      left: 3,
    });
    expect(begun?.pods.map(({ name, state, code, budget }) => [name, state, code, budget])).toEqual([
      ['shard-0', 'blocked', 'BudgetExhausted', `pdb/${ns}/shards`],
      ['web-1', 'waits', 'BudgetExhausted', `pdb/${ns}/web`],
      ['web-0', 'ready', undefined, undefined],
    ]);
    const waiting = now;

    now += 5_000;
    sink.remove(podOf({ name: 'web-0', what: 'gone', node: 'node-1' }), String(now));
    const [later] = modelOf(overview, now).drains;
    expect(later).toMatchObject({ evicted: 1, left: 2, lastEvictionAt: now });
    expect(later?.pods.find(({ name }) => name === 'shard-0')?.since).toBe(waiting);
    expect(modelOf(overview, now).lanes.find(({ kind }) => kind === 'nodeDraining')?.spans).toEqual([
      { from: waiting },
    ]);

    now += 5_000;
    for (const name of ['shard-0', 'web-1'] as const) {
      sink.remove(podOf({ name, what: 'gone', node: 'node-1' }), String(now));
    }
    const done = modelOf(overview, now);
    expect(done.drains).toMatchObject([{ state: 'drained', evicted: 3, left: 0, drainedAt: now }]);
    expect(done.nodes.find(({ key }) => key === 'node-1')?.state).toBe('drained');
    expect(done.lanes.find(({ kind }) => kind === 'nodeDraining')?.spans).toEqual([{ from: waiting, to: now }]);

    known.set('node-1', aNode('node-1'));
    overview.node('node-1');
    expect(modelOf(overview, now).drains).toEqual([]);
  });
});
