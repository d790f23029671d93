import type { FieldError, Parsed } from '@holdfast/base/field-errors';
import type { PodDisruptionBudget } from '../../api/pdb.ts';
import type { GroupMinimum } from '../../api/pdb-scope.ts';
import { type Desired, desiredOf, type Expected } from '../budget/desired.ts';
import { expectedGroups } from '../budget/expected-groups.ts';
import { expectedPods } from '../budget/expected-pods.ts';
import type { PdbRules } from '../budget/rules.ts';
import { type Supply, supplyOfGroups, supplyOfPods } from '../budget/supply.ts';
import { bit } from '../health.ts';
import type { BudgetRef } from '../verdict.ts';
import { budgetDigest } from './budget-digest.ts';
import { Dependencies } from './dependencies.ts';
import { type Bounds, exactly, type GroupNode, Parents } from './group-node.ts';
import { podCounter } from './owners/owner-chain.ts';
import type { OwnerNode } from './owners/owner-node.ts';
import type { OwnerRegistry } from './owners/owner-registry.ts';
import type { PodGroupObjects } from './pod-group-objects.ts';
import type { PodRecord, Share } from './pod-record.ts';
import { StatedMinimum } from './stated-minimum.ts';

export type PdbMode = 'group' | 'perPod' | 'plain';

/** Shared by all budgets without evictions under way. */
const noNames: ReadonlySet<string> = new Set();

interface Unit {
  /** Selected pods in the group: while there is one, the budget reaches the group. */
  selected: number;
  /** By the minimum as it is stated. */
  certain: boolean;
  /** One of its pods runs. */
  able: boolean;
}

/** What a budget looks things up in. */
interface Sources {
  readonly objects: PodGroupObjects;
  readonly registry: OwnerRegistry;
  /** The pods of its namespace, by name. */
  readonly pods: ReadonlyMap<string, PodRecord>;
}

/** The counter that Kubernetes' own eviction check takes from, as the status has it. */
export interface BuiltinCounter {
  readonly allowed: number;
  readonly generation: number;
  readonly observedGeneration: number;
}

/** A PodDisruptionBudget with what it counts, per pod and per group at once; which of them holds depends on its pods (P1). */
export class PdbState {
  readonly ref: BudgetRef;
  /** What it was read from: an object with the same signature changes nothing. */
  readonly signature: string;
  /** Of the signature: by it a reservation knows the budget again (I14). */
  readonly digest: string;
  readonly rules: PdbRules | undefined;
  readonly errors: readonly FieldError[];
  /** The pods that the selector matches. */
  readonly pods = new Set<PodRecord>();
  readonly units = new Map<GroupNode, Unit>();
  readonly #parents = new Parents();
  /** Owners that count the selected pods, with how many of them. */
  readonly owners = new Map<OwnerNode, number>();
  probed = 0;
  /** Selected pods that have a group this budget counts. */
  grouped = 0;
  /** Selected pods of gangs that cannot be divided into groups (P5). */
  undivided = 0;
  /** Of the object that it was last read from. */
  generation = 0;
  plainHealthy = 0;
  healthyPods = 0;
  /** Selected pods that run; those of them without a controller; and healthy ones of which a disruption is reserved. */
  #ablePods = 0;
  #bareAblePods = 0;
  #reservedPods = 0;
  #plainReserved = 0;
  /** Those that Kubernetes' own check would count: it does not know that an owner is deleted with its pods. */
  #plainAble = 0;
  #ableGroups = 0;
  readonly #reservedIn = new Set<GroupNode>();
  /** Groups that are available by their minimum as it is stated. */
  #certainGroups = 0;
  /** Pods that it covers and cannot count (N7). */
  uncounted = 0;
  /** Pods whose eviction the built-in check admitted, by name; until they are seen to go, they are gone for this budget (P3). */
  disrupted: ReadonlySet<string> = noNames;
  /** Undefined: the disruption controller has not written it yet, or it was not read. */
  counter: BuiltinCounter | undefined;
  readonly #sources: Sources;
  readonly #dependencies: Dependencies;
  /** The number of pods per group that its annotation states, if it states one. */
  readonly groupMinimum: StatedMinimum | undefined;
  /** What was computed last, and in which mode: pods that come and go may change that. */
  #expected: { readonly mode: PdbMode; readonly value: Expected } | undefined;
  /** Every decision asks for it, and it changes only with what is expected. */
  #desired: { readonly expected: Expected; readonly value: Desired } | undefined;

  constructor(ref: BudgetRef, rules: Parsed<PdbRules>, sources: Sources, signature: string) {
    this.ref = ref;
    this.signature = signature;
    this.digest = budgetDigest(signature);
    this.rules = rules.ok ? rules.value : undefined;
    this.errors = rules.ok ? [] : rules.errors;
    this.#sources = sources;
    this.#dependencies = new Dependencies(sources.registry, this);
    const minimum = this.#wantedMinimum;
    if (typeof minimum === 'number') {
      this.groupMinimum = new StatedMinimum(minimum, (owner) => this.#dependencies.add(owner));
    }
  }

  /** A change of the status alone. */
  observe({ metadata, status }: PodDisruptionBudget): void {
    this.generation = metadata.generation ?? 0;
    const names = Object.keys(status?.disruptedPods ?? {});
    this.disrupted = names.length === 0 ? noNames : new Set(names);
    const { disruptionsAllowed: allowed, observedGeneration = 0 } = status ?? {};
    this.counter =
      allowed === undefined ? undefined : { allowed, generation: metadata.generation ?? 0, observedGeneration };
  }

  /** Called once, when the budget leaves the world. */
  close(): void {
    for (const group of this.units.keys()) group.budgets.delete(this);
    this.#dependencies.clear();
  }

  /** The label key of its groups, where its annotations name one. */
  get groupLabel(): string | undefined {
    return this.rules?.scope.kind === 'group' ? this.rules.scope.labelKey : undefined;
  }

  get mode(): PdbMode {
    const scope = this.rules?.scope.kind;
    if (scope === 'group' || (scope === 'automatic' && this.grouped + this.undivided > 0)) return 'group';
    return this.probed > 0 ? 'perPod' : 'plain';
  }

  /** The group in which this budget counts a pod, if any. */
  groupOf(pod: PodRecord): GroupNode | undefined {
    const scope = this.rules?.scope;
    if (scope === undefined || scope.kind === 'pod') return undefined;
    if (scope.kind === 'group' && scope.labelKey !== undefined) {
      return pod.groups.find((one) => one.labelKey === scope.labelKey);
    }
    const claimed = pod.groups.filter((one) => one.labelKey === undefined);
    const group = claimed.find((one) => one.isGang);
    return scope.kind === 'group' || group?.native ? group : undefined;
  }

  select(pod: PodRecord): void {
    this.pods.add(pod);
    if (pod.has(bit.probed)) this.probed += 1;
    if (pod.undivided) this.undivided += 1;
    this.#countOwner(pod, 1);
    const group = this.groupOf(pod);
    if (group === undefined) return;
    this.grouped += 1;
    const unit = this.units.get(group);
    if (unit !== undefined) {
      unit.selected += 1;
      return;
    }
    this.units.set(group, { selected: 1, certain: false, able: false });
    group.budgets.add(this);
    this.refresh(group);
  }

  deselect(pod: PodRecord): void {
    this.pods.delete(pod);
    if (pod.has(bit.probed)) this.probed -= 1;
    if (pod.undivided) this.undivided -= 1;
    this.#countOwner(pod, -1);
    const group = this.groupOf(pod);
    const unit = group === undefined ? undefined : this.units.get(group);
    if (group === undefined || unit === undefined) return;
    this.grouped -= 1;
    unit.selected -= 1;
    if (unit.selected > 0) return;
    if (unit.certain) this.#certainGroups -= 1;
    if (unit.able) this.#ableGroups -= 1;
    this.#reservedIn.delete(group);
    this.units.delete(group);
    this.groupMinimum?.delete(group);
    group.budgets.delete(this);
    if (this.#parents.delete(group)) this.expectedChanged();
  }

  /** Takes in what a selected pod's change adds and takes. */
  count(pod: PodRecord, change: Share): void {
    this.plainHealthy += change.plainHealthy;
    this.healthyPods += change.pdb.healthy;
    this.#ablePods += change.pdb.able;
    if (pod.controller === undefined) this.#bareAblePods += change.pdb.able;
    this.#reservedPods += change.pdb.reserved;
    this.#plainReserved += change.plainReserved;
    this.#plainAble += change.plainAble;
  }

  /** A group changed: is it still available, by this budget's minimum, and does it still say the same about its parent? */
  refresh(group: GroupNode): void {
    const unit = this.units.get(group);
    if (unit === undefined) return;
    if (this.#parents.set(group)) this.expectedChanged();
    this.groupMinimum?.set(group);
    const certain = group.healthy >= (this.groupMinimum?.certainFor(group) ?? this.#wholeOrStated(group));
    if (certain !== unit.certain) this.#certainGroups += certain ? 1 : -1;
    unit.certain = certain;
    const able = group.able > 0;
    if (able !== unit.able) this.#ableGroups += able ? 1 : -1;
    unit.able = able;
    if (group.reserved > 0) this.#reservedIn.add(group);
    else this.#reservedIn.delete(group);
  }

  /** It counts groups by a label, and by their full size. */
  get countsByLabel(): boolean {
    return this.groupLabel !== undefined && this.groupMinimum === undefined;
  }

  /** Whether it takes a group for available only when it is whole (G5). */
  needsFullSize(group: GroupNode): boolean {
    if (this.groupMinimum !== undefined) return false;
    return this.#wantedMinimum === 'all' || group.wholeOnly || group.statedMinimum === undefined;
  }

  get #wantedMinimum(): GroupMinimum | undefined {
    return this.rules?.scope.kind === 'group' ? this.rules.scope.minimum : undefined;
  }

  /** How many pods make the group serve (G5). */
  boundsOf(group: GroupNode): Bounds {
    return this.groupMinimum?.boundsOf(group) ?? exactly(this.#wholeOrStated(group));
  }

  isAvailable(group: GroupNode): boolean {
    return group.healthy >= this.boundsOf(group).enough;
  }

  #wholeOrStated(group: GroupNode): number {
    return this.needsFullSize(group) ? group.fullSize : (group.statedMinimum ?? group.fullSize);
  }

  get available(): number {
    const mode = this.mode;
    if (mode === 'group') return this.#certainGroups + (this.groupMinimum?.wholeGroups() ?? 0);
    return mode === 'perPod' ? this.healthyPods : this.plainAvailable();
  }

  /**
   * The pods that Kubernetes itself would count (P3). The pod that is asked about counts although its eviction was admitted: the
   * same eviction again takes nothing more.
   */
  plainAvailable(asked?: PodRecord): number {
    let admitted = 0;
    for (const name of this.disrupted) {
      const pod = this.#sources.pods.get(name);
      if (pod !== undefined && pod !== asked && pod.plainHealthy && this.pods.has(pod)) admitted += 1;
    }
    return this.plainHealthy - admitted;
  }

  expected(): Expected {
    const mode = this.mode;
    if (this.#expected?.mode !== mode) this.#expected = { mode, value: this.#computeExpected(mode) };
    return this.#expected.value;
  }

  desired(): Desired {
    if (this.rules === undefined) return { known: false, why: 'the budget is not valid' };
    const expected = this.expected();
    if (this.#desired?.expected !== expected) {
      this.#desired = { expected, value: desiredOf(this.rules.limit, expected) };
    }
    return this.#desired.value;
  }

  /** The built-in controller's own number of pods, whatever the mode (P3). */
  plainExpected(): Expected {
    const integer = this.rules?.limit.minAvailable?.kind === 'count' && this.rules.limit.maxUnavailable === undefined;
    if (integer) return { known: true, count: this.pods.size, source: 'seen' };
    return expectedPods(this.owners.keys(), (owner) => this.#dependencies.add(owner));
  }

  plainDesired(): Desired {
    if (this.rules === undefined) return { known: false, why: 'the budget is not valid' };
    return desiredOf(this.rules.limit, this.plainExpected());
  }

  /** How many units are not available because a disruption of their pods was allowed, and has not happened yet. */
  reserved(): number {
    const mode = this.mode;
    if (mode === 'perPod') return this.#reservedPods;
    return mode === 'plain' ? this.plainReserved() : this.#reservedGroups();
  }

  #reservedGroups(): number {
    const isHeldBack = (group: GroupNode): boolean =>
      !this.isAvailable(group) && group.healthy + group.reserved >= this.boundsOf(group).enough;
    return [...this.#reservedIn].filter(isHeldBack).length;
  }

  /** With those whose eviction the built-in check admitted (P3). */
  plainReserved(): number {
    return this.#plainReserved + this.plainHealthy - this.plainAvailable();
  }

  /** How many units it can have (I15). */
  supply(): Supply {
    const mode = this.mode;
    if (mode === 'group')
      return supplyOfGroups(this.#parents, this.expected(), { able: this.#ableGroups, owners: this.owners });
    return this.podSupply(mode);
  }

  podSupply(mode: 'perPod' | 'plain'): Supply {
    const able = mode === 'plain' ? this.#plainAble : this.#ablePods;
    const ask = (owner: OwnerNode): void => this.#dependencies.add(owner);
    return supplyOfPods({ able, bare: this.#bareAblePods, owners: this.owners }, ask);
  }

  /** The owners whose scales its numbers were computed from. */
  countedBy(): Iterable<OwnerNode> {
    return this.#dependencies.owners();
  }

  expectedChanged(): void {
    this.#expected = undefined;
    this.groupMinimum?.ownersChanged();
    this.#dependencies.clear();
  }

  #computeExpected(mode: PdbMode): Expected {
    if (mode === 'plain') return this.plainExpected();
    const ask = (owner: OwnerNode): void => this.#dependencies.add(owner);
    if (mode === 'group') return expectedGroups(this.#parents, this.#sources.objects, ask);
    if (this.pods.size > 0 && this.owners.size === 0) {
      return { known: false, why: 'no selected pod has a controller' };
    }
    return expectedPods(this.owners.keys(), ask);
  }

  /** Expected pods depend on which owners there are (and on how many pods, for a plain budget), not on each pod. */
  #countOwner(pod: PodRecord, by: 1 | -1): void {
    const owner = podCounter(pod.controller);
    const count = owner === undefined ? 0 : (this.owners.get(owner) ?? 0) + by;
    if (this.mode !== 'group' || count === 0 || count === by) this.expectedChanged();
    if (owner === undefined) return;
    if (count > 0) this.owners.set(owner, count);
    else this.owners.delete(owner);
  }
}
