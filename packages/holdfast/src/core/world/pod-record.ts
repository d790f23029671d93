import { controllerOf, type OwnerReference, type StringMap } from '@holdfast/base/meta';
import type { Reservation } from '../../api/ledger.ts';
import type { Pod } from '../../api/pod.ts';
import { encodeRuns } from '../container-runs.ts';
import type { GroupClaim } from '../groups/claim.ts';
import { claimsOf } from '../groups/claims.ts';
import { bit, healthBits } from '../health.ts';
import type { GroupNode } from './group-node.ts';
import type { OwnerNode } from './owners/owner-node.ts';
import type { PdbState } from './pdb-state.ts';
import type { PubState } from './pub/pub-state.ts';

/** Shared by all pods without labels. */
const noLabels: StringMap = {};
const noClaims: readonly GroupClaim[] = [];

/**
 * One pod of the world: what we keep of its object, and its links. Links are set while the pod is attached; whatever a budget
 * counted for a pod it takes back before the pod changes, so counters never drift.
 */
export class PodRecord {
  readonly namespace: string;
  readonly name: string;
  uid = '';
  resourceVersion = '';
  labels: StringMap = noLabels;
  node: string | undefined;
  bits = 0;
  generation = 0;
  /** The runs of its containers, encoded: by them an update in place is followed. */
  runs = '';
  owner: OwnerReference | undefined;
  /** The groups it says it is in: at most a native one and one by another convention. */
  claims: readonly GroupClaim[] = noClaims;
  /** The probe lease of its node is fresh and speaks for it; only looked at for probed pods. */
  fresh = false;
  /** The probe lease of its node is fresh, whether it lists this pod or not. Only refusals look at it, to say what is missing. */
  agentHeard = false;
  doomed = false;
  /** Doomed only because its workload is scaled to 0: a PUB with a total of its own still protects it (U3). */
  idle = false;
  /** `conditional`: whether it goes is not known. */
  reserved: 'firm' | 'conditional' | undefined;

  controller: OwnerNode | undefined;
  root: OwnerNode | undefined;
  /** Its chain of owners ends at one that was not looked up yet. */
  chainOpen = false;
  /** More budgets cover it than are counted for one pod: this many, and it is linked to none of them (N7). */
  crowdedBy = 0;
  pdbs: PdbState[] = [];
  pubs: PubState[] = [];
  /** Its group by convention, and its groups by label keys that budgets name. */
  groups: GroupNode[] = [];

  constructor(namespace: string, name: string) {
    this.namespace = namespace;
    this.name = name;
  }

  read(pod: Pod): void {
    this.uid = pod.metadata.uid ?? '';
    this.resourceVersion = pod.metadata.resourceVersion ?? '';
    this.labels = pod.metadata.labels ?? noLabels;
    this.node = pod.spec?.nodeName;
    this.bits = healthBits(pod);
    this.generation = pod.metadata.generation ?? 0;
    this.runs = encodeRuns(pod);
    this.owner = controllerOf(pod.metadata);
    this.claims = claimsOf(pod);
  }

  has(mask: number): boolean {
    return (this.bits & mask) !== 0;
  }

  /** Neither going nor gone: it is one of its owner's pods. */
  get live(): boolean {
    return (this.bits & (bit.terminating | bit.finished)) === 0;
  }

  /**
   * It is one of those that there should be. A terminating pod is until it is gone: were it not expected any more, a budget
   * without a scale to look at would shrink with every pod that it lets go (I11).
   */
  get exists(): boolean {
    return !this.has(bit.finished) && !this.doomed;
  }

  /** It counts for budgets, if healthy (N1). */
  get counted(): boolean {
    return this.live && !this.doomed && this.reserved === undefined;
  }

  /** It is reserved on a condition, and not seen to go: it counts as gone, and may yet turn out to stay (N6). */
  get unproven(): boolean {
    return this.live && !this.doomed && this.reserved === 'conditional';
  }

  /** Ready, or not Ready for an announced update in place alone (H6). */
  get inService(): boolean {
    return this.has(bit.ready | bit.heldByAnnouncement);
  }

  /** Healthy for a PDB (H1, H2, H4). A PDB judges no updates, so a pod that an announced one takes out of service is down for it (H6). */
  get healthy(): boolean {
    return this.#healthyIf(this.has(bit.ready));
  }

  /** Ready or healthy: it does its part, also while its probe says that it must not be disrupted (H5). */
  get serves(): boolean {
    return this.has(bit.ready) || this.healthy;
  }

  /** Healthy for a PUB (H3). One that judges updates takes a pod for healthy until an announced update of it begins (H6). */
  healthyForPub(judgesUpdates: boolean): boolean {
    return this.#healthyIf(this.#readyForPub(judgesUpdates)) && this.#fitForPub;
  }

  servesForPub(judgesUpdates: boolean): boolean {
    const ready = this.#readyForPub(judgesUpdates);
    return (ready || this.#healthyIf(ready)) && this.#fitForPub;
  }

  #healthyIf(ready: boolean): boolean {
    return this.has(bit.probed) ? this.has(bit.disruptable) && this.fresh : ready;
  }

  #readyForPub(judgesUpdates: boolean): boolean {
    return judgesUpdates ? this.inService : this.has(bit.ready);
  }

  get #fitForPub(): boolean {
    return (this.bits & (bit.running | bit.unavailableLabel | bit.updateUnfinished)) === bit.running;
  }

  /** Ready in Kubernetes' own eyes: what a plain PDB counts (P3). */
  get plainHealthy(): boolean {
    return this.plainReady && this.reserved === undefined;
  }

  /** The same, whether or not its disruption is reserved. */
  get plainReady(): boolean {
    return this.has(bit.ready) && !this.has(bit.terminating);
  }

  /** It is in a gang of several replicas, and does not say in which (P5). */
  get undivided(): boolean {
    return this.groups.some((group) => group.description.kind === 'undivided');
  }

  /** The probe says no, or says nothing that can be trusted (V1). */
  get vetoes(): boolean {
    return this.has(bit.probed) && !this.healthy;
  }
}

/** What a reservation makes of its pod. */
export function firmness(reservation: Reservation | undefined): PodRecord['reserved'] {
  if (reservation === undefined) return undefined;
  return reservation.conditional === true ? 'conditional' : 'firm';
}

/** Whether two versions of a pod sit at the same places of every index, so that only their health can differ. */
export function sameStructure(a: PodRecord, b: PodRecord): boolean {
  return (
    a.uid === b.uid &&
    a.node === b.node &&
    (a.bits & structuralBits) === (b.bits & structuralBits) &&
    sameOwner(a.owner, b.owner) &&
    sameLabels(a.labels, b.labels) &&
    sameClaims(a.claims, b.claims)
  );
}

const structuralBits = bit.probed;

export function sameOwner(a: OwnerReference | undefined, b: OwnerReference | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return a.uid === b.uid && a.name === b.name && a.kind === b.kind && a.apiVersion === b.apiVersion;
}

export function sameLabels(a: StringMap, b: StringMap): boolean {
  let count = 0;
  for (const key in a) {
    if (a[key] !== b[key]) return false;
    count += 1;
  }
  for (const _ in b) count -= 1;
  return count === 0;
}

function sameClaims(a: readonly GroupClaim[], b: readonly GroupClaim[]): boolean {
  return a.length === b.length && a.every((claim, i) => sameClaim(claim, b[i]));
}

function sameClaim(a: GroupClaim, b: GroupClaim | undefined): boolean {
  return (
    a.id === b?.id &&
    a.convention === b.convention &&
    a.parent === b.parent &&
    a.index === b.index &&
    a.size === b.size &&
    a.minimum === b.minimum &&
    a.expected === b.expected
  );
}

/** What one pod adds to what its unit has; or, as a difference, what a change adds and takes. */
export interface Strength {
  /** Counted and healthy (N2). */
  readonly healthy: number;
  /** Counted, and Ready or healthy: a probe that says no takes nothing from it (H5). */
  readonly serving: number;
  /** Healthy, or serving, and counted only if its reservation comes to nothing (N6). */
  readonly unproven: number;
  readonly unprovenServing: number;
  /** It runs, healthy or not, reserved or not: it can be available (I15). */
  readonly able: number;
  /** Healthy, and not counted because a disruption of it was allowed. */
  readonly reserved: number;
}

/** What one pod adds to the counters of its groups and budgets; or, as a difference, what a change adds and takes. */
export interface Share {
  readonly live: number;
  readonly existing: number;
  /** In the eyes of Kubernetes itself, of a PDB and of a PUB. */
  readonly plainHealthy: number;
  readonly plainReserved: number;
  readonly plainAble: number;
  readonly pdb: Strength;
  readonly pub: Strength;
  /** What the pod adds to that for a PUB that judges updates (H6). */
  readonly announced: Strength;
  /** What the pod adds for a PUB whose own total overrides a workload's scale of 0 (U3). */
  readonly idle: Strength;
}

const noStrength: Strength = {
  healthy: 0,
  serving: 0,
  unproven: 0,
  unprovenServing: 0,
  able: 0,
  reserved: 0,
};

export const nothing: Share = {
  live: 0,
  existing: 0,
  plainHealthy: 0,
  plainReserved: 0,
  plainAble: 0,
  pdb: noStrength,
  pub: noStrength,
  announced: noStrength,
  idle: noStrength,
};

export function shareOf(pod: PodRecord): Share {
  const isPart = pod.live && (!pod.doomed || pod.idle);
  const forPub = (judgesUpdates: boolean): Strength =>
    isPart ? strength(pod, pod.healthyForPub(judgesUpdates), pod.servesForPub(judgesUpdates)) : noStrength;
  const pub = forPub(false);
  const isAnnounced = !pod.idle && pod.has(bit.heldByAnnouncement);
  return {
    live: Number(pod.live),
    existing: Number(pod.exists),
    plainHealthy: Number(pod.plainHealthy),
    plainReserved: Number(pod.reserved !== undefined && pod.plainReady),
    plainAble: Number(pod.plainReady || pod.live),
    pdb: pod.live && !pod.doomed ? strength(pod, pod.healthy, pod.serves) : noStrength,
    pub: pod.idle ? noStrength : pub,
    announced: isAnnounced ? between(pub, forPub(true)) : noStrength,
    idle: pod.idle ? forPub(true) : noStrength,
  };
}

function strength({ reserved }: PodRecord, healthy: boolean, serves: boolean): Strength {
  if (reserved === undefined) {
    const serving = Number(serves);
    return { healthy: Number(healthy), serving, unproven: 0, unprovenServing: 0, able: 1, reserved: 0 };
  }
  const isConditional = Number(reserved === 'conditional');
  return {
    healthy: 0,
    serving: 0,
    unproven: isConditional * Number(healthy),
    unprovenServing: isConditional * Number(serves),
    able: 1,
    reserved: Number(healthy),
  };
}

/** Undefined when nothing changed, as with most of what a watch brings. */
export function difference(before: Share, after: Share): Share | undefined {
  const change: Share = {
    live: after.live - before.live,
    existing: after.existing - before.existing,
    plainHealthy: after.plainHealthy - before.plainHealthy,
    plainReserved: after.plainReserved - before.plainReserved,
    plainAble: after.plainAble - before.plainAble,
    pdb: between(before.pdb, after.pdb),
    pub: between(before.pub, after.pub),
    announced: between(before.announced, after.announced),
    idle: between(before.idle, after.idle),
  };
  const { live, existing, plainHealthy, plainReserved, plainAble, pdb, pub, announced, idle } = change;
  const same = [pdb, pub, announced, idle].every((one) => one === noStrength);
  const samePlain = plainHealthy === 0 && plainReserved === 0 && plainAble === 0;
  return same && samePlain && live === 0 && existing === 0 ? undefined : change;
}

function between(before: Strength, after: Strength): Strength {
  const change = {
    healthy: after.healthy - before.healthy,
    serving: after.serving - before.serving,
    unproven: after.unproven - before.unproven,
    unprovenServing: after.unprovenServing - before.unprovenServing,
    able: after.able - before.able,
    reserved: after.reserved - before.reserved,
  };
  const { healthy, serving, unproven, unprovenServing, able, reserved } = change;
  const isSame = healthy === 0 && serving === 0 && unproven === 0 && unprovenServing === 0;
  return isSame && able === 0 && reserved === 0 ? noStrength : change;
}

export function sumOf(a: Strength, b: Strength): Strength {
  if (b === noStrength) return a;
  return {
    healthy: a.healthy + b.healthy,
    serving: a.serving + b.serving,
    unproven: a.unproven + b.unproven,
    unprovenServing: a.unprovenServing + b.unprovenServing,
    able: a.able + b.able,
    reserved: a.reserved + b.reserved,
  };
}
