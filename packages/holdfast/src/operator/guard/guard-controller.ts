import type { Namespace } from '@holdfast/base/meta';
import { collections } from '../../core/sync.ts';
import type { BudgetRef } from '../../core/verdict.ts';
import type { Outcome } from '../../kube/outcome/failure.ts';
import { type Reconciled, runWorkers, Workqueue } from '../../kube/queue/workqueue.ts';
import type { Timer } from '../../kube/time/clock.ts';
import type { OperatorContext } from '../../observe/context.ts';
import { guardedValue, guardLabel, isNeverGuarded } from '../../observe/guard/guard-mode.ts';
import { needsGuard } from '../../observe/guard/needs-guard.ts';
import type { Touched } from '../../observe/view/touched.ts';
import type { Views } from '../../observe/view/views.ts';
import type { CounterMetric } from '../../telemetry/metrics.ts';
import { type GuardTimes, planGuard } from './plan-guard.ts';
import { writeGuardLabel } from './write-label.ts';

export interface GuardLimits extends GuardTimes {
  /** How long after a change a namespace is looked at: in a rollout its budgets are touched by the thousand. */
  readonly gatherMs: number;
  /** Every namespace is looked at so often, whatever happens. */
  readonly resyncMs: number;
  readonly deadlineMs: number;
  readonly retry: { readonly baseMs: number; readonly capMs: number };
  readonly workers: number;
}

export const defaultGuardLimits: GuardLimits = {
  graceMs: 60_000,
  recheckMs: 5_000,
  gatherMs: 50,
  resyncMs: 60_000,
  deadlineMs: 5_000,
  retry: { baseMs: 50, capMs: 60_000 },
  workers: 4,
};

export interface GuardControllerParts {
  readonly context: Pick<OperatorContext, 'world' | 'clients' | 'clock' | 'log' | 'metrics' | 'namespace'>;
  readonly views: Pick<Views, 'namespaces'>;
  readonly limits?: GuardLimits;
}

/**
 * Labels the namespaces that have something to protect, and takes the label away where there is nothing any more. Only the leader
 * does so; two that both believe to lead do no harm, since each writes only over what it has seen.
 */
export class GuardController implements Touched {
  readonly #parts: GuardControllerParts;
  readonly #limits: GuardLimits;
  readonly #queue: Workqueue;
  readonly #writes: CounterMetric<'change' | 'outcome'>;
  /** Since when a guarded namespace has had nothing to protect. */
  readonly #idleSince = new Map<string, number>();
  /** The version of a namespace that was written over: until another one is seen, the write is not in the view. */
  readonly #overwritten = new Map<string, string | undefined>();
  #leads = false;
  #resync: Timer | undefined;
  #working: Promise<void> | undefined;

  constructor(parts: GuardControllerParts) {
    const { context, limits = defaultGuardLimits } = parts;
    this.#parts = parts;
    this.#limits = limits;
    this.#queue = new Workqueue({ clock: context.clock, ...limits.retry });
    this.#writes = context.metrics.counter({
      name: 'guard_label_writes_total',
      help: 'Guard labels that were added to namespaces or removed, by outcome.',
      labels: ['change', 'outcome'],
    });
  }

  start(): void {
    const { log } = this.#parts.context;
    this.#working ??= runWorkers(
      this.#queue,
      this.#limits.workers,
      (name) => this.#reconcile(name),
      (namespace, error) => log.error('reconciling a namespace failed', { namespace, error }),
    );
  }

  async close(): Promise<void> {
    this.resign();
    this.#queue.close();
    await this.#working;
  }

  lead(): void {
    if (this.#leads) return;
    this.#leads = true;
    this.#lookAtAll();
  }

  resign(): void {
    this.#leads = false;
    this.#resync?.cancel();
    this.#idleSince.clear();
    this.#overwritten.clear();
  }

  budgets(refs: Iterable<BudgetRef>): void {
    for (const { namespace } of refs) this.namespace(namespace);
  }

  namespace(name: string): void {
    if (this.#leads) this.#queue.addAfter(name, this.#limits.gatherMs);
  }

  #lookAtAll(): void {
    for (const { metadata } of this.#parts.views.namespaces.items()) this.namespace(metadata.name);
    this.#resync = this.#parts.context.clock.after(this.#limits.resyncMs, () => this.#lookAtAll());
  }

  async #reconcile(name: string): Promise<Reconciled> {
    const namespace = this.#parts.views.namespaces.get(undefined, name);
    if (!this.#leads || namespace === undefined) {
      this.#forget(name);
      return { kind: 'done' };
    }
    if (this.#isOverwritten(namespace)) return { kind: 'done' };
    this.#overwritten.delete(name);
    const plan = this.#plan(name, namespace);
    if (plan.kind === 'wait') return { kind: 'again', afterMs: plan.afterMs };
    return plan.kind === 'leave' ? { kind: 'done' } : this.#write(namespace, plan.kind);
  }

  #plan(name: string, namespace: Namespace): ReturnType<typeof planGuard> {
    const { world, namespace: own } = this.#parts.context;
    const state = world.namespace(name);
    const needed = state !== undefined && needsGuard(state);
    const complete = collections.every((one) => world.syncedVersion(one) !== undefined);
    const idle = complete && !needed && guardLabel(namespace) === guardedValue;
    const facts = {
      namespace,
      exempt: isNeverGuarded(name, own),
      needed,
      complete,
      idleMs: this.#idleMs(name, idle),
      reservations: state?.reservations.size ?? 0,
    };
    return planGuard(facts, this.#limits);
  }

  #idleMs(name: string, idle: boolean): number {
    const now = this.#parts.context.clock.monotonic();
    const since = idle ? (this.#idleSince.get(name) ?? now) : undefined;
    if (since === undefined) this.#idleSince.delete(name);
    else this.#idleSince.set(name, since);
    return now - (since ?? now);
  }

  async #write(namespace: Namespace, change: 'enable' | 'remove'): Promise<Reconciled> {
    const { name, resourceVersion } = namespace.metadata;
    const { clients, log } = this.#parts.context;
    const written = await writeGuardLabel(clients.upkeep, namespace, change, this.#limits.deadlineMs);
    this.#writes.add({ change, outcome: outcomeOf(written) });
    if (written.ok) {
      if (this.#leads) this.#overwritten.set(name, resourceVersion);
      if (change === 'enable') log.info('namespace is now guarded', { namespace: name });
      else log.info('namespace is no longer guarded', { namespace: name });
      return { kind: 'done' };
    }
    const { kind, message } = written.failure;
    if (kind === 'notFound') return { kind: 'done' };
    // A conflict is another client's write, which is on its way to the view.
    if (kind !== 'conflict')
      log.warn('the guard label of a namespace could not be written', { namespace: name, change, error: message });
    return { kind: 'failed' };
  }

  #isOverwritten({ metadata: { name, resourceVersion } }: Namespace): boolean {
    return this.#overwritten.has(name) && this.#overwritten.get(name) === resourceVersion;
  }

  #forget(name: string): void {
    this.#idleSince.delete(name);
    this.#overwritten.delete(name);
  }
}

function outcomeOf(written: Outcome<unknown>): 'written' | 'conflict' | 'failed' {
  if (written.ok) return 'written';
  return written.failure.kind === 'conflict' ? 'conflict' : 'failed';
}
