import type { BudgetRef } from '../../core/verdict.ts';
import type { Clock } from '../../kube/time/clock.ts';
import type { CounterMetric, GaugeMetric, Labels, Metrics } from '../../telemetry/metrics.ts';
import { budgetKey } from './budget-key.ts';

/** What one budget shows now. What is not known is absent. */
export interface BudgetSample {
  readonly available?: number;
  readonly desired?: number;
  readonly expected?: number;
  /** A disruption that breaks a unit would be refused. */
  readonly blocked: boolean;
  /** No such disruption is ever allowed while the budget and the scale of its workloads stay. */
  readonly never?: boolean;
}

export interface BudgetMetrics {
  show(budget: BudgetRef, sample: BudgetSample): void;
  /** It is gone, or no longer ours to count. */
  forget(budget: BudgetRef): void;
  /** Of all of them: another replica shows them now. */
  clear(): void;
}

/** Several series each: as many budgets as people look at, and not as many as a cluster may have. */
const defaultMaxBudgets = 1_000;

/** For installations without series for each budget. */
export const noBudgetMetrics: BudgetMetrics = {
  show: () => undefined,
  forget: () => undefined,
  clear: () => undefined,
};

type Name = 'namespace' | 'kind' | 'budget';
const labelNames = ['namespace', 'kind', 'budget'] as const;

interface Series {
  readonly labels: Labels<Name>;
  /** Monotonic: up to then its blocked time was counted. Undefined: it is not blocked. */
  blockedAt: number | undefined;
  /** Monotonic: since when it is blocked without a break, as far as this replica has seen. */
  blockedSince: number | undefined;
}

interface Instruments {
  readonly units: Readonly<Record<'available' | 'desired' | 'expected', GaugeMetric<Name>>>;
  readonly blocked: CounterMetric<Name>;
  readonly blockedFor: GaugeMetric<Name>;
  readonly never: GaugeMetric<Name>;
  readonly leftOut: GaugeMetric<never>;
}

export function createBudgetMetrics(metrics: Metrics, clock: Clock, maxBudgets = defaultMaxBudgets): BudgetMetrics {
  const shown = new BudgetSeries(instrumentsOf(metrics), clock, maxBudgets);
  metrics.beforeRender(() => shown.count());
  return shown;
}

function instrumentsOf(metrics: Metrics): Instruments {
  const gauge = (name: string, help: string) => metrics.gauge<Name>({ name, help, labels: labelNames });
  return {
    units: {
      available: gauge('budget_available_units', 'Units (pods or groups) of the budget that are available.'),
      desired: gauge('budget_desired_units', 'Units that the budget requires to be available.'),
      expected: gauge('budget_expected_units', 'Units that the budget should have.'),
    },
    blocked: metrics.counter<Name>({
      name: 'budget_blocked_seconds_total',
      help: 'Time during which the budget would have refused to let one more unit break.',
      labels: labelNames,
    }),
    blockedFor: gauge(
      'budget_blocked_seconds',
      'For how long the budget has refused without a break to let one more unit break; 0: it would allow it.',
    ),
    never: gauge(
      'budget_never_allows',
      '1 when the budget needs every unit that it can have, so that waiting never helps.',
    ),
    leftOut: metrics.gauge({
      name: 'budgets_left_out',
      help: 'Budgets that have no series of their own, because there are too many.',
      labels: [],
    }),
  };
}

class BudgetSeries implements BudgetMetrics {
  readonly #instruments: Instruments;
  readonly #clock: Clock;
  readonly #max: number;
  readonly #series = new Map<string, Series>();
  readonly #leftOut = new Set<string>();

  constructor(instruments: Instruments, clock: Clock, max: number) {
    this.#instruments = instruments;
    this.#clock = clock;
    this.#max = max;
  }

  show(budget: BudgetRef, sample: BudgetSample): void {
    const series = this.#obtain(budget);
    if (series === undefined) return;
    for (const unit of ['available', 'desired', 'expected'] as const) {
      const value = sample[unit];
      const gauge = this.#instruments.units[unit];
      if (value === undefined) gauge.remove(series.labels);
      else gauge.set(series.labels, value);
    }
    const now = this.#clock.monotonic();
    this.#countBlocked(series, now);
    series.blockedAt = sample.blocked ? now : undefined;
    series.blockedSince = sample.blocked ? (series.blockedSince ?? now) : undefined;
    this.#instruments.never.set(series.labels, sample.never === true ? 1 : 0);
    this.#showBlocked(series, now);
  }

  forget(budget: BudgetRef): void {
    const key = budgetKey(budget);
    this.#leftOut.delete(key);
    const series = this.#series.get(key);
    if (series !== undefined) this.#remove(key, series);
  }

  clear(): void {
    for (const [key, series] of this.#series) this.#remove(key, series);
    this.#leftOut.clear();
  }

  /** Brings up to now what is counted by the second. */
  count(): void {
    const now = this.#clock.monotonic();
    for (const series of this.#series.values()) {
      this.#showBlocked(series, now);
      if (series.blockedAt === undefined) continue;
      this.#countBlocked(series, now);
      series.blockedAt = now;
    }
    this.#instruments.leftOut.set({}, this.#leftOut.size);
  }

  #obtain(budget: BudgetRef): Series | undefined {
    const key = budgetKey(budget);
    const known = this.#series.get(key);
    if (known !== undefined) return known;
    if (this.#series.size >= this.#max) {
      this.#leftOut.add(key);
      return undefined;
    }
    this.#leftOut.delete(key);
    const labels = { namespace: budget.namespace, kind: budget.kind, budget: budget.name };
    const series: Series = { labels, blockedAt: undefined, blockedSince: undefined };
    this.#series.set(key, series);
    return series;
  }

  /** A counter that is there from the beginning shows its first increase. */
  #countBlocked({ labels, blockedAt }: Series, now: number): void {
    this.#instruments.blocked.add(labels, blockedAt === undefined ? 0 : Math.max(0, now - blockedAt) / 1_000);
  }

  #showBlocked({ labels, blockedSince }: Series, now: number): void {
    this.#instruments.blockedFor.set(labels, blockedSince === undefined ? 0 : Math.max(0, now - blockedSince) / 1_000);
  }

  #remove(key: string, { labels }: Series): void {
    this.#series.delete(key);
    for (const gauge of Object.values(this.#instruments.units)) gauge.remove(labels);
    for (const series of [this.#instruments.blocked, this.#instruments.blockedFor, this.#instruments.never])
      series.remove(labels);
  }
}
