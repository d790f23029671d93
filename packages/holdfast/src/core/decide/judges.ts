import { maxJudges, type Reservation } from '../../api/ledger.ts';
import { compareStrings } from '../compare.ts';
import { bit } from '../health.ts';
import type { DisruptionRequest } from '../request.ts';
import type { PodVersion } from '../verdict.ts';
import type { GroupNode } from '../world/group-node.ts';
import type { NamespaceState } from '../world/namespace-state.ts';
import type { PdbState } from '../world/pdb-state.ts';
import type { PodRecord } from '../world/pod-record.ts';
import type { PubState } from '../world/pub/pub-state.ts';
import { mayMove, moves } from './moves.ts';
import { isCollectable } from './owner-change.ts';

/** A budget that has a say about a pod, and by which rule. */
export type Judge =
  | { readonly kind: 'pdbInvalid'; readonly pdb: PdbState }
  | { readonly kind: 'pdbGroup'; readonly pdb: PdbState; readonly group: GroupNode }
  | { readonly kind: 'pdbUnresolved'; readonly pdb: PdbState }
  | { readonly kind: 'pdbPod'; readonly pdb: PdbState }
  /** `entangled`: a plain PDB, whose own counter has the last word (P3). Others only count pods as plain ones do (P5, M1). */
  | { readonly kind: 'pdbPlain'; readonly pdb: PdbState; readonly entangled?: true }
  | { readonly kind: 'pub'; readonly pub: PubState }
  /** It may cover the pod: an owner was not looked up yet. */
  | { readonly kind: 'pubPossible'; readonly pub: PubState };

export interface Panel {
  readonly judges: readonly Judge[];
  /** Plain PDBs that the built-in check alone judges: they share no pod with a budget of ours (P2). */
  readonly builtin: readonly PdbState[];
}

/** The budgets that judge a request (P1, P2, U1, U6), ordered by kind and name. */
export function panelFor(state: NamespaceState, pod: PodRecord, request: DisruptionRequest): Panel {
  const pdbs = request.operation === 'EVICT' ? pdbJudges(pod) : { own: [], plain: [] };
  const pubs = pubJudges(state, pod, request);
  // All plain PDBs over one pod share it: either all of them are ours, or none is.
  const ours = pdbs.own.length + pubs.length > 0 || pdbs.plain.some((pdb) => state.judgesPlain(pdb));
  const plain: readonly Judge[] = ours ? pdbs.plain.map((pdb) => ({ kind: 'pdbPlain', pdb, entangled: true })) : [];
  return {
    judges: inOrder([...pdbs.own, ...plain, ...pubs]),
    builtin: ours ? [] : pdbs.plain,
  };
}

function pdbJudges(pod: PodRecord): { own: readonly Judge[]; plain: readonly PdbState[] } {
  const own: Judge[] = [];
  const plain: PdbState[] = [];
  for (const pdb of pod.pdbs) {
    const judge = selectedBy(pdb, pod);
    if (judge !== undefined) own.push(judge);
    else plain.push(pdb);
  }
  // Budgets that reach the pod's group through other pods of it protect this one as well (P4).
  for (const group of pod.groups) {
    for (const pdb of group.budgets) {
      if (!pdb.pods.has(pod) && pdb.mode === 'group') own.push({ kind: 'pdbGroup', pdb, group });
    }
  }
  return { own, plain };
}

/** How a PDB that selects the pod judges it; undefined for a plain one. A pod left out of a mixed selection meets the built-in rule (P5). */
function selectedBy(pdb: PdbState, pod: PodRecord): Judge | undefined {
  if (pdb.rules === undefined) return { kind: 'pdbInvalid', pdb };
  const mode = pdb.mode;
  if (mode === 'perPod') return { kind: 'pdbPod', pdb };
  if (mode === 'plain') return undefined;
  const group = pdb.groupOf(pod);
  if (group !== undefined) return { kind: 'pdbGroup', pdb, group };
  if (pdb.rules.scope.kind === 'group' || pod.undivided) return { kind: 'pdbUnresolved', pdb };
  return { kind: 'pdbPlain', pdb };
}

function pubJudges(state: NamespaceState, pod: PodRecord, request: DisruptionRequest): readonly Judge[] {
  const asks = asking(state, pod, request);
  const covering = pod.pubs.filter((pub) => asks(pub, () => moves(state, pub, pod, request)));
  const possible = state.possiblePubs(pod).filter((pub) => asks(pub, () => mayMove(pub, pod, request.after)));
  return [
    ...covering.map((pub) => ({ kind: 'pub', pub }) as const),
    ...possible.map((pub) => ({ kind: 'pubPossible', pub }) as const),
  ];
}

/** Whether a PUB that covers the pod has a say in the request; `moves` is asked of updates that take nothing away. */
function asking(
  state: NamespaceState,
  pod: PodRecord,
  request: DisruptionRequest,
): (pub: PubState, moves: () => boolean) => boolean {
  const { operation } = request;
  const isMild = operation === 'UPDATE' && request.takesAway === false;
  // The garbage collector would delete it, and is not asked why.
  const isDeletion = operation === 'UPDATE' && isCollectable(state, request);
  return (pub, moves) => {
    if (pub.leavesAlone(pod)) return false;
    return (pub.protects(operation) && (!isMild || moves())) || (isDeletion && pub.protects('DELETE'));
  };
}

/** Whether a budget has a say about a pod that is under too many to be linked to them (N7). */
export function concernsCrowded(state: NamespaceState, pod: PodRecord, request: DisruptionRequest): boolean {
  if (request.operation === 'EVICT') return true;
  const asks = asking(state, pod, request);
  return state.pubsOver(pod).some((pub) => asks(pub, () => moves(state, pub, pod, request)));
}

/** By kind and name, so that the same world always reads the same. */
export function inOrder(judges: readonly Judge[]): readonly Judge[] {
  return [...judges].sort((a, b) => compareStrings(sortKey(a), sortKey(b)));
}

function sortKey(judge: Judge): string {
  const { ref } = 'pdb' in judge ? judge.pdb : judge.pub;
  return `${ref.kind}/${ref.name}`;
}

/** What a reservation records of the budgets that allowed it (I14). Undefined: there are too many of them. */
export function digestsOf(judges: readonly Judge[]): readonly string[] | undefined {
  const digests = [...new Set(judges.map(digestOf))];
  return digests.length > maxJudges ? undefined : digests;
}

/**
 * Whether a reservation speaks for these budgets: each of them judged it, by the rules that it has now. Fewer may judge now than
 * then, because a DELETE is not judged by PodDisruptionBudgets, or because a budget was deleted.
 */
export function wasJudgedBy({ judgedBy }: Reservation, judges: readonly Judge[]): boolean {
  return judgedBy !== undefined && judges.every((judge) => judgedBy.includes(digestOf(judge)));
}

function digestOf(judge: Judge): string {
  return 'pdb' in judge ? judge.pdb.digest : judge.pub.digest;
}

/**
 * What a verdict rests on that a view may not know yet (N5). A view lags: a pod that looks down may have come up since. Taking
 * a pod from a unit that only looks down would break a serving one for nothing, so the verdict names the versions it believes.
 */

export function versionOf(pod: PodRecord): PodVersion {
  return { pod: pod.name, uid: pod.uid, resourceVersion: pod.resourceVersion };
}

/** Healthy for every budget that judges: then a unit that is down is down because of other pods. */
export function servesEverybody(pod: PodRecord, judges: readonly Judge[]): boolean {
  return judges.every((judge) => serves(pod, judge));
}

/** A group is down because of pods that do not serve: one that serves and says no does not keep it down (H5). */
function serves(pod: PodRecord, judge: Judge): boolean {
  if (judge.kind === 'pub') return judge.pub.unitOf(pod) === undefined ? judge.pub.healthy(pod) : judge.pub.serves(pod);
  if (judge.kind === 'pdbGroup') return pod.serves;
  return judge.kind === 'pdbPlain' ? pod.has(bit.ready) : pod.healthy;
}

/** The other pods that keep the target's groups down, by looking unhealthy. */
export function othersDown(pod: PodRecord, judges: readonly Judge[]): readonly PodVersion[] {
  const others = new Set<PodRecord>();
  for (const judge of judges) {
    for (const one of blamed(pod, judge)) others.add(one);
  }
  return [...others].map(versionOf).sort((a, b) => compareStrings(a.pod, b.pod));
}

/** No pod is to blame where the group would be down even if all of its remaining pods were healthy: no recovery can change that. */
function blamed(pod: PodRecord, judge: Judge): readonly PodRecord[] {
  const group = membersOf(pod, judge);
  if (group === undefined) return [];
  // Those that are reserved on a condition may yet turn out to be left, too (N6).
  const left = group.members.filter(group.counts);
  if (left.length < group.minimum) return [];
  const down = left.filter((member) => member !== pod && !serves(member, judge));
  const healthy = left.length - left.filter((member) => !serves(member, judge)).length;
  return healthy < group.minimum ? down : [];
}

interface Members {
  readonly members: readonly PodRecord[];
  readonly minimum: number;
  readonly counts: (pod: PodRecord) => boolean;
}

function membersOf(pod: PodRecord, judge: Judge): Members | undefined {
  if (judge.kind === 'pdbGroup') {
    const counts = (one: PodRecord): boolean => one.counted || one.unproven;
    return { members: [...judge.group.pods], minimum: judge.pdb.boundsOf(judge.group).least, counts };
  }
  if (judge.kind !== 'pub') return undefined;
  const { pub } = judge;
  const unit = pub.unitOf(pod);
  if (unit === undefined) return undefined;
  const counts = (one: PodRecord): boolean => pub.counts(one) || pub.mayCount(one);
  return { members: [...unit.pods], minimum: pub.boundsOf(unit).least, counts };
}
