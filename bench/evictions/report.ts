import { whole } from '../cluster/figures.ts';
import { markdownTable } from '../core/measure.ts';
import { type CaseKey, concurrencies, kruiseCase, phases, sizes } from './cases.ts';
import type { Measured } from './measure.ts';
import type { Results } from './results.ts';
import type { Unprotected } from './unprotected.ts';

/** OpenKruise 1.8.2 on two cores and etcd 3.6, one manager with its default flags, at 32 at once: measured once, not in this run. */
const kruisePerSecond = 34;

/** @param unprotected undefined: not measured, because only some cases were chosen */
export function report(results: Results, unprotected: readonly Unprotected[] | undefined, setting: string): string {
  const parts = [
    setting,
    ...(unprotected === undefined ? ['Only some of the cases were measured.'] : []),
    ...results.troubles.map((trouble) => `**Broke off**, and what is missing has fewer rounds or none: ${trouble}.`),
    `## Against the built-in path\n\n${ratios(results)}`,
    `## Evictions\n\n${figures(results)}`,
    ...(unprotected === undefined ? [] : [`## Unprotected pods\n\n${besides(unprotected)}`]),
  ];
  return `${parts.join('\n\n')}\n`;
}

interface Target {
  readonly what: string;
  /** Without these it cannot be told. */
  readonly of: readonly CaseKey[];
  readonly value: (results: Results, size: number) => number;
  readonly wanted: string;
  readonly isMet: (value: number) => boolean;
}

const atLeast = (least: number) => (value: number) => value >= least;
const atMost = (most: number) => (value: number) => value <= most;

const againstKruise: Target = {
  what: "PUB against OpenKruise's in this run, evictions/s, 32 at once",
  of: ['pub-1', 'kruise'],
  value: (results, size) => results.get('pub-1', size, 32).perSecond / results.get('kruise', size, 32).perSecond,
  wanted: '>= 5',
  isMet: atLeast(5),
};

const againstKruiseBefore: Target = {
  what: `PUB against OpenKruise's ${kruisePerSecond}/s, which were measured once and not in this run, 32 at once`,
  of: ['pub-1'],
  value: (results, size) => results.get('pub-1', size, 32).perSecond / kruisePerSecond,
  wanted: '>= 5',
  isMet: atLeast(5),
};

const targets: readonly Target[] = [
  {
    what: 'PDB over groups against the built-in PDB, evictions/s, 32 at once',
    of: ['groups-1', 'builtin'],
    value: (results, size) => results.get('groups-1', size, 32).perSecond / results.get('builtin', size, 32).perSecond,
    wanted: '>= 5',
    isMet: atLeast(5),
  },
  {
    what: 'PDB over groups against no budget, evictions/s, 32 at once',
    of: ['groups-1', 'none'],
    value: (results, size) => results.get('groups-1', size, 32).perSecond / results.get('none', size, 32).perSecond,
    wanted: '>= 0.5',
    isMet: atLeast(0.5),
  },
  {
    what: 'PDB over groups against the built-in PDB, p99, 32 at once',
    of: ['groups-1', 'builtin'],
    value: (results, size) => results.get('groups-1', size, 32).p99 / results.get('builtin', size, 32).p99,
    wanted: '<= 0.1',
    isMet: atMost(0.1),
  },
  {
    what: 'PDB over groups against no budget, p50, one after another',
    of: ['groups-1', 'none'],
    value: (results, size) => results.get('groups-1', size, 1).p50 / results.get('none', size, 1).p50,
    wanted: '<= 0.33',
    isMet: atMost(1 / 3),
  },
];

function ratios(results: Results): string {
  const known = [...targets, results.has('kruise') ? againstKruise : againstKruiseBefore].filter(({ of }) =>
    of.every((key) => results.has(key)),
  );
  const rows = known.map(({ what, value, wanted, isMet }) => [
    what,
    wanted,
    ...sizes.flatMap((size) => {
      const ratio = value(results, size);
      return Number.isNaN(ratio) ? ['–', '–'] : [ratio.toFixed(2), isMet(ratio) ? 'yes' : '**no**'];
    }),
  ]);
  const head = ['', 'wanted', ...sizes.flatMap((size) => [`${whole(size)} pods`, 'met'])];
  return markdownTable(head, rows);
}

function figures(results: Results): string {
  const cases = [...phases.flatMap((phase) => phase.cases), kruiseCase].filter(({ key }) => results.has(key));
  return sizes
    .map((size) => {
      const rows = concurrencies.flatMap((concurrency) =>
        cases.map(({ key, title }) => [String(concurrency), title, ...cells(results.get(key, size, concurrency))]),
      );
      const head = ['at once', 'protected by', 'evictions/s', 'p50', 'p99', 'writes each', 'refused', 'failed'];
      return `### ${whole(size)} pods under one budget\n\n${markdownTable(head, rows)}`;
    })
    .join('\n\n');
}

function cells({ perSecond, p50, p99, writes, refused, failed }: Measured): string[] {
  if (Number.isNaN(perSecond)) return ['–', '–', '–', '–', '–', '–'];
  return [whole(perSecond), ms(p50), ms(p99), writes.toFixed(2), whole(refused), whole(failed)];
}

function besides(unprotected: readonly Unprotected[]): string {
  const rows = unprotected.map(({ what, without, protectedBy, calls }) => [
    what,
    `${ms(without.p50)} / ${ms(without.p99)}`,
    `${ms(protectedBy.p50)} / ${ms(protectedBy.p99)}`,
    ms(protectedBy.p50 - without.p50),
    ms(protectedBy.p99 - without.p99),
    whole(calls),
  ]);
  const text =
    'In a namespace without anything to protect, one after another, p50 / p99, medians. Wanted: at most 1 ms more at p99, and no call of the webhook at all.';
  const head = ['', 'without Holdfast', 'with it', 'more at p50', 'more at p99', 'calls of the webhook'];
  return `${text}\n\n${markdownTable(head, rows)}`;
}

function ms(value: number): string {
  return `${value.toFixed(value >= 100 ? 0 : 1)} ms`;
}
