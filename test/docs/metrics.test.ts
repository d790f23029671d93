import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { realClock } from '../../packages/holdfast/src/kube/time/clock.ts';
import { createBudgetMetrics } from '../../packages/holdfast/src/operator/status/budget-metrics.ts';
import type { Metrics, MetricTerms } from '../../packages/holdfast/src/telemetry/metrics.ts';

/**
 * Metrics are declared all over the sources, some of them by objects that only a running operator has. So the sources are read:
 * a metric that is declared with its name and labels in place cannot be forgotten. The few files that make them up otherwise are
 * named here, and run.
 */
const computed: Readonly<Record<string, (metrics: Metrics) => void>> = {
  'packages/holdfast/src/operator/status/budget-metrics.ts': (metrics) => void createBudgetMetrics(metrics, realClock),
};

interface Declared {
  readonly name: string;
  readonly type: string;
  readonly labels: readonly string[];
}

const declaration = /\.(counter|gauge|histogram)(?:<\w+>)?\(\s*(\{[^}]*\})/g;
const anyDeclaration = /\.(?:counter|gauge|histogram)(?:<\w+>)?\(/g;

/** The metrics that a file declares in place; undefined when it has others, too. */
function readDeclarations(source: string): readonly Declared[] | undefined {
  const found: Declared[] = [];
  for (const [, type = '', terms = ''] of source.matchAll(declaration)) {
    const name = /\bname: '([a-z0-9_]+)'/.exec(terms)?.[1];
    const labels = /\blabels: \[([^\]]*)\]/.exec(terms)?.[1];
    if (name === undefined || labels === undefined) return undefined;
    found.push({ name, type, labels: [...labels.matchAll(/'(\w+)'/g)].map((match) => match[1] as string) });
  }
  return found.length === [...source.matchAll(anyDeclaration)].length ? found : undefined;
}

/** Notes what is declared, and measures nothing. */
function notingMetrics(declared: Declared[]): Metrics {
  const nothing = { add: () => {}, set: () => {}, observe: () => {}, remove: () => {} };
  const note = (type: string, { name, labels }: MetricTerms<string>) => {
    declared.push({ name, type, labels });
    return nothing;
  };
  return {
    counter: (terms) => note('counter', terms),
    gauge: (terms) => note('gauge', terms),
    histogram: (terms) => note('histogram', terms),
    beforeRender: () => {},
    contentType: '',
    render: () => Promise.resolve(''),
  };
}

function declaredIn(file: string): readonly Declared[] {
  const run = computed[file];
  if (run === undefined) {
    const read = readDeclarations(readFileSync(file, 'utf8'));
    if (read === undefined) throw new Error(`${file} declares metrics that cannot be read: add it to the list above`);
    return read;
  }
  const declared: Declared[] = [];
  run(notingMetrics(declared));
  return declared;
}

const sources = readdirSync('packages/holdfast/src', { recursive: true, encoding: 'utf8' })
  .map((file) => join('packages/holdfast/src', file))
  .filter((file) => file.endsWith('.ts') && !file.startsWith('packages/holdfast/src/telemetry'))
  .filter((file) => readFileSync(file, 'utf8').search(anyDeclaration) >= 0);

const inShort = ({ name, type, labels }: Declared) => `holdfast_${name} ${type} ${labels.join(',')}`;

const rows = [
  ...readFileSync('docs/reference/metrics.md', 'utf8').matchAll(/^\| `(\w+)` \| (\w+) \| ([^|]*) \| ([^|]+) \|$/gm),
];

it('docs/reference/metrics.md lists exactly the metrics that the code declares, with their types and labels', () => {
  const documented = rows.map(([, name, type, labels = '']) => {
    return `${name} ${type} ${[...labels.matchAll(/`(\w+)`/g)].map((match) => match[1]).join(',')}`;
  });
  const declared = sources.flatMap(declaredIn).map(inShort);
  expect(declared.length).toBeGreaterThan(20);
  expect(documented.sort()).toEqual([...declared].sort());
});

it('no two metrics have one name', () => {
  const names = sources.flatMap(declaredIn).map(({ name }) => name);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});

it('the reader of declarations knows what it cannot read', () => {
  const one = `m.counter({ name: 'a_total', help: 'h', labels: ['x', 'y'] });`;
  expect(readDeclarations(one)).toEqual([{ name: 'a_total', type: 'counter', labels: ['x', 'y'] }]);
  const wrapped = `m.histogram(\n  {\n    name: 'b_seconds',\n    help: 'h',\n    labels: [],\n  },\n  buckets)`;
  expect(readDeclarations(wrapped)).toEqual([{ name: 'b_seconds', type: 'histogram', labels: [] }]);
  for (const other of ['m.gauge(terms)', `m.gauge<Name>({ name, help, labels: [] })`]) {
    expect(readDeclarations(`${one}\n${other}`)).toBeUndefined();
  }
});
