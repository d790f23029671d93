import { compareStrings } from '../../../core/compare.ts';
import type { BudgetRef } from '../../../core/verdict.ts';
import type { NamespaceState } from '../../../core/world/namespace-state.ts';
import type { PodRecord } from '../../../core/world/pod-record.ts';
import type { World } from '../../../core/world/world.ts';
import type { BudgetResult, GroupResult, TimelineEvent, Violation } from '../simulation-result.ts';
import { BudgetRecord, numbersOf } from './budget-record.ts';
import { GroupRecords } from './group-records.ts';
import type { Budget, TouchedNames } from './observed-world.ts';

/** Which budgets and groups had how much when. It looks at those that something happened to, and at no others. */
export class AvailabilityRecord {
  readonly #world: World;
  readonly #budgets = new Map<string, BudgetRecord>();
  readonly #groups = new GroupRecords();
  readonly violations: Violation[] = [];

  constructor(world: World) {
    this.#world = world;
  }

  begin(): void {
    this.#groups.begin(this.#world);
    for (const state of this.#world.namespaces()) {
      for (const budget of budgetsOf(state)) this.#budgets.set(keyOf(budget.ref), recordOf(budget));
    }
  }

  refused(namespace: string, pod: string): void {
    const record = this.#world.pod(namespace, pod);
    for (const { ref } of [...(record?.pdbs ?? []), ...(record?.pubs ?? [])]) {
      const budget = this.#budgets.get(keyOf(ref));
      if (budget !== undefined) budget.refusals += 1;
    }
  }

  /** What changed at a moment at which these pods were evicted. */
  look(touched: TouchedNames, at: number, evicted: readonly string[]): readonly TimelineEvent[] {
    const budgets = this.#touchedBudgets(touched);
    const groups = this.#groups.look(touched.groups, budgets, at);
    return [...groups, ...budgets.flatMap((budget) => this.#budget(budget, at, evicted))];
  }

  budgets(): readonly BudgetResult[] {
    return [...this.#budgets].sort(([a], [b]) => compareStrings(a, b)).map(([, record]) => record.result());
  }

  groups(): readonly GroupResult[] {
    return this.#groups.results();
  }

  #touchedBudgets({ namespaces, budgets }: TouchedNames): readonly Budget[] {
    const found = new Set<Budget>();
    for (const budget of budgets) if (this.#isThere(budget)) found.add(budget);
    for (const name of namespaces) {
      const state = this.#world.namespace(name);
      if (state !== undefined) for (const budget of budgetsOf(state)) found.add(budget);
    }
    return [...found].sort((a, b) => compareStrings(keyOf(a.ref), keyOf(b.ref)));
  }

  /** One that was changed is another from then on. */
  #isThere(budget: Budget): boolean {
    const state = this.#world.namespace(budget.ref.namespace);
    const present = budget.ref.kind === 'PodDisruptionBudget' ? state?.pdbs : state?.pubs;
    return present?.get(budget.ref.name) === budget;
  }

  #budget(budget: Budget, at: number, evicted: readonly string[]): readonly TimelineEvent[] {
    const key = keyOf(budget.ref);
    const record = this.#budgets.get(key) ?? recordOf(budget);
    this.#budgets.set(key, record);
    const before = record.now;
    const now = numbersOf(budget);
    const change = record.set(now, at);
    const own = evicted.filter((pod) => isOf(budget, this.#podNamed(pod)));
    const isBelow = now.desired !== undefined && now.available < now.desired;
    if (isBelow && now.available < before.available && own.length > 0) {
      const { available, desired = 0 } = now;
      this.violations.push({ at, budget: budget.ref, available, desired, pods: own });
    }
    if (change === undefined) return [];
    return [{ at, kind: change === 'reached' ? 'limitReached' : 'limitLeft', budget: budget.ref, ...now }];
  }

  #podNamed(key: string): PodRecord | undefined {
    const slash = key.indexOf('/');
    return this.#world.pod(key.slice(0, slash), key.slice(slash + 1));
  }
}

function budgetsOf(state: NamespaceState): readonly Budget[] {
  return [...state.pdbs.values(), ...state.pubs.values()];
}

function isOf(budget: Budget, pod: PodRecord | undefined): boolean {
  if (pod === undefined) return false;
  return budget.pods.has(pod) || pod.groups.some((group) => 'mode' in budget && group.budgets.has(budget));
}

function recordOf(budget: Budget): BudgetRecord {
  return new BudgetRecord(budget.ref, numbersOf(budget));
}

function keyOf({ kind, namespace, name }: BudgetRef): string {
  return `${namespace}/${kind}/${name}`;
}
