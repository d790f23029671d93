import fc from 'fast-check';
import { aWorld } from '../../../../../test/support/a-world.ts';
import { aGroupPdb, anOwner, aPdb, ns, type PodBuilder } from '../../../../../test/support/builders.ts';
import { groupIndex, lwsPods, podsOf, pubFor, reserveIn } from '../../../../../test/support/fleet.ts';
import type { PodDisruptionBudget } from '../../../src/api/pdb.ts';
import type { PodUnavailableBudget } from '../../../src/api/pub/pub.ts';
import type { World } from '../../../src/core/world/world.ts';

/** One application: its pods with their nodes, and its budget. */
export interface SampleApp {
  readonly kind: 'pods' | 'groups';
  readonly groups: number;
  readonly size: number;
  readonly budget: 'pdb' | 'pub' | 'none';
  readonly limit: { readonly minAvailable: number } | { readonly maxUnavailable: number };
  readonly minReady: number;
  readonly nodes: readonly number[];
  readonly unready: readonly number[];
  readonly probed: readonly ('True' | 'False' | undefined)[];
  readonly reserved: readonly number[];
}

export interface Sample {
  readonly apps: readonly SampleApp[];
  readonly nodes: readonly string[];
}

const limits = fc.oneof(
  fc.record({ minAvailable: fc.integer({ min: 0, max: 4 }) }),
  fc.record({ maxUnavailable: fc.integer({ min: 0, max: 3 }) }),
);

/** Mostly calm: a vetoing probe or a dead pod everywhere would leave nothing to plan. */
function apps(nodes: number, maxPods: number): fc.Arbitrary<SampleApp> {
  const index = fc.nat({ max: maxPods - 1 });
  return fc.record({
    kind: fc.constantFrom('pods' as const, 'groups' as const),
    groups: fc.integer({ min: 1, max: 3 }),
    size: fc.integer({ min: 1, max: Math.max(1, Math.floor(maxPods / 3)) }),
    budget: fc.constantFrom('pdb' as const, 'pub' as const, 'pdb' as const, 'none' as const),
    limit: limits,
    minReady: fc.integer({ min: 1, max: 2 }),
    nodes: fc.array(fc.nat({ max: nodes - 1 }), { minLength: maxPods, maxLength: maxPods }),
    unready: fc.oneof(
      { weight: 3, arbitrary: fc.constant([]) },
      { weight: 1, arbitrary: fc.array(index, { maxLength: 2 }) },
    ),
    probed: fc.oneof(
      { weight: 4, arbitrary: fc.constant([]) },
      {
        weight: 1,
        arbitrary: fc.array(fc.constantFrom('True' as const, 'False' as const, undefined), { maxLength: 3 }),
      },
    ),
    reserved: fc.oneof(
      { weight: 4, arbitrary: fc.constant([]) },
      { weight: 1, arbitrary: fc.array(index, { maxLength: 1 }) },
    ),
  });
}

export function samples(maxNodes: number, maxPods: number): fc.Arbitrary<Sample> {
  return fc.integer({ min: 2, max: maxNodes }).chain((count) => {
    const nodes = Array.from({ length: count }, (_, i) => `node-${i}`);
    return fc.record({
      apps: fc.array(apps(count, maxPods), { minLength: 1, maxLength: 3 }),
      nodes: fc.constant(nodes),
    });
  });
}

function podsOfApp(app: SampleApp, name: string): readonly PodBuilder[] {
  const count = app.groups * app.size;
  const owner = anOwner('StatefulSet', name, count);
  const pods =
    app.kind === 'groups'
      ? lwsPods(name, app.groups, app.size).map((pod) => pod.ownedBy(owner))
      : podsOf(name, count, owner);
  return pods.map((pod, i) => {
    const placed = pod.on(`node-${app.nodes[i]}`);
    const probe = app.probed[i];
    const probed = probe === undefined ? placed : placed.probed(probe);
    return app.unready.includes(i) ? probed.notReady() : probed;
  });
}

function budgetsOf(app: SampleApp, name: string): { pdbs: PodDisruptionBudget[]; pubs: PodUnavailableBudget[] } {
  const selector = { app: name };
  if (app.budget === 'none') return { pdbs: [], pubs: [] };
  if (app.budget === 'pdb') {
    const make = app.kind === 'groups' ? aGroupPdb : aPdb;
    return { pdbs: [make(name, selector, app.limit)], pubs: [] };
  }
  const policy = { groupLabelKey: groupIndex, minReadyReplicas: app.minReady };
  return {
    pdbs: [],
    pubs: [pubFor(name, { ...app.limit, ...(app.kind === 'groups' ? { podGroupPolicy: policy } : {}) })],
  };
}

export function worldOf({ apps: all, nodes }: Sample): World {
  const named = all.map((app, i) => ({ app, name: `app${i}` }));
  const world = aWorld({
    pods: named.flatMap(({ app, name }) => podsOfApp(app, name)),
    owners: named.flatMap(({ app, name }) => [
      anOwner('StatefulSet', name, app.groups * app.size),
      anOwner('LeaderWorkerSet', name, app.groups),
    ]),
    pdbs: named.flatMap(({ app, name }) => budgetsOf(app, name).pdbs),
    pubs: named.flatMap(({ app, name }) => budgetsOf(app, name).pubs),
    freshNodes: nodes,
  });
  for (const { app, name } of named) {
    const pods = podsOfApp(app, name);
    reserveIn(world, ...app.reserved.flatMap((i) => pods[i]?.build().metadata.name ?? []));
  }
  return world;
}

export function podsOn(world: World, node: string): readonly { namespace: string; name: string }[] {
  const pods = [...(world.namespace(ns)?.pods.values() ?? [])].filter((pod) => pod.node === node);
  return pods.map(({ namespace, name }) => ({ namespace, name }));
}
