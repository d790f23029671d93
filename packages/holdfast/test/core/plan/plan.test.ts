import { describe, expect, it } from 'vitest';
import { aWorld } from '../../../../../test/support/a-world.ts';
import { aGroupPdb, anOwner, aPdb, aPod, ns, type PodBuilder } from '../../../../../test/support/builders.ts';
import { lwsPods, podsOf, pubFor, reserveIn } from '../../../../../test/support/fleet.ts';
import { annotation } from '../../../src/api/names.ts';
import type { PlanNode, PlanOptions, PodShape } from '../../../src/core/plan/input.ts';
import { planDrain } from '../../../src/core/plan/plan-drain.ts';
import type { DrainPlan } from '../../../src/core/plan/plan-result.ts';
import type { World } from '../../../src/core/world/world.ts';

const set = anOwner('StatefulSet', 'web', 6);
const webs = (...nodes: readonly string[]): PodBuilder[] =>
  podsOf('web', nodes.length, set).map((pod, i) => pod.on(nodes[i] ?? ''));

function shape(cpu: number, allows: PodShape['allows'] = () => true, graceSeconds = 30): PodShape {
  return { requests: new Map([['cpu', cpu]]), graceSeconds, allows };
}

function node(name: string, cpu: number, more: Partial<PlanNode> = {}): PlanNode {
  return { name, labels: {}, taints: [], unschedulable: false, allocatable: new Map([['cpu', cpu]]), ...more };
}

interface Wish {
  readonly nodes?: readonly PlanNode[];
  readonly shape?: PodShape;
  readonly shapes?: Readonly<Record<string, PodShape>>;
  readonly options?: Partial<PlanOptions>;
}

function plan(
  world: World,
  drain: readonly string[],
  { nodes = [], options, shapes = {}, ...wish }: Wish = {},
): DrainPlan {
  const shapeOf = (_: string, pod: string) => shapes[pod] ?? wish.shape;
  return planDrain({ world, drain, nodes, shapeOf, now: 0 }, options);
}

const wavesOf = ({ waves }: DrainPlan) => waves.map(({ nodes }) => nodes.map(({ name }) => name));
const pdbWorld = (pods: readonly PodBuilder[], limit: object) =>
  aWorld({ pods, owners: [set], pdbs: [aPdb('web', { app: 'web' }, limit)] });

describe('a plan', () => {
  it('[M3] puts as many nodes into a wave as the budgets let go at once', () => {
    const result = plan(pdbWorld(webs('a', 'b', 'c', 'd', 'e', 'f'), { maxUnavailable: 2 }), [
      'a',
      'b',
      'c',
      'd',
      'e',
      'f',
    ]);
    expect(wavesOf(result)).toEqual([
      ['a', 'b'],
      ['c', 'd'],
      ['e', 'f'],
    ]);
    expect(result.waves[0]?.budgets).toEqual([
      {
        budget: { kind: 'PodDisruptionBudget', namespace: ns, name: 'web' },
        unitKind: 'pod',
        broken: ['web-0', 'web-1'],
        available: 4,
        desired: 4,
        atLimit: true,
      },
    ]);
  });

  it('[M3] drains the nodes of a group together, where first fit would not', () => {
    // Groups 0 and 1 have a node each; 2 and 3 have a pod on c and one on d.
    const nodes = ['a', 'a', 'b', 'b', 'c', 'd', 'd', 'c'];
    const shared = lwsPods('llm', 4, 2).map((pod, i) => pod.on(nodes[i] ?? '').ownedBy(set));
    const world = aWorld({
      pods: shared,
      owners: [set, anOwner('LeaderWorkerSet', 'llm', 4)],
      pdbs: [aGroupPdb('llm', { app: 'llm' }, { maxUnavailable: 2 })],
    });
    const result = plan(world, ['a', 'c', 'b', 'd']);
    expect(result.waves).toHaveLength(2);
    expect(wavesOf(result).map((wave) => wave.toSorted())).toContainEqual(['c', 'd']);
    expect(result.waves.flatMap(({ nodes }) => nodes).find(({ name }) => name === 'c')?.groups).toEqual([
      `${ns}/llm/2`,
      `${ns}/llm/3`,
    ]);
  });

  it('[M3] gives a node with several pods of one budget several rounds, and others the same wave', () => {
    const pods = [...webs('a', 'a', 'b'), aPod('free').on('c').ownedBy(set)];
    const result = plan(pdbWorld(pods, { minAvailable: 2 }), ['a', 'c']);
    expect(wavesOf(result)).toEqual([['a', 'c']]);
    expect(result.waves[0]?.nodes.map(({ rounds }) => rounds)).toEqual([2, 1]);
    expect(result.waves[0]?.rounds.map((pods) => pods.map(({ name }) => name))).toEqual([['web-0', 'free'], ['web-1']]);
  });

  it('[M3] names the nodes that can never be drained, and what blocks them', () => {
    const veto = aPod('busy').on('b').ownedBy(set).probed('False');
    const world = aWorld({
      pods: [...webs('a'), veto, aPod('lonely').on('c'), aPod('fine').on('d').ownedBy(set)],
      owners: [set],
      pdbs: [aPdb('web', { app: 'web' }, { maxUnavailable: 0 })],
      freshNodes: ['b'],
    });
    const { never, waves } = plan(world, ['a', 'b', 'c', 'd']);
    expect(waves.map(({ nodes }) => nodes.map(({ name }) => name))).toEqual([['d']]);
    expect(never).toMatchObject([
      { node: 'a', why: 'refused', pods: [{ pod: { name: 'web-0' }, blockers: [{ code: 'BudgetExhausted' }] }] },
      { node: 'b', why: 'refused', pods: [{ pod: { name: 'busy' }, blockers: [{ code: 'ProbeVeto' }] }] },
      { node: 'c', why: 'noController', pods: [{ name: 'lonely' }] },
    ]);
  });

  it('[M3] drains pods without a controller when told to', () => {
    expect(wavesOf(plan(aWorld({ pods: [aPod('lonely').on('c')] }), ['c'], { options: { force: true } }))).toEqual([
      ['c'],
    ]);
  });

  it('[M3] leaves daemons, static pods and those that are going or finished alone', () => {
    const world = aWorld({
      pods: [
        aPod('daemon').on('a').ownedBy(anOwner('DaemonSet', 'logs')),
        aPod('static').on('a').ownedBy(anOwner('Node', 'a')),
        aPod('going').on('a').terminating(),
        aPod('done').on('a').phase('Succeeded'),
      ],
    });
    expect(plan(world, ['a'])).toMatchObject({ never: [], waves: [{ nodes: [{ name: 'a', pods: 0 }], seconds: 0 }] });
  });

  it('[M3] counts what is reserved as gone', () => {
    const world = pdbWorld(webs('a', 'b', 'c'), { maxUnavailable: 1 });
    reserveIn(world, 'web-2');
    expect(plan(world, ['a']).never).toMatchObject([{ node: 'a', why: 'refused' }]);
  });

  it('[M3] estimates the time from grace periods and start-up, round by round', () => {
    const shapes = { 'web-0': shape(1, undefined, 90), 'web-1': shape(1, undefined, 10) };
    const result = plan(pdbWorld(webs('a', 'a', 'b'), { minAvailable: 2 }), ['a'], {
      shapes,
      options: { startUpSeconds: 20 },
    });
    expect(result.waves[0]?.seconds).toBe(90 + 20 + 10 + 20);
    expect(result.seconds).toBe(140);
    expect(plan(pdbWorld(webs('a'), { minAvailable: 0 }), ['a']).seconds).toBe(30 + 60);
  });

  it('[M3] has no waves when there is nothing to drain', () => {
    expect(plan(aWorld(), [])).toMatchObject({ waves: [], never: [], lowerBound: { waves: 0, why: 'nothingToDrain' } });
  });
});

describe('the lower bound of a plan', () => {
  it('[M4] names the budget that makes it so', () => {
    const { lowerBound } = plan(pdbWorld(webs('a', 'b', 'c', 'd', 'e'), { minAvailable: 3 }), [
      'a',
      'b',
      'c',
      'd',
      'e',
    ]);
    expect(lowerBound).toMatchObject({ waves: 3, why: 'budget', units: 5, allowed: 2, rounds: 1, unitKind: 'pod' });
  });

  it('[M4] knows that nodes cannot be split: two thirds of a budget twice are two waves', () => {
    const { lowerBound, waves } = plan(pdbWorld(webs('a', 'a', 'b', 'b'), { maxUnavailable: 3 }), ['a', 'b']);
    expect(waves).toHaveLength(2);
    expect(lowerBound).toMatchObject({ waves: 2, why: 'budget' });
  });

  it('[M4] finds what several budgets together make necessary, by trying all sets of few nodes', () => {
    const apps = ['x', 'y', 'z'];
    const places = { x: ['a', 'b'], y: ['b', 'c'], z: ['c', 'a'] } as const;
    const owners = apps.map((app) => anOwner('StatefulSet', app, 2));
    const pods = Object.entries(places).flatMap(([app, nodes]) =>
      podsOf(app, 2, owners[apps.indexOf(app)]).map((pod, i) => pod.on(nodes[i] ?? '')),
    );
    const world = aWorld({ pods, owners, pdbs: apps.map((app) => aPdb(app, { app }, { maxUnavailable: 1 })) });
    const { lowerBound, waves } = plan(world, ['a', 'b', 'c']);
    expect(waves).toHaveLength(3);
    expect(lowerBound).toEqual({ waves: 3, why: 'search', tried: 7 });
  });

  it('[M4] proves nothing from a budget whose pods opted out: they are charged to no pod', () => {
    const free = webs('a', 'b').map((pod) => pod.annotate({ [annotation.pubNoProtect]: 'true' }));
    const held = podsOf('web', 4, set)
      .slice(2)
      .map((pod, i) => pod.on(['a', 'b'][i] ?? ''));
    const world = aWorld({ pods: [...free, ...held], owners: [set], pubs: [pubFor('web', { maxUnavailable: 5 })] });
    expect(plan(world, ['a', 'b']).lowerBound.why).not.toBe('budget');
  });
});

describe('room for pods that move', () => {
  const four = webs('a', 'b', 'c', 'd');
  const loose = { maxUnavailable: '100%' };

  it('[M5] drains no more nodes at once than others have room for', () => {
    const nodes = ['a', 'b', 'c', 'd'].map((name) => node(name, 2));
    const result = plan(pdbWorld(four, loose), ['a', 'b', 'c', 'd'], { nodes, shape: shape(1) });
    expect(result.room).toBe('lookedAt');
    expect(wavesOf(result)).toEqual([
      ['a', 'b'],
      ['c', 'd'],
    ]);
    expect(result.lowerBound).toEqual({ waves: 2, why: 'room', resource: 'cpu', needed: 8, free: 4 });
  });

  it('[M5] says for which pod there is no room', () => {
    const nodes = ['a', 'b', 'c', 'd'].map((name) => node(name, 1));
    const result = plan(pdbWorld(four, loose), ['a', 'b'], { nodes, shape: shape(1) });
    expect(result.waves).toEqual([]);
    expect(result.never).toEqual([
      { node: 'a', why: 'noRoom', pod: { namespace: ns, name: 'web-0' } },
      { node: 'b', why: 'noRoom', pod: { namespace: ns, name: 'web-1' } },
    ]);
  });

  it('[M5] makes room with nodes that are replaced beforehand', () => {
    const nodes = ['a', 'b', 'c', 'd'].map((name) => node(name, 1));
    const result = plan(pdbWorld(four, loose), ['a', 'b', 'c'], { nodes, shape: shape(1), options: { maxSurge: 2 } });
    expect(wavesOf(result)).toEqual([['a', 'b'], ['c']]);
    expect(result.waves[0]?.nodes.map(({ surge }) => surge)).toEqual([true, true]);
    expect(result.lowerBound).toMatchObject({ waves: 2, why: 'room', needed: 3, free: 2 });
  });

  it('[M5] a replacement has another name: a pod that is bound to the old one finds no room there', () => {
    const nodes = [node('a', 1, { labels: { 'kubernetes.io/hostname': 'a' } }), node('b', 1)];
    const bound = shape(1, ({ labels }) => labels['kubernetes.io/hostname'] === 'a');
    const result = plan(pdbWorld(webs('a'), loose), ['a'], { nodes, shape: bound, options: { maxSurge: 1 } });
    expect(result.never).toMatchObject([{ node: 'a', why: 'noRoom' }]);
  });

  it.each([
    { title: 'are cordoned', more: { unschedulable: true }, allows: () => true },
    {
      title: 'do not want it',
      more: { labels: { zone: 'x' } },
      allows: ({ labels }: PlanNode) => labels['zone'] === 'y',
    },
  ])('[M5] puts no pod on nodes that $title', ({ more, allows }) => {
    const nodes = [node('a', 4), node('b', 4, more)];
    const result = plan(pdbWorld(webs('a'), loose), ['a'], { nodes, shape: shape(1, allows) });
    expect(result.never).toMatchObject([{ node: 'a', why: 'noRoom' }]);
  });

  it('[M5] moves pods again that went to a node which is drained later', () => {
    const nodes = [node('a', 2), node('b', 2)];
    const result = plan(pdbWorld(webs('a', 'b'), loose), ['a', 'b'], { nodes, shape: shape(1) });
    expect(wavesOf(result)).toEqual([['a'], ['b']]);
    expect(result.waves.map(({ nodes }) => nodes[0]?.pods)).toEqual([1, 2]);
  });

  it('[M5] nodes that do not come back take no pods in', () => {
    const nodes = [node('a', 2), node('b', 2), node('c', 2)];
    const result = plan(pdbWorld(webs('a', 'b', 'c'), loose), ['a', 'b', 'c'], {
      nodes,
      shape: shape(1),
      options: { forGood: true },
    });
    expect(wavesOf(result)).toEqual([['a']]);
    expect(result.never.map(({ node: name }) => name)).toEqual(['b', 'c']);
  });

  it('[M5] counts how many pods a node may have', () => {
    const full = node('b', 9, {
      allocatable: new Map([
        ['cpu', 9],
        ['pods', 1],
      ]),
    });
    const nodes = [node('a', 9), full];
    const result = plan(pdbWorld(webs('a', 'a', 'b'), loose), ['a'], { nodes, shape: shape(1) });
    expect(result.never).toMatchObject([{ node: 'a', why: 'noRoom' }]);
  });

  it('[M5] what daemons take is not free, and does not have to move', () => {
    const daemon = aPod('logs').on('a').ownedBy(anOwner('DaemonSet', 'logs'));
    const nodes = [node('a', 3), node('b', 1)];
    const shapes = { logs: shape(2), 'web-0': shape(1) };
    const result = plan(pdbWorld([...webs('a'), daemon], loose), ['a'], { nodes, shapes });
    expect(wavesOf(result)).toEqual([['a']]);
  });

  it('[M4] [M5] a node that does not say how many pods it takes does not count as full', () => {
    const few = new Map([
      ['cpu', 9],
      ['pods', 2],
    ]);
    const nodes = [node('a', 9, { allocatable: few }), node('c', 9, { allocatable: few }), node('b', 9)];
    const result = plan(pdbWorld(webs('a', 'c'), loose), ['a', 'c'], { nodes, shape: shape(1) });
    expect(wavesOf(result)).toEqual([['a', 'c']]);
    expect(result.lowerBound.waves).toBe(1);
  });
});
