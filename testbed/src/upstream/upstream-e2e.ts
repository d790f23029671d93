import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensurePrograms, type Say, type Surroundings } from '../build.ts';
import { testbedFolder, versionOf } from '../modules.ts';
import { startJudged } from './clusters.ts';
import { withTable } from './document.ts';
import { type E2eProgram, listSpecs, runSpec } from './e2e-program.ts';
import { merged, type Results, readResults, type SliceSpec, saveResults, type Target } from './results.ts';
import { placeOf, readSelection, type Selection, type Slice } from './selection.ts';
import { phasesOf } from './spec-names.ts';

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

export const documentPath = join(testbedFolder, '..', 'docs/reference/embedded-cluster-e2e.md');

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
      results.push(...(await runSlice(aimed, slice, specs, run)));
      signal?.throwIfAborted();
    }
    return results;
  } finally {
    await cluster.stop();
  }
}

/** A sign of life is worth more than every name. */
const progressMs = 20_000;

async function runSlice(program: E2eProgram, slice: Slice, specs: readonly string[], run: Run): Promise<SliceSpec[]> {
  const { selection, options, around } = run;
  const { name, minutes } = slice;
  const begin = Date.now();
  const results: SliceSpec[] = [];
  const tell = () => {
    const passed = results.filter(({ outcome }) => outcome === 'passed').length;
    const seconds = Math.round((Date.now() - begin) / 1000);
    around.say(
      `  ${name}: ${results.length} of ${specs.length}, ${passed} passed (${seconds} s, at most ${minutes} min)`,
    );
  };
  const one = async (spec: string): Promise<void> => {
    if (Date.now() - begin > minutes * 60_000)
      return void results.push({ name: spec, outcome: 'unfinished', slice: name });
    const id = `${name.replace(/\W+/g, '-')}-${specs.indexOf(spec)}`;
    results.push({ ...(await runSpec(program, spec, { id, minutes: selection.specMinutes })), slice: name });
  };
  tell();
  const progress = setInterval(tell, progressMs);
  try {
    const { together, alone } = phasesOf(specs);
    await eachOf(together, options.workers, one);
    await eachOf(alone, 1, one);
    return results;
  } finally {
    clearInterval(progress);
    tell();
  }
}

/** So many at a time: specs wait more than they work, and each has namespaces of its own. */
async function eachOf(specs: readonly string[], workers: number, run: (spec: string) => Promise<void>): Promise<void> {
  const waiting = [...specs];
  const work = async () => {
    for (let spec = waiting.shift(); spec !== undefined; spec = waiting.shift()) await run(spec);
  };
  await Promise.all(Array.from({ length: workers }, work));
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
