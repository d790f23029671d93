import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** Every value of every label must be given: a series that lacks one is another series. */
export type Labels<Name extends string> = Readonly<Record<Name, string>>;

export interface CounterMetric<Name extends string> {
  add(labels: Labels<Name>, by?: number): void;
  /** What it counted is gone for good: if it comes back, it starts at nothing. */
  remove(labels: Labels<Name>): void;
}

export interface GaugeMetric<Name extends string> {
  set(labels: Labels<Name>, value: number): void;
  remove(labels: Labels<Name>): void;
}

export interface HistogramMetric<Name extends string> {
  observe(labels: Labels<Name>, value: number): void;
}

export interface MetricTerms<Name extends string> {
  /** Without the prefix. Counters end in `_total`, and everything that is measured names its unit. */
  readonly name: string;
  readonly help: string;
  readonly labels: readonly Name[];
}

export interface Metrics {
  counter<Name extends string>(terms: MetricTerms<Name>): CounterMetric<Name>;
  gauge<Name extends string>(terms: MetricTerms<Name>): GaugeMetric<Name>;
  histogram<Name extends string>(terms: MetricTerms<Name>, buckets: readonly number[]): HistogramMetric<Name>;
  /** Called before each rendering, for what is not worth measuring more often. */
  beforeRender(update: () => void): void;
  readonly contentType: string;
  /** In Prometheus' text format. */
  render(): Promise<string>;
}

export interface MetricsOptions {
  /** Also what Node knows of its own process: memory, event loop, garbage collection. */
  readonly runtime?: boolean;
}

/** Seconds of what goes over a network; the API server waits for a webhook for 30 at most. */
export const requestBuckets: readonly number[] = [
  0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30,
];

const prefix = 'holdfast_';
const nameSyntax = /^[a-z][a-z0-9_]*$/;

/** A registry of its own: two of them in one process do not meet. */
export function createMetrics(options: MetricsOptions = {}): Metrics {
  const registry = new Registry();
  const updates: (() => void)[] = [];
  if (options.runtime === true) collectDefaultMetrics({ register: registry });
  const common = <Name extends string>(terms: MetricTerms<Name>) => ({
    name: fullName(terms.name),
    help: terms.help,
    labelNames: [...terms.labels],
    registers: [registry],
  });
  return {
    counter(terms) {
      if (!terms.name.endsWith('_total')) throw new Error(`the name of counter ${terms.name} must end in _total`);
      const counter = new Counter(common(terms));
      return {
        add: (labels, by = 1) => counter.inc(labels, by),
        remove: (labels) => counter.remove(labels),
      };
    },
    gauge(terms) {
      const gauge = new Gauge(common(terms));
      return {
        set: (labels, value) => gauge.set(labels, value),
        remove: (labels) => gauge.remove(labels),
      };
    },
    histogram(terms, buckets) {
      const histogram = new Histogram({ ...common(terms), buckets: [...buckets] });
      return { observe: (labels, value) => histogram.observe(labels, value) };
    },
    beforeRender: (update) => void updates.push(update),
    contentType: registry.contentType,
    render: () => {
      for (const update of updates) update();
      return registry.metrics();
    },
  };
}

function fullName(name: string): string {
  if (!nameSyntax.test(name)) throw new Error(`${JSON.stringify(name)} is not the name of a metric`);
  return `${prefix}${name}`;
}
