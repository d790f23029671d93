import { type DisruptionLedger, type GroupSize, maxSizes } from '../../api/ledger.ts';
import type { GroupNode } from '../world/group-node.ts';
import type { NamespaceState } from '../world/namespace-state.ts';
import { podCounter, podsBelow } from '../world/owners/owner-chain.ts';
import type { OwnerNode } from '../world/owners/owner-node.ts';
import type { PodRecord } from '../world/pod-record.ts';

export interface SizeLimits {
  /**
   * How long a group must look smaller before its smaller size is kept. Pods and their owners come by different watches: for a
   * moment a pod may be missing while the scale is still the old, smaller one.
   */
  readonly settleMs: number;
  /** How long the size of a group without any pod is kept: longer than any outage that its pods come back from. */
  readonly forgetMs: number;
}

export const defaultSizeLimits: SizeLimits = { settleMs: 3_000, forgetMs: 24 * 3_600_000 };

/** Smaller sizes that were seen and are not kept yet, by group, with when they were first seen (by the uptime). */
export type SmallerSeen = ReadonlyMap<string, { readonly size: number; readonly since: number }>;

export interface SizesLook {
  readonly now: number;
  /** Milliseconds by a clock of this process that only ever runs on. */
  readonly uptime: number;
  /** What the look before gave. */
  readonly seen?: SmallerSeen;
  readonly limits?: SizeLimits;
}

export interface SizesOutcome {
  /** The ledger to write; absent when no size changed. */
  readonly ledger?: DisruptionLedger;
  /** For the next look, which is due after `settleMs` where there is one. */
  readonly seen: SmallerSeen;
}

/**
 * The sizes of groups whose size nothing states (G5), as the ledger is to keep them. Only the leader calls it; every replica, and
 * `holdfast explain`, reads them from the ledger, so that a restart forgets no missing pod and all count alike.
 */
export function keepSizes(state: NamespaceState, ledger: DisruptionLedger, look: SizesLook): SizesOutcome {
  const kept = new Map((ledger.spec?.sizes ?? []).map((one) => [one.group, one]));
  const wanted = wantedSizes(state, kept);
  const seen = new Map<string, { readonly size: number; readonly since: number }>();
  const old = [...kept.values()].flatMap((one) => {
    const group = wanted.get(one.group);
    if (group === undefined) return withoutPods(one, look);
    return [{ group: one.group, unit: one.unit, size: settledSize(one, group, look, seen) }];
  });
  const added = [...wanted].flatMap(([group, { unit, size }]): GroupSize[] =>
    kept.has(group) || size === undefined ? [] : [{ group, unit, size }],
  );
  const sizes = bounded(old, added);
  if (JSON.stringify(sizes) === JSON.stringify(ledger.spec?.sizes ?? [])) return { seen };
  return { seen, ledger: { ...ledger, spec: { reservations: [], ...ledger.spec, sizes } } };
}

/** A larger size is kept at once; a smaller one, which the scale of an owner says, when it has been seen for a while. */
function settledSize(
  { group, size }: GroupSize,
  { size: wanted, scaled }: Wanted,
  { uptime, seen: before, limits = defaultSizeLimits }: SizesLook,
  seen: Map<string, { readonly size: number; readonly since: number }>,
): number {
  if (wanted === undefined || wanted >= size || !scaled) return wanted ?? size;
  const known = before?.get(group);
  const since = known?.size === wanted ? known.since : uptime;
  if (uptime - since >= limits.settleMs) return wanted;
  seen.set(group, { size: wanted, since });
  return size;
}

/** All pods of a group may be missing for a moment: its size is kept for a day after it was last seen. */
function withoutPods(size: GroupSize, { now, limits = defaultSizeLimits }: SizesLook): readonly GroupSize[] {
  const since = Date.parse(size.emptySince ?? '');
  if (Number.isNaN(since) || since > now) return [{ ...size, emptySince: new Date(now).toISOString() }];
  return now - since < limits.forgetMs ? [size] : [];
}

/** Where there is no room, the groups that have been without pods for longest are forgotten; then what is new is not kept. */
function bounded(old: readonly GroupSize[], added: readonly GroupSize[]): readonly GroupSize[] {
  const over = Math.max(0, old.length + added.length - maxSizes);
  if (over === 0) return [...old, ...added];
  const empty = old.filter((one) => one.emptySince !== undefined).map((one) => one.emptySince ?? '');
  const dropped = new Set(empty.sort().slice(0, over));
  return [...old.filter((one) => !dropped.has(one.emptySince ?? '-')), ...added].slice(0, maxSizes);
}

interface Wanted {
  readonly unit: string;
  /** Undefined: the owners do not have what they want, so nothing new is known. */
  readonly size: number | undefined;
  /** It depends on the scale of an owner. */
  readonly scaled: boolean;
}

/** By the key of each group whose size matters to a budget and is not stated. */
function wantedSizes(state: NamespaceState, kept: ReadonlyMap<string, GroupSize>): ReadonlyMap<string, Wanted> {
  const wanted = new Map<string, Wanted>();
  for (const family of familiesOf(state).values()) {
    const { scaled, sizeOf } = sizeRule(family, kept);
    for (const group of family.groups) {
      wanted.set(group.key, { unit: group.display, size: group.live === 0 ? undefined : sizeOf(group), scaled });
    }
  }
  return wanted;
}

/** The groups by one label key (or by convention) of one root owner: pods move between them, and the owner counts them together. */
interface Family {
  readonly root: OwnerNode | undefined;
  readonly labelKey: string | undefined;
  readonly groups: GroupNode[];
}

function familiesOf(state: NamespaceState): ReadonlyMap<string, Family> {
  const families = new Map<string, Family>();
  const labelKeys = new Set([...state.pdbs.values()].flatMap((pdb) => (pdb.countsByLabel ? [pdb.groupLabel] : [])));
  for (const group of state.groups.all()) {
    const matters =
      group.labelKey === undefined
        ? [...group.budgets].some((pdb) => pdb.needsFullSize(group))
        : labelKeys.has(group.labelKey);
    if (!matters || group.sizes.max !== undefined || group.roots.size !== 1) continue;
    const [root] = group.roots.keys();
    const id = `${group.labelKey ?? ''} ${group.parentKey}`;
    const family = families.get(id) ?? { root, labelKey: group.labelKey, groups: [] };
    families.set(id, family);
    family.groups.push(group);
  }
  return families;
}

interface SizeRule {
  readonly scaled: boolean;
  readonly sizeOf: (group: GroupNode) => number | undefined;
}

const nothingKnown: SizeRule = { scaled: true, sizeOf: () => undefined };
const asSeen = (group: GroupNode): number => group.live;

/**
 * Where the root owner itself counts the pods, a size is what a group has while the owner has exactly the pods it wants, each in a group.
 * Where no owner says how many pods there should be (bare pods, kinds without a scale, owners of owners), it is the largest seen; it
 * falls only when a pod moved to another group, so that there are as many pods as before.
 */
function sizeRule(family: Family, kept: ReadonlyMap<string, GroupSize>): SizeRule {
  const { root, labelKey, groups } = family;
  const grouped = groups.flatMap((group) => [...group.pods]);
  if ((root !== undefined && (root.state !== 'known' || root.deleting)) || grouped.some((pod) => pod.chainOpen)) {
    return nothingKnown;
  }
  const live = [...(root === undefined ? grouped : podsBelow(root))].filter((pod) => pod.live);
  if (root !== undefined && countsAll(root, live)) {
    const isWhole = live.length === root.replicas && live.every((pod) => isGrouped(pod, labelKey));
    return isWhole ? { scaled: true, sizeOf: asSeen } : nothingKnown;
  }
  const sizes = groups.map((group) => kept.get(group.key)?.size ?? 0);
  const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0);
  const moved = sum(sizes) === sum(groups.map((group) => group.live));
  const largest = (group: GroupNode): number => Math.max(group.live, kept.get(group.key)?.size ?? 0);
  return { scaled: false, sizeOf: moved ? asSeen : largest };
}

function countsAll(root: OwnerNode, live: readonly PodRecord[]): boolean {
  if (root.replicas === undefined || root.countsGroups) return false;
  return live.every((pod) => podCounter(pod.controller) === root);
}

function isGrouped(pod: PodRecord, labelKey: string | undefined): boolean {
  return pod.groups.some((group) => group.labelKey === labelKey);
}
