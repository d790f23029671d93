import type { Fields } from '@holdfast/base/json';
import type { PlanInput, PlanNode } from '../../core/plan/input.ts';
import type { World } from '../../core/world/world.ts';
import { gapText } from '../../observe/once/gap.ts';
import { KindReader } from '../../observe/once/kind-reader.ts';
import { readWorld } from '../../observe/once/read-world.ts';
import { everywhere } from '../../observe/once/scope.ts';
import { ensureSight } from '../../observe/once/sight.ts';
import { resources } from '../../observe/resources.ts';
import type { ReadSession } from '../../observe/session.ts';
import { worldOf } from '../feed-world.ts';
import { type LoadedObject, loadObjects } from '../load-objects.ts';
import { noSuchNodes } from '../no-nodes.ts';
import { planNodeOf, ShapeBook } from './shape-book.ts';

/** A cluster as a plan needs it, from a snapshot or as it is now. */
export interface PlanSnapshot extends Pick<PlanInput, 'world' | 'nodes' | 'shapeOf' | 'now'> {
  /** What could not be read, and what follows. */
  readonly warnings: readonly string[];
}

export function fromFiles(files: readonly string[]): PlanSnapshot {
  return fromObjects(files.flatMap(loadObjects));
}

export function fromObjects(objects: readonly LoadedObject[]): PlanSnapshot {
  const book = new ShapeBook();
  for (const object of objects) if (object.kind === 'Pod') book.add(object);
  return {
    world: worldOf(objects),
    nodes: objects.filter(({ kind, apiVersion }) => kind === 'Node' && apiVersion === 'v1').map(planNodeOf),
    shapeOf: (namespace, pod) => book.shapeOf(namespace, pod),
    now: 0,
    warnings: [],
  };
}

/** Budgets anywhere may be in the way, so all namespaces are read. */
export async function fromCluster(session: ReadSession, operatorNamespace: string | undefined): Promise<PlanSnapshot> {
  const live = await readWorld(session, { scope: everywhere, operatorNamespace });
  ensureSight(live.gaps);
  const reader = new KindReader(session);
  const book = new ShapeBook();
  await reader.listResource(resources.pods, everywhere, (object: Fields) => book.add(object));
  const nodes = await reader.listResource(resources.nodes, everywhere, planNodeOf);
  const unseen = nodes.kind === 'denied' ? [`nodes cannot be read (${nodes.why}): room is not checked`] : [];
  return {
    world: live.world,
    nodes: nodes.kind === 'read' ? nodes.items : [],
    shapeOf: (namespace, pod) => book.shapeOf(namespace, pod),
    now: live.readAt,
    warnings: [...live.gaps.map(gapText), ...unseen],
  };
}

/** The nodes there are: by their objects, or, where a snapshot has none, by the pods that run on them. */
export function nodeNames(world: World, nodes: readonly PlanNode[]): readonly string[] {
  if (nodes.length > 0) return nodes.map(({ name }) => name);
  const names = new Set<string>();
  for (const { pods } of world.namespaces()) {
    for (const { node } of pods.values()) if (node !== undefined) names.add(node);
  }
  return [...names].sort();
}

export function checkNodes(asked: readonly string[], known: readonly string[]): void {
  const there = new Set(known);
  const missing = asked.filter((name) => !there.has(name));
  if (missing.length === 0) return;
  throw noSuchNodes(missing);
}
