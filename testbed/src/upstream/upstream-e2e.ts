import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensurePrograms, type Say, type Surroundings } from '../build.ts';
import { testbedFolder, versionOf } from '../modules.ts';
import { startJudged } from './clusters.ts';
import { withTable } from './document.ts';
import { type E2eProgram, listSpecs, runShard } from './e2e-program.ts';
import type { SpecReport } from './report.ts';
import { merged, type Results, readResults, type SliceSpec, saveResults, type Target } from './results.ts';
import { placeOf, readSelection, type Selection, type Slice } from './selection.ts';
import { phasesOf } from './shards.ts';

export interface UpstreamOptions {
  readonly targets: readonly Target[];
  /** Names of slices; none: all of them. */
  readonly slices: readonly string[];
  /** How many specs run beside each other. */
  readonly workers: number;
  /** Only specs whose name has this in it; nothing is kept of such a run. */
  readonly only?: string;
  /** Leave reports and logs behind. */
  readonly keep: boolean;
}

export const documentPath = join(testbedFolder, '..', 'docs/embedded-cluster-e2e.md');

/** Runs Kubernetes' own end-to-end tests, keeps what came of them, and writes the table. */
export async function upstreamE2e(options: UpstreamOptions, around: Surroundings): Promise<void> {
  const selection = readSelection();
  const slices = chosenSlices(selection, options.slices);
  const programs = await ensurePrograms(['kubectl', 'e2e'], around);
  for (const target of options.targets) {
    const folder = mkdtempSync(join(tmpdir(), `holdfast-e2e-${target}-`));
    try {
      const program = { path: programs.e2e, kubectl: programs.kubectl, folder };
      const specs = await runOn(target, program, { slices, selection, options, around });
      sumUp(target, specs, around.say);
      if (options.only === undefined) keepResults(target, { version: versionOf('e2e', around.env), specs }, slices);
    } finally {
      if (options.keep) around.say(`reports and logs: ${folder}`);
      else rmSync(folder, { recursive: true, force: true });
    }
  }
  if (options.only === undefined) writeTable(selection, around.say);
}

function chosenSlices({ slices }: Selection, wanted: readonly string[]): readonly Slice[] {
  const unknown = wanted.filter((name) => !slices.some((slice) => slice.name === name));
  if (unknown.length > 0) {
    throw new Error(`no such slice: ${unknown.join(', ')}; there are: ${slices.map(({ name }) => name).join(', ')}`);
  }
  return wanted.length === 0 ? slices : slices.filter(({ name }) => wanted.includes(name));
}

interface Run {
  readonly slices: readonly Slice[];
  readonly selection: Selection;
  readonly options: UpstreamOptions;
  readonly around: Surroundings;
}

async function runOn(target: Target, program: Omit<E2eProgram, 'kubeconfig'>, run: Run): Promise<SliceSpec[]> {
  const { slices, selection, options, around } = run;
  const { say, signal } = around;
  const names = (await listSpecs(program)).filter((name) => name.includes(options.only ?? ''));
  const cluster = await startJudged(target, { folder: program.folder, say, ...(signal && { signal }) });
  try {
    const results: SliceSpec[] = [];
    for (const slice of slices) {
      const specs = names.filter((name) => {
        const place = placeOf(name, selection);
        return place.kind === 'run' && place.slice === slice.name;
      });
      const aimed = { ...program, kubeconfig: cluster.kubeconfig, ...(signal && { signal }) };
      results.push(...(await runSlice(aimed, slice, specs, options.workers, say)));
      signal?.throwIfAborted();
    }
    return results;
  } finally {
    await cluster.stop();
  }
}

/** A sign of life is worth more than every name. */
const progressMs = 20_000;

async function runSlice(
  program: E2eProgram,
  { name, minutes }: Slice,
  specs: readonly string[],
  workers: number,
  say: Say,
): Promise<SliceSpec[]> {
  const begin = Date.now();
  let done = 0;
  let failed = 0;
  const onEnd = (passed: boolean) => {
    done += 1;
    if (!passed) failed += 1;
  };
  const tell = () => {
    const seconds = Math.round((Date.now() - begin) / 1000);
    say(`  ${name}: ${done} of ${specs.length}, ${failed} failed or skipped (${seconds} s, at most ${minutes} min)`);
  };
  tell();
  const progress = setInterval(tell, progressMs);
  try {
    const reports: SpecReport[] = [];
    for (const [phase, shards] of phasesOf(specs, workers).entries()) {
      const running = shards.map((of, index) => {
        const shard = `${name.replace(/\W+/g, '-')}-${phase}-${index}`;
        return runShard(program, { name: shard, specs: of, minutes, onEnd });
      });
      reports.push(...(await Promise.all(running)).flat());
    }
    return reports.map((spec) => ({ ...spec, slice: name }));
  } finally {
    clearInterval(progress);
    tell();
  }
}

function sumUp(target: Target, specs: readonly SliceSpec[], say: Say): void {
  for (const { name, outcome, message = '' } of specs) {
    if (outcome !== 'passed') say(`${outcome}: ${name}\n    ${message}`);
  }
  const passed = specs.filter(({ outcome }) => outcome === 'passed').length;
  say(`${target}: ${passed} of ${specs.length} passed`);
}

function keepResults(target: Target, now: Results, slices: readonly Slice[]): void {
  const names = slices.map(({ name }) => name);
  saveResults(target, merged(readResults(target), now, names));
}

function writeTable(selection: Selection, say: Say): void {
  const embedded = readResults('embedded');
  const real = readResults('real');
  if (embedded === undefined || real === undefined) {
    say('the table needs both clusters: npm run testbed -- upstream-e2e');
    return;
  }
  writeFileSync(documentPath, withTable(readFileSync(documentPath, 'utf8'), { embedded, real }, selection));
  say(`written: ${documentPath}`);
}
