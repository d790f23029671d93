import { collections } from '../../core/sync.ts';
import type { BudgetRef } from '../../core/verdict.ts';
import { runWorkers, Workqueue } from '../../kube/queue/workqueue.ts';
import type { Timer } from '../../kube/time/clock.ts';
import type { Touched } from '../../observe/view/touched.ts';
import { budgetKey } from './budget-key.ts';
import { BudgetLooks, type StatusWrites } from './budget-looks.ts';
import { defaultGatheringLimits, Gathering } from './gathering.ts';
import { defaultStatusLimits, type StatusLimits, type StatusParts } from './status-parts.ts';

/** Publishes what budgets show, while this replica leads. */
export class StatusController implements Touched {
  readonly #parts: StatusParts;
  readonly #writes: StatusWrites;
  #term: Term | undefined;

  constructor(parts: StatusParts) {
    this.#parts = parts;
    this.#writes = parts.context.metrics.counter({
      name: 'budget_status_writes_total',
      help: 'Writes of budget status, by kind and outcome.',
      labels: ['kind', 'outcome'],
    });
  }

  budgets(refs: Iterable<BudgetRef>): void {
    const gathering = this.#term?.gathering;
    if (gathering !== undefined) for (const ref of refs) gathering.key(budgetKey(ref));
  }

  namespace(name: string): void {
    this.#term?.gathering.namespace(name);
  }

  /** Leads until the signal says stop; settles when the last write is over. */
  async lead(signal: AbortSignal): Promise<void> {
    await this.resign();
    if (signal.aborted) return;
    const term = new Term(this.#parts, this.#writes);
    this.#term = term;
    const end = () => term.end();
    signal.addEventListener('abort', end, { once: true });
    await term.ended;
    signal.removeEventListener('abort', end);
    if (this.#term === term) this.#term = undefined;
  }

  async resign(): Promise<void> {
    this.#term?.end();
    await this.#term?.ended;
  }
}

const retry = { baseMs: 50, capMs: 60_000 };

/** From one election to the next. What is remembered ends with it: others may lead in between. */
class Term {
  readonly #parts: StatusParts;
  readonly #limits: StatusLimits;
  readonly #stopping = new AbortController();
  readonly #queue: Workqueue;
  readonly #unsubscribe: readonly (() => void)[];
  readonly gathering: Gathering;
  readonly ended: Promise<void>;
  #resync: Timer | undefined;

  constructor(parts: StatusParts, writes: StatusWrites) {
    const { context, views } = parts;
    const { clock } = context;
    this.#parts = parts;
    this.#limits = { ...defaultStatusLimits, ...parts.limits };
    this.#queue = new Workqueue({ clock, ...retry });
    this.gathering = new Gathering({
      clock,
      limits: defaultGatheringLimits,
      ready: () => collections.every((one) => context.world.syncedVersion(one) !== undefined),
      expand: (namespace) => this.#budgetsOf(namespace),
      hand: (key) => this.#queue.add(key),
      backlog: () => this.#queue.length,
    });
    // A new listener first gets what is already there: so every budget is reconciled once.
    this.#unsubscribe = [
      views.pdbs.listen({ delta: ({ item }) => this.#changed('PodDisruptionBudget', item.metadata) }),
      views.pubs.listen({ delta: ({ item }) => this.#changed('PodUnavailableBudget', item.metadata) }),
    ];
    this.#planResync();
    this.ended = this.#work(new BudgetLooks(parts, writes, this.#stopping.signal));
  }

  end(): void {
    this.#stopping.abort();
    this.#resync?.cancel();
    for (const stop of this.#unsubscribe) stop();
    this.gathering.stop();
    this.#queue.close();
  }

  async #work(looks: BudgetLooks): Promise<void> {
    const { context, budgetMetrics } = this.#parts;
    const report = (key: string, error: unknown) => context.log.error('reconciling a budget failed', { key, error });
    await runWorkers(this.#queue, this.#limits.workers, (key) => looks.look(key), report);
    budgetMetrics.clear();
  }

  #changed(kind: BudgetRef['kind'], { namespace = '', name }: { readonly namespace?: string; readonly name: string }) {
    this.gathering.key(budgetKey({ kind, namespace, name }));
  }

  *#budgetsOf(namespace: string): Iterable<string> {
    const state = this.#parts.context.world.namespace(namespace);
    for (const { ref } of state?.pdbs.values() ?? []) yield budgetKey(ref);
    for (const { ref } of state?.pubs.values() ?? []) yield budgetKey(ref);
  }

  #planResync(): void {
    const { clock, random, world } = this.#parts.context;
    this.#resync = clock.after(this.#limits.resyncMs * (0.9 + 0.2 * random()), () => {
      for (const { name } of world.namespaces()) this.gathering.namespace(name);
      this.#planResync();
    });
  }
}
