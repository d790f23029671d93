import { type FieldError, failed, type Parsed } from '../../api/field-errors.ts';
import { matches } from '../../api/label-selector.ts';
import { defaultProtectOperations, type PodUnavailableBudget } from '../../api/pub.ts';
import { takeApart } from '../../api/pub-fields.ts';
import { type PubRules, readPub } from '../../api/pub-read.ts';
import { type PubTarget, parseTarget } from '../../api/pub-target.ts';
import { type Desired, desiredOf, type Expected } from '../budget/desired.ts';
import { expectedUnits, type OwnerTally } from '../budget/expected-pub.ts';
import { digest } from '../digest.ts';
import { bit } from '../health.ts';
import { labelOf } from '../label.ts';
import type { Operation } from '../request.ts';
import type { BudgetRef } from '../verdict.ts';
import { Dependencies } from './dependencies.ts';
import { podCounter } from './owner-chain.ts';
import { identityOf, type OwnerNode } from './owner-node.ts';
import type { OwnerRegistry } from './owner-registry.ts';
import type { PodRecord } from './pod-record.ts';
import { obtain } from './selector-index.ts';
import type { Share } from './share.ts';

/** A group of a PodUnavailableBudget: selected pods with one label value under one root owner. */
export interface PubUnit {
  readonly key: string;
  readonly display: string;
  readonly pods: Set<PodRecord>;
  /** Neither terminating nor finished. */
  live: number;
  /** Not finished, and not going with its owner. */
  existing: number;
  healthy: number;
  /** Healthy pods that count as gone, and may turn out to stay (N6). */
  unproven: number;
  readonly root: OwnerNode | undefined;
}

/** A PodUnavailableBudget with what it counts. */
export class PubState {
  readonly ref: BudgetRef;
  /** What it was read from: an object with the same signature changes nothing but its status. */
  readonly signature: string;
  /** Of the signature: by it a reservation knows the budget again (I14). */
  readonly digest: string;
  readonly rules: PubRules | undefined;
  readonly errors: readonly FieldError[];
  /** What it covers, also when the rest of it cannot be read (U7); undefined: nobody can tell. */
  readonly target: PubTarget | undefined;
  generation = 0;
  observedGeneration = 0;
  readonly pods = new Set<PodRecord>();
  readonly units = new Map<string, PubUnit>();
  readonly owners = new Map<OwnerNode | undefined, OwnerTally>();
  available = 0;
  /** The workload it names, whether or not anybody looked it up. */
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
    this.digest = digest(signature);
    const rules = readPub(pub);
    this.rules = rules.ok ? rules.value : undefined;
    this.errors = rules.ok ? [] : rules.errors;
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

  /** Exempt by its own annotation or by the budget's ignored selector; it counts all the same (U1). */
  leavesAlone(pod: PodRecord): boolean {
    if (pod.has(bit.noProtect)) return true;
    return this.rules?.ignored !== undefined && matches(this.rules.ignored, pod.labels);
  }

  /** The group of a pod; undefined when the pod is a unit of its own. */
  unitOf(pod: PodRecord): PubUnit | undefined {
    const key = unitKey(this.rules, pod);
    return key === undefined ? undefined : this.units.get(key);
  }

  get minimum(): number {
    return this.rules?.groups?.minReady ?? 1;
  }

  select(pod: PodRecord): void {
    this.pods.add(pod);
    const owner = this.#ownerOf(pod);
    const tally = obtain(this.owners, owner, newTally);
    tally.pods += 1;
    this.expectedChanged();
    const key = unitKey(this.rules, pod);
    if (key === undefined) return;
    const unit = obtain(this.units, key, () => {
      tally.groups += 1;
      return newUnit(key, groupValue(this.rules, pod) ?? '', owner);
    });
    unit.pods.add(pod);
  }

  deselect(pod: PodRecord): void {
    this.pods.delete(pod);
    const owner = this.#ownerOf(pod);
    const tally = this.owners.get(owner);
    if (tally === undefined) return;
    tally.pods -= 1;
    this.#leaveUnit(pod, tally);
    if (tally.pods === 0) this.owners.delete(owner);
    this.expectedChanged();
  }

  #leaveUnit(pod: PodRecord, tally: OwnerTally): void {
    const unit = this.unitOf(pod);
    if (unit === undefined) return;
    unit.pods.delete(pod);
    if (unit.pods.size > 0) return;
    this.units.delete(unit.key);
    tally.groups -= 1;
  }

  /** Takes in what a selected pod's change adds and takes. */
  count(pod: PodRecord, change: Share): void {
    const unit = this.unitOf(pod);
    if (change.existing !== 0) this.#countExisting(pod, unit, change.existing);
    if (unit === undefined) {
      this.available += change.healthyForPub;
      return;
    }
    unit.live += change.live;
    unit.unproven += change.unprovenForPub;
    const was = unit.healthy >= this.minimum;
    unit.healthy += change.healthyForPub;
    const is = unit.healthy >= this.minimum;
    if (was !== is) this.available += is ? 1 : -1;
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
    const { totalReplicas, groups } = this.rules ?? {};
    this.#expected ??= expectedUnits(
      {
        grouped: groups !== undefined,
        ...(totalReplicas === undefined ? {} : { totalReplicas }),
        ...(this.targetOwner === undefined ? {} : { target: this.targetOwner }),
      },
      this.owners,
      (owner) => this.#dependencies.add(owner),
    );
    return this.#expected;
  }

  desired(): Desired {
    if (this.rules === undefined) return { known: false, why: 'the budget cannot be read' };
    return desiredOf(this.rules, this.expected());
  }

  /** The owners whose scales its numbers were computed from. */
  countedBy(): Iterable<OwnerNode> {
    return this.#dependencies.owners();
  }

  expectedChanged(): void {
    this.#expected = undefined;
    this.#dependencies.clear();
  }

  /** Groups belong to root owners, pods to the owner that counts them. */
  #ownerOf(pod: PodRecord): OwnerNode | undefined {
    return this.rules?.groups === undefined ? podCounter(pod.controller) : pod.root;
  }
}

function newTally(): OwnerTally {
  return { pods: 0, existingPods: 0, existingSingles: 0, existingGroups: 0, groups: 0 };
}

function newUnit(key: string, display: string, root: OwnerNode | undefined): PubUnit {
  return { key, display, pods: new Set(), live: 0, existing: 0, healthy: 0, unproven: 0, root };
}

function groupValue(rules: PubRules | undefined, pod: PodRecord): string | undefined {
  return rules?.groups === undefined ? undefined : labelOf(pod.labels, rules.groups.labelKey);
}

function unitKey(rules: PubRules | undefined, pod: PodRecord): string | undefined {
  const value = groupValue(rules, pod);
  return value === undefined ? undefined : `${identityOf(pod.root)}|${value}`;
}

function targetOf(pub: PodUnavailableBudget): PubTarget | undefined {
  const parts = takeApart(pub);
  const target: Parsed<PubTarget> = parts.ok ? parseTarget(parts.value.spec) : failed(...parts.errors);
  return target.ok ? target.value : undefined;
}
