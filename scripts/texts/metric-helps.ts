import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { realClock } from '../../packages/holdfast/src/kube/time/clock.ts';
import { createBudgetMetrics } from '../../packages/holdfast/src/operator/status/budget-metrics.ts';
import type { Metrics, MetricTerms } from '../../packages/holdfast/src/telemetry/metrics.ts';

export interface MetricHelp {
  readonly name: string;
  readonly help: string;
}

/** Metrics are declared in place, with a constant help; those of budgets are computed, and run. */
export function metricHelps(): readonly MetricHelp[] {
  const computed: MetricHelp[] = [];
  createBudgetMetrics(noting(computed), realClock);
  const found = [...sources().flatMap(declaredIn), ...computed];
  return [...new Map(found.map((one) => [one.name, one])).values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

function sources(): readonly string[] {
  return ['packages/holdfast/src/observe', 'packages/holdfast/src/operator', 'packages/holdfast/src/agent']
    .flatMap((room) => readdirSync(room, { recursive: true, encoding: 'utf8' }).map((file) => join(room, file)))
    .filter((file) => file.endsWith('.ts'))
    .sort();
}

const declaration = /\.(?:counter|gauge|histogram)(?:<\w+>)?\(\s*\{([^}]*)\}/g;

function declaredIn(file: string): readonly MetricHelp[] {
  return [...readFileSync(file, 'utf8').matchAll(declaration)].flatMap(([, terms = '']) => {
    const name = /\bname: '([a-z0-9_]+)'/.exec(terms)?.[1];
    const help = /\bhelp:\s*'((?:[^'\\]|\\.)*)'/.exec(terms)?.[1];
    return name === undefined || help === undefined ? [] : [{ name, help }];
  });
}

function noting(found: MetricHelp[]): Metrics {
  const nothing = { add: () => {}, set: () => {}, observe: () => {}, remove: () => {} };
  const note = ({ name, help }: MetricTerms<string>) => {
    found.push({ name, help });
    return nothing;
  };
  return {
    counter: note,
    gauge: note,
    histogram: note,
    beforeRender: () => {},
    contentType: '',
    render: () => Promise.resolve(''),
  };
}
