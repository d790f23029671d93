import { type FieldError, failed, type Parsed } from '@holdfast/base/field-errors';
import { matches } from '@holdfast/base/labels/label-selector';
import { defaultProtectOperations, type PodUnavailableBudget } from '../../../api/pub/pub.ts';
import { takeApart } from '../../../api/pub/pub-fields.ts';
import { type PubRules, readPub } from '../../../api/pub/pub-read.ts';
import { type PubTarget, parseTarget } from '../../../api/pub/pub-target.ts';
import type { Remedy } from '../../../api/refusals/refusal-outlook.ts';
import { type Desired, desiredOf, type Expected } from '../../budget/desired.ts';
import { expectedUnits, type OwnerTally, type PubScope } from '../../budget/expected-pub.ts';
import { remedyOf } from '../../budget/remedy.ts';
import { type Supply, supplyOfUnits } from '../../budget/supply.ts';
import { bit } from '../../health.ts';
import type { Operation } from '../../request.ts';
import type { BudgetRef } from '../../verdict.ts';
import { budgetDigest } from '../budget-digest.ts';
import { Dependencies } from '../dependencies.ts';
import type { Bounds } from '../group-node.ts';
import { podCounter } from '../owners/owner-chain.ts';
import type { OwnerNode } from '../owners/owner-node.ts';
import type { OwnerRegistry } from '../owners/owner-registry.ts';
import { type PodRecord, type Share, sumOf } from '../pod-record.ts';
import { obtain } from '../selector-index.ts';
import type { PubUnit } from './pub-unit.ts';
import { PubUnits } from './pub-units.ts';

/** A PodUnavailableBudget with what it counts. */
export class PubState {
  readonly ref: BudgetRef;
  /** What it was read from: an object with the same signature changes nothing but its status. */
  readonly signature: string;
  /** Of the signature: by it a reservation knows the budget again (I14). */
  readonly digest: string;
  readonly rules: PubRules | undefined;
  readonly errors: readonly FieldError[];
  /** What it covers, also when the rest of it cannot be read (U7); undefined: unknown. */
  readonly target: PubTarget | undefined;
  generation = 0;
  observedGeneration = 0;
  readonly pods = new Set<PodRecord>();
  readonly owners = new Map<OwnerNode | undefined, OwnerTally>();
  readonly #units: PubUnits;
  /** The workload it names, whether or not it was looked up. */
  readonly targetOwner: OwnerNode | undefined;
  readonly #registry: OwnerRegistry;
  /** Pods that it covers and cannot count (N7). */
  uncounted = 0;
  readonly #dependencies: Dependencies;
  /** Keeps the workload it names in the world while no pod points at it. */
  readonly #anchor = { expectedChanged: () => this.expectedChanged() };
  #expected: Expected | undefined;

  constructor(ref: BudgetRef, pub: PodUnavailableBudget, registry: OwnerRegistry, signature: string) {
    this.ref = ref;
    this.signature = signature;
    this.digest = budgetDigest(signature);
    const rules = readPub(pub);
    this.rules = rules.ok ? rules.value : undefined;
    this.errors = rules.ok ? [] : rules.errors;
    this.#units = new PubUnits(this.rules?.groups, (root) => this.#missingOf(root));
    const target = rules.ok ? rules.value.target : targetOf(pub);
    this.target = target;
    this.observe(pub);
    this.#registry = registry;
    this.#dependencies = new Dependencies(registry, this);
    if (target?.kind === 'workload') {
      this.targetOwner = registry.named(target.group, target.workloadKind, target.name);
      this.targetOwner.dependents.add(this.#anchor);
    }
  }

  /** A change of the status alone: nothing that is counted depends on it. */
  observe(pub: PodUnavailableBudget): void {
    this.generation = pub.metadata.generation ?? 0;
    this.observedGeneration = pub.status?.observedGeneration ?? 0;
  }

  /** Called once, when the budget leaves the world. */
  close(): void {
    this.#dependencies.clear();
    if (this.targetOwner === undefined) return;
    this.targetOwner.dependents.delete(this.#anchor);
    this.#registry.release(this.targetOwner);
  }

  protects(operation: Operation): boolean {
    return this.rules === undefined
      ? defaultProtectOperations.includes(operation)
      : this.rules.operations.has(operation);
  }

  /** So it has judged, and reserved, an update that was announced (H6). */
  get judgesUpdates(): boolean {
    return this.protects('UPDATE');
  }

  healthy(pod: PodRecord): boolean {
    return pod.healthyForPub(this.judgesUpdates);
  }

  serves(pod: PodRecord): boolean {
    return pod.servesForPub(this.judgesUpdates);
  }

  /** Exempt by its own annotation or by the budget's ignored selector; it counts all the same (U1). */
  leavesAlone(pod: PodRecord): boolean {
    if (pod.has(bit.noProtect)) return true;
    return this.rules?.ignored !== undefined && matches(this.rules.ignored, pod.labels);
  }

  /** Its groups, by their keys. */
  get units(): ReadonlyMap<string, PubUnit> {
    return this.#units.groups;
  }

  /** The group of a pod; undefined when the pod is a unit of its own. */
  unitOf(pod: PodRecord): PubUnit | undefined {
    return this.#units.of(pod);
  }

  /** As the budget says it: what holds for a unit may be less (U2). */
  get minimum(): number {
    return this.#units.minimum;
  }

  boundsOf(unit: PubUnit): Bounds {
    return this.#units.boundsOf(unit);
  }

  isAvailable(unit: PubUnit): boolean {
    return this.#units.isAvailable(unit);
  }

  get available(): number {
    return this.#units.available;
  }

  /** The available units with those of workloads that are scaled to 0 (S1). */
  get current(): number {
    return this.#units.current;
  }

  /** How many pods an owner would still create; undefined where nothing says how many it wants. */
  #missingOf(root: OwnerNode | undefined): number | undefined {
    if (root === undefined) return undefined;
    this.#dependencies.add(root);
    // It may want any number: no unit of it is known to be whole.
    if (root.state === 'unknown') return this.minimum;
    if (root.state === 'gone' || root.deleting || root.countsGroups || root.replicas === undefined) return undefined;
    return Math.max(0, root.replicas - (this.owners.get(root)?.livePods ?? 0));
  }

  /** Its own total says how many units there should be, also where a workload is scaled to 0. */
  get overridesScale(): boolean {
    return this.rules?.totalReplicas !== undefined;
  }

  /** Whether a pod counts for this budget, if healthy (N1). */
  counts(pod: PodRecord): boolean {
    return pod.counted || (pod.reserved === undefined && this.#keepsIdle(pod));
  }

  /** Whether it counts as gone, and may turn out to stay (N6). */
  mayCount(pod: PodRecord): boolean {
    return pod.unproven || (pod.reserved === 'conditional' && this.#keepsIdle(pod));
  }

  #keepsIdle(pod: PodRecord): boolean {
    return this.overridesScale && pod.live && pod.idle;
  }

  select(pod: PodRecord): void {
    this.pods.add(pod);
    const tally = obtain(this.owners, this.#ownerOf(pod), newTally);
    tally.pods += 1;
    this.expectedChanged();
    if (this.#units.enter(pod)) tally.groups += 1;
  }

  deselect(pod: PodRecord): void {
    this.pods.delete(pod);
    const owner = this.#ownerOf(pod);
    const tally = this.owners.get(owner);
    if (tally === undefined) return;
    tally.pods -= 1;
    if (this.#units.leave(pod)) tally.groups -= 1;
    if (tally.pods === 0) this.owners.delete(owner);
    this.expectedChanged();
  }

  /** Takes in what a selected pod's change adds and takes. */
  count(pod: PodRecord, change: Share): void {
    if (change.existing !== 0) this.#countExisting(pod, this.unitOf(pod), change.existing);
    if (change.live !== 0) this.#countLive(pod, change.live);
    const active = this.judgesUpdates ? sumOf(change.pub, change.announced) : change.pub;
    const strength = this.overridesScale ? sumOf(active, change.idle) : active;
    const idle = this.overridesScale ? 0 : change.idle.healthy;
    this.#units.count(pod, { share: change, strength, idle });
  }

  #countLive(pod: PodRecord, by: number): void {
    const tally = this.owners.get(this.#ownerOf(pod));
    if (tally !== undefined) tally.livePods += by;
    this.#units.ownersChanged();
  }

  #countExisting(pod: PodRecord, unit: PubUnit | undefined, by: number): void {
    const tally = this.owners.get(this.#ownerOf(pod));
    if (tally === undefined) return;
    tally.existingPods += by;
    if (unit === undefined) tally.existingSingles += by;
    else {
      const was = unit.existing > 0;
      unit.existing += by;
      if (was !== unit.existing > 0) tally.existingGroups += by;
    }
    this.expectedChanged();
  }

  expected(): Expected {
    const { totalReplicas } = this.rules ?? {};
    this.#expected ??= this.#expectedOf(totalReplicas === undefined ? {} : { totalReplicas });
    return this.#expected;
  }

  #expectedOf(total: Pick<PubScope, 'totalReplicas'>): Expected {
    const target = this.targetOwner === undefined ? {} : { target: this.targetOwner };
    return expectedUnits({ grouped: this.rules?.groups !== undefined, ...total, ...target }, this.owners, (owner) =>
      this.#dependencies.add(owner),
    );
  }

  desired(): Desired {
    if (this.rules === undefined) return { known: false, why: 'the budget is not valid' };
    return desiredOf(this.rules, this.expected());
  }

  /** How many units it can have (I15). A total of its own says what it needs, and creates no pods. */
  #supply(): Supply {
    const expected = this.#expectedOf({});
    const owners = [...this.owners].map(([owner, { pods }]) => [owner, pods] as const);
    return supplyOfUnits(expected, { able: this.#units.able, owners }, this.#scaledBy(expected));
  }

  /** What makes it allow that one more of its units breaks. */
  remedy(desired: number): Remedy {
    const { totalReplicas: total } = this.rules ?? {};
    return remedyOf({ limit: this.rules ?? {}, desired, ...(total === undefined ? {} : { total }) }, this.#supply());
  }

  /** The one workload whose scale says how many units there are. */
  #scaledBy(expected: Expected): OwnerNode | undefined {
    if (!expected.known || expected.source !== 'scale') return undefined;
    if (this.targetOwner?.state === 'known' && this.targetOwner.replicas !== undefined) return this.targetOwner;
    const [owner, ...others] = this.owners.keys();
    return others.length === 0 ? owner : undefined;
  }

  /** How many units are not available because a disruption of their pods was allowed, and has not happened yet. */
  reserved(): number {
    return this.#units.reserved();
  }

  /** How many pods a unit can have: as many as they state, or as run and its owner would still create. */
  largestSize(unit: PubUnit): number {
    return unit.statedSize ?? unit.able + (this.#missingOf(unit.root) ?? 0);
  }

  /** The owners whose scales its numbers were computed from. */
  countedBy(): Iterable<OwnerNode> {
    return this.#dependencies.owners();
  }

  expectedChanged(): void {
    this.#expected = undefined;
    this.#units.ownersChanged();
    this.#dependencies.clear();
  }

  /** Groups belong to root owners, pods to the owner that counts them. */
  #ownerOf(pod: PodRecord): OwnerNode | undefined {
    return this.rules?.groups === undefined ? podCounter(pod.controller) : pod.root;
  }
}

function newTally(): OwnerTally {
  return { pods: 0, livePods: 0, existingPods: 0, existingSingles: 0, existingGroups: 0, groups: 0 };
}

function targetOf(pub: PodUnavailableBudget): PubTarget | undefined {
  const parts = takeApart(pub);
  const target: Parsed<PubTarget> = parts.ok ? parseTarget(parts.value.spec) : failed(...parts.errors);
  return target.ok ? target.value : undefined;
}
