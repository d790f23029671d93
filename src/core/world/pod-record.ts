import type { Reservation } from '../../api/ledger.ts';
import type { OwnerReference, StringMap } from '../../api/meta.ts';
import { controllerOf } from '../../api/meta.ts';
import type { Pod } from '../../api/pod.ts';
import { encodeRuns } from '../container-runs.ts';
import type { GroupClaim } from '../groups/claim.ts';
import { claimsOf } from '../groups/conventions.ts';
import { bit, healthBits } from '../health.ts';
import type { GroupNode } from './group-node.ts';
import type { OwnerNode } from './owner-node.ts';
import type { PdbState } from './pdb-state.ts';
import type { PubState } from './pub-state.ts';

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
  /** Its chain of owners ends at one that nobody has looked up yet. */
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

  /** Healthy for a PDB (H1, H2, H4, H6). */
  get healthy(): boolean {
    return this.has(bit.probed) ? this.has(bit.disruptable) && this.fresh : this.inService;
  }

  /** Ready or healthy: it does its part, also while its probe says that it must not be disrupted (H5). */
  get serves(): boolean {
    return this.inService || this.healthy;
  }

  /** Healthy for a PUB (H3). */
  get healthyForPub(): boolean {
    return this.healthy && this.#fitForPub;
  }

  get servesForPub(): boolean {
    return this.serves && this.#fitForPub;
  }

  get #fitForPub(): boolean {
    return (this.bits & (bit.running | bit.unavailableLabel | bit.updateUnfinished)) === bit.running;
  }

  /** Ready in Kubernetes' own eyes: what a plain PDB counts (P3). */
  get plainHealthy(): boolean {
    return this.has(bit.ready) && !this.has(bit.terminating) && this.reserved === undefined;
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
