import type { Outcome } from './report.ts';
import type { Results } from './results.ts';
import { placeOf, type Selection } from './selection.ts';

const begin = '<!-- upstream-e2e: written by npm run testbed -- upstream-e2e -->';
const end = '<!-- upstream-e2e: end -->';

export interface BothResults {
  readonly embedded: Results;
  readonly real: Results;
}

/** The text of the document with the part between the markers replaced. */
export function withTable(document: string, both: BothResults, selection: Selection): string {
  const from = document.indexOf(begin);
  const to = document.indexOf(end);
  if (from < 0 || to < from) throw new Error(`the document has no markers "${begin}" and "${end}"`);
  return `${document.slice(0, from)}${begin}\n\n${tableOf(both, selection)}\n${document.slice(to)}`;
}

/** Specs are matched by their names. Those that were left out by reason of the selection as it is now do not count. */
export function tableOf(both: BothResults, selection: Selection): string {
  const compared = compare(both, selection);
  return [
    versionsOf(both),
    '',
    '| slice | specs | both pass | the real one alone | the embedded one alone | neither |',
    '|---|---|---|---|---|---|',
    ...selection.slices.map(({ name }) =>
      sliceRow(
        name,
        compared.filter(({ slice }) => slice === name),
      ),
    ),
    sliceRow('**all**', compared),
    '',
    ...listOf('Passed by the real cluster and not by the embedded one', compared.filter(isMissing)),
    ...listOf(
      'Passed by the embedded cluster alone',
      compared.filter(({ embedded, real }) => passes(embedded) && !passes(real)),
    ),
    ...listOf(
      'Passed by neither',
      compared.filter(({ embedded, real }) => !passes(embedded) && !passes(real)),
    ),
  ].join('\n');
}

interface Compared {
  readonly slice: string;
  readonly name: string;
  readonly embedded: Outcome;
  readonly real: Outcome;
}

/** What neither ran, because it looked at the cluster and skipped itself, is no difference. */
function compare({ embedded, real }: BothResults, selection: Selection): Compared[] {
  const embeddedOutcomes = outcomesOf(embedded);
  const realOutcomes = outcomesOf(real);
  const names = new Set([...embeddedOutcomes.keys(), ...realOutcomes.keys()]);
  return [...names].sort().flatMap((name) => {
    const place = placeOf(name, selection);
    const of = (outcomes: ReadonlyMap<string, Outcome>) => outcomes.get(name) ?? 'unfinished';
    const both = { embedded: of(embeddedOutcomes), real: of(realOutcomes) };
    if (place.kind !== 'run' || (both.embedded === 'skipped' && both.real === 'skipped')) return [];
    return [{ slice: place.slice, name, ...both }];
  });
}

function outcomesOf({ specs }: Results): ReadonlyMap<string, Outcome> {
  return new Map(specs.map(({ name, outcome }) => [name, outcome]));
}

function passes(outcome: Outcome): boolean {
  return outcome === 'passed';
}

function isMissing({ embedded, real }: Compared): boolean {
  return passes(real) && !passes(embedded);
}

function versionsOf({ embedded, real }: BothResults): string {
  const differ = embedded.version === real.version ? '' : ` on the embedded cluster, ${real.version} on the real one`;
  return `Specs of Kubernetes ${embedded.version}${differ}.`;
}

function sliceRow(name: string, specs: readonly Compared[]): string {
  const count = (wanted: (spec: Compared) => boolean) => specs.filter(wanted).length;
  const cells = [
    specs.length,
    count(({ embedded, real }) => passes(embedded) && passes(real)),
    count(isMissing),
    count(({ embedded, real }) => passes(embedded) && !passes(real)),
    count(({ embedded, real }) => !passes(embedded) && !passes(real)),
  ];
  return `| ${name} | ${cells.join(' | ')} |`;
}

function listOf(title: string, specs: readonly Compared[]): string[] {
  const lines = specs.length === 0 ? ['None.'] : specs.map(({ name }) => `- ${name}`);
  return [`**${title}**`, '', ...lines, ''];
}
