import type { PodDisruptionBudget } from '../../api/pdb.ts';
import type { PodUnavailableBudget } from '../../api/pub/pub.ts';
import { budgetNumbers } from '../../core/budget/numbers.ts';
import type { BudgetRef } from '../../core/verdict.ts';
import type { Outcome } from '../../kube/outcome/failure.ts';
import type { Reconciled } from '../../kube/queue/workqueue.ts';
import type { CounterMetric } from '../../telemetry/metrics.ts';
import { budgetKey, budgetOf } from './budget-key.ts';
import type { BudgetSample } from './budget-metrics.ts';
import { leftConditions, saysLeft } from './left-to-kruise.ts';
import { type PdbPlan, type PdbShown, planPdb } from './plan-pdb.ts';
import { type PubStatus, planPub } from './plan-pub.ts';
import { defaultStatusLimits, type StatusParts } from './status-parts.ts';
import { type StatusWarning, unreportedWarnings } from './status-warnings.ts';
import { writePdbShown, writePubConditions, writePubStatus } from './status-writer.ts';
import { afterFailure, needsAttention, writeOutcome } from './write-outcome.ts';
import type { WriteStep, Written } from './written.ts';

export type StatusWrites = CounterMetric<'kind' | 'outcome'>;

type Budget = PodDisruptionBudget | PodUnavailableBudget;

const done: Reconciled = { kind: 'done' };
/** How soon to look again at what the world does not know yet. */
const lagMs = 250;
const settleStepMs = 1_000;
/** One log line of a kind in so much time: what keeps one budget from being written often keeps all of them. */
const quietMs = 60_000;

/** Looks at one budget at a time: what it should show, what it shows, and the write between the two. For one term of leading. */
export class BudgetLooks {
  readonly #parts: StatusParts;
  readonly #writes: StatusWrites;
  readonly #signal: AbortSignal;
  readonly #settledAt: number;
  readonly #pubs = new Map<string, Written<PubStatus>>();
  readonly #pdbs = new Map<string, Written<PdbShown>>();
  /** How often the number that a budget shows was written again because its status had another. */
  readonly #corrections = new Map<string, { readonly allowed: number | undefined; readonly times: number }>();
  /** Codes of the warnings about each budget that people were told of. */
  readonly #told = new Map<string, ReadonlySet<string>>();
  readonly #complainedAt = new Map<string, number>();
  /** Kruise's budgets on which we noted once that they are Kruise's: if Kruise overwrites the note, we do not write it again. */
  readonly #left = new Set<string>();
  /** Of PodUnavailableBudgets, as they are defined here. */
  #keepsNoConditions = false;

  constructor(parts: StatusParts, writes: StatusWrites, signal: AbortSignal) {
    this.#parts = parts;
    this.#writes = writes;
    this.#signal = signal;
    const { settleMs } = { ...defaultStatusLimits, ...parts.limits };
    this.#settledAt = parts.context.clock.monotonic() + settleMs;
  }

  look(key: string): Promise<Reconciled> {
    const budget = budgetOf(key);
    if (this.#signal.aborted) return Promise.resolve(done);
    return budget.kind === 'PodDisruptionBudget' ? this.#pdb(budget) : this.#pub(budget);
  }

  async #pub(budget: BudgetRef): Promise<Reconciled> {
    const { context, views, pubsPaused } = this.#parts;
    const key = budgetKey(budget);
    const shown = views.pubs.get(budget.namespace, budget.name);
    if (shown === undefined) return this.#forget(budget);
    if (pubsPaused()) return this.#leave(shown, budget);
    this.#left.delete(key);
    const plan = planPub({ shown, written: this.#pubs.get(key), ...this.#around(budget) });
    if (plan === undefined) return { kind: 'again', afterMs: lagMs };
    this.#show(budget, plan);
    const { step } = plan;
    if (step.kind !== 'write' || this.#unsettled(plan)) return this.#later(step);
    const outcome = await writePubStatus(context.clients.status, shown, step.value, step.over, this.#signal);
    if (outcome.ok) this.#tell(shown, budget, plan.warnings);
    return this.#wrote(budget, this.#pubs, step.value, outcome);
  }

  /** It is Kruise's. Its status must not say that we enforce it. */
  async #leave(shown: PodUnavailableBudget, budget: BudgetRef): Promise<Reconciled> {
    this.#forget(budget);
    const key = budgetKey(budget);
    if (this.#keepsNoConditions || this.#left.has(key) || saysLeft(shown)) return done;
    const { clients, clock } = this.#parts.context;
    const outcome = await writePubConditions(clients.status, shown, leftConditions(shown, clock.now()), this.#signal);
    this.#writes.add({ kind: budget.kind, outcome: writeOutcome(outcome.ok ? undefined : outcome.failure) });
    if (!outcome.ok) return afterFailure(outcome.failure);
    this.#left.add(key);
    // Kruise's own definition has no conditions: they were dropped, and will be each time.
    if (!saysLeft(outcome.value)) this.#keepsNoConditions = true;
    return done;
  }

  async #pdb(budget: BudgetRef): Promise<Reconciled> {
    const { context, views } = this.#parts;
    const key = budgetKey(budget);
    const shown = views.pdbs.get(budget.namespace, budget.name);
    if (shown === undefined) return this.#forget(budget);
    const plan = planPdb({
      shown,
      written: this.#pdbs.get(key),
      projects: this.#parts.projects,
      corrections: this.#corrections.get(key)?.times ?? 0,
      ...this.#around(budget),
    });
    if (plan === undefined) return { kind: 'again', afterMs: lagMs };
    if (plan.ours) this.#show(budget, plan);
    else this.#parts.budgetMetrics.forget(budget);
    const { step } = plan;
    if (step.kind === 'wait' || this.#unsettled(plan)) return this.#later(step);
    const outcome =
      step.kind === 'write' ? await writePdbShown(context.clients.status, shown, step.value, this.#signal) : undefined;
    if (outcome?.ok !== false) {
      this.#tell(shown, budget, unreportedWarnings(plan.warnings, this.#told.get(key), plan.before));
      this.#told.set(key, new Set(plan.warnings.map(({ code }) => code)));
    }
    if (outcome === undefined) return done;
    this.#countCorrection(key, plan);
    return this.#wrote(budget, this.#pdbs, plan.next, outcome);
  }

  #countCorrection(key: string, { next: { allowed }, corrects }: PdbPlan): void {
    const last = this.#corrections.get(key);
    const times = last?.allowed === allowed ? (last?.times ?? 0) : 0;
    this.#corrections.set(key, { allowed, times: times + Number(corrects) });
  }

  #around({ namespace }: BudgetRef) {
    const { context, guardOf } = this.#parts;
    const { world, clock } = context;
    return { world, guard: guardOf(namespace), now: clock.now(), monotonic: clock.monotonic() };
  }

  #unsettled({ unsure }: { readonly unsure: boolean }): boolean {
    return unsure && this.#parts.context.clock.monotonic() < this.#settledAt;
  }

  #later(step: WriteStep<unknown>): Reconciled {
    if (step.kind === 'nothing') return done;
    return { kind: 'again', afterMs: step.kind === 'wait' ? step.forMs : settleStepMs };
  }

  #forget(budget: BudgetRef): Reconciled {
    const key = budgetKey(budget);
    this.#pubs.delete(key);
    this.#pdbs.delete(key);
    this.#told.delete(key);
    this.#corrections.delete(key);
    this.#parts.budgetMetrics.forget(budget);
    return done;
  }

  #show(budget: BudgetRef, { blocked, never }: Pick<BudgetSample, 'blocked' | 'never'>): void {
    const { context, budgetMetrics } = this.#parts;
    const numbers = budgetNumbers(context.world, budget, context.clock.now());
    budgetMetrics.show(
      budget,
      numbers === undefined || numbers.mode === 'invalid'
        ? { blocked }
        : { ...numbers, blocked, never: never === true },
    );
  }

  #wrote<T>(budget: BudgetRef, memory: Map<string, Written<T>>, value: T, outcome: Outcome<Budget>): Reconciled {
    const failure = outcome.ok ? undefined : outcome.failure;
    this.#writes.add({ kind: budget.kind, outcome: writeOutcome(failure) });
    if (outcome.ok) {
      const { uid, resourceVersion } = outcome.value.metadata;
      memory.set(budgetKey(budget), { uid, resourceVersion, value, at: this.#parts.context.clock.monotonic() });
      return done;
    }
    // What we knew of it is not so, or not for sure: the view knows better from now on.
    memory.delete(budgetKey(budget));
    if (needsAttention(outcome.failure)) this.#complain(budget, outcome.failure.kind, outcome.failure.message);
    return afterFailure(outcome.failure);
  }

  #complain(budget: BudgetRef, kind: string, message: string): void {
    const { clock, log } = this.#parts.context;
    const now = clock.monotonic();
    const last = this.#complainedAt.get(kind);
    if (last !== undefined && now - last < quietMs) return;
    this.#complainedAt.set(kind, now);
    log.warn('the status of a budget could not be written', { ...budget, failure: kind, message });
  }

  #tell(shown: Budget, budget: BudgetRef, warnings: readonly StatusWarning[]): void {
    const { uid, resourceVersion } = shown.metadata;
    const subject = {
      apiVersion: budget.kind === 'PodDisruptionBudget' ? 'policy/v1' : 'policy.kruise.io/v1beta1',
      ...budget,
      ...(uid === undefined ? {} : { uid }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
    };
    for (const { code, message } of warnings) {
      this.#parts.recorder.record({ subject, type: 'Warning', reason: code, message });
    }
  }
}
