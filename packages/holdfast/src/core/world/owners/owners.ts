import type { OwnerName, OwnerState } from '../../owner.ts';
import type { NamespaceState } from '../namespace-state.ts';
import type { PodRecord } from '../pod-record.ts';
import { podsBelow } from './owner-chain.ts';
import { anyUid, type OwnerNode } from './owner-node.ts';
import { isMeant, isOlder, isOrphaned } from './owner-registry.ts';

/** The owners that were known under a name when a look-up of it began. The look-up keeps it, and returns it with what it found. */
export interface OpenLookup {
  readonly name: OwnerName;
  readonly asked: ReadonlyMap<OwnerNode, number>;
}

export function beginLookup(state: NamespaceState, name: OwnerName): OpenLookup {
  return { name, asked: new Map(state.owners.nodesOf(name).map((node) => [node, node.stirred])) };
}

/**
 * Takes in what a look-up found; undefined: nothing. It marks only owners as gone that were referred to before it began: an owner
 * that was first referred to later may have been created later. False: there are such owners, and they need another look-up.
 */
export function endLookup(state: NamespaceState, { name, asked }: OpenLookup, found: OwnerState | undefined): boolean {
  const nodes = state.owners.nodesOf(name);
  const meant = nodes.filter((node) => found !== undefined && isMeant(node, found));
  const others = nodes.filter((node) => !meant.includes(node));
  const gone = others.filter((node) => asked.get(node) === node.stirred);
  const isSettled = gone.length === others.length;
  if (found !== undefined) {
    state.owners.remember(found);
    applyTo(state, newerOnly(meant, found), found);
  } else if (isSettled) state.owners.disremember(name);
  applyTo(state, gone, undefined);
  return isSettled;
}

/**
 * Takes in what a watch shows. A watch lags: what it shows of one uid says nothing about another of the same name, and an owner
 * that a look-up found to be gone is not back because of it. True when that changes anything.
 */
export function observeOwner(state: NamespaceState, found: OwnerState): boolean {
  const meant = state.owners.nodesOf(found).filter((node) => isMeant(node, found));
  const nodes = newerOnly(meant, found).filter((node) => node.state !== 'gone' || node.uid === anyUid);
  const isNews = nodes.some((node) => differs(node, found));
  state.owners.remember(found);
  applyTo(state, nodes, found);
  for (const node of nodes) node.stirred += 1;
  return isNews;
}

function newerOnly(nodes: readonly OwnerNode[], found: OwnerState): readonly OwnerNode[] {
  return nodes.filter((node) => !isOlder(found, node.resourceVersion));
}

function applyTo(state: NamespaceState, nodes: readonly OwnerNode[], found: OwnerState | undefined): void {
  const changed = nodes.filter((node) => differs(node, found));
  const moved = changed.filter((node) => !changesScaleOnly(node, found));
  const affected = new Set<PodRecord>();
  for (const node of moved) podsBelow(node, affected);
  for (const node of nodes) {
    if (found === undefined || moved.includes(node)) continue;
    node.replicas = found.replicas;
    node.resourceVersion = found.resourceVersion;
  }
  if (moved.length > 0) {
    state.change(affected, () => {
      for (const node of moved) state.owners.apply(node, found);
    });
  }
  for (const node of changed) for (const dependent of node.dependents) dependent.expectedChanged();
}

/** Whether anything that counts would change. */
function differs(node: OwnerNode, found: OwnerState | undefined): boolean {
  if (found === undefined) return node.state !== 'gone';
  return !(keepsPlaces(node, found) && node.replicas === found.replicas);
}

/** A new scale moves no pod, unless it comes from or goes to nothing (X4). */
function changesScaleOnly(node: OwnerNode, found: OwnerState | undefined): boolean {
  return (
    found !== undefined &&
    keepsPlaces(node, found) &&
    (node.replicas === 0) === (found.replicas === 0) &&
    (node.replicas === undefined) === (found.replicas === undefined)
  );
}

function keepsPlaces(node: OwnerNode, found: OwnerState): boolean {
  return (
    node.state === 'known' &&
    node.orphaned === isOrphaned(node, found) &&
    node.deleting === (found.deleting === true && !node.orphaned) &&
    node.controller?.uid === found.controller?.uid
  );
}
