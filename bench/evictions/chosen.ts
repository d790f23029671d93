import { type CaseKey, kruiseCase, phases } from './cases.ts';

const usual: readonly CaseKey[] = phases.flatMap(({ cases }) => cases.map(({ key }) => key));

/**
 * `HOLDFAST_BENCH_CASES=none,pub-1` measures these alone; without it every case is measured but OpenKruise's, whose program takes
 * minutes to build: `HOLDFAST_BENCH_KRUISE=true` adds it.
 */
export function chosenCases(env: Readonly<Record<string, string | undefined>>): ReadonlySet<CaseKey> {
  const { HOLDFAST_BENCH_CASES: names, HOLDFAST_BENCH_KRUISE: kruise } = env;
  const chosen = names === undefined ? usual : names.split(',').map(caseNamed);
  return new Set([...chosen, ...(kruise === 'true' ? [kruiseCase.key] : [])]);
}

function caseNamed(name: string): CaseKey {
  const all = [...usual, kruiseCase.key];
  const found = all.find((key) => key === name.trim());
  if (found === undefined) throw new Error(`HOLDFAST_BENCH_CASES: no case "${name}"; there are: ${all.join(', ')}`);
  return found;
}

/** Nothing was left out but OpenKruise. */
export function isWhole(chosen: ReadonlySet<CaseKey>): boolean {
  return usual.every((key) => chosen.has(key));
}
