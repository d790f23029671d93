import { readFileSync, writeFileSync } from 'node:fs';
import { exitCode, Problem } from '../../observe/problem.ts';
import { commandLine } from '../command-line.ts';
import { withSession } from '../live/session.ts';
import { type LoadedObject, objectsIn, readManifestText } from '../load-objects.ts';
import { paintFor } from '../output/paint.ts';
import { structured } from '../output/structured.ts';
import { productVersion } from '../version.ts';
import { pageOf } from './html/page.ts';
import { simulationProgressOn } from './progress.ts';
import { runScenarioRequest } from './run-scenario-request.ts';
import { readScenarioRequest, type ScenarioRequest } from './scenario.ts';
import type { SimulateOptions } from './simulate.ts';
import { isFinished, type SimulationResult } from './simulation-result.ts';
import { readSnapshot } from './snapshot/from-cluster.ts';
import { overlay } from './snapshot/overlay.ts';
import { comparisonText, type RunComparison } from './texts/compare-text.ts';
import { resultText } from './texts/simulate-text.ts';

/** @param words what stands after `--` */
export async function answer(
  files: readonly string[],
  options: SimulateOptions,
  words: readonly string[] | undefined,
): Promise<void> {
  const request = await readScenarioRequest(words);
  const objects = await read(files, options);
  const changes = options.with.flatMap(loaded);
  const asItIs = await runOnce(objects, request, options, changes.length === 0 ? '' : 'as it is: ');
  if (changes.length === 0) return finish([asItIs], options, () => resultText(asItIs, paint()), asItIs);
  const other = overlay(objects, changes);
  const changed = await runOnce(other.objects, request, options, 'changed: ');
  const named = [...other.changed.map((name) => `${name} changed`), ...other.added.map((name) => `${name} added`)];
  const comparison: RunComparison = { asItIs, changed, changes: named };
  finish([asItIs, changed], options, () => compared(comparison), comparison);
}

async function read(files: readonly string[], options: SimulateOptions): Promise<readonly LoadedObject[]> {
  const { fromCluster = false, namespace } = options;
  if (fromCluster === files.length > 0) {
    throw new Problem(
      fromCluster ? 'files and --from-cluster are both named' : 'no snapshot is named',
      'Name files with a snapshot, or --from-cluster: holdfast simulate --help.',
    );
  }
  if (!fromCluster && namespace !== undefined) {
    throw new Problem('-n chooses what is read from a cluster', 'Leave it out, or simulate with --from-cluster.');
  }
  if (!fromCluster) return files.flatMap(loaded);
  const { objects, warnings } = await withSession(options, (session) => readSnapshot(session, namespace));
  for (const warning of warnings) process.stderr.write(`warning: ${warning}\n`);
  return objects;
}

function loaded(file: string): readonly LoadedObject[] {
  const text = file === '-' ? readFileSync(0, 'utf8') : readManifestText(file);
  const found = objectsIn(text, file).map(({ object }) => object);
  if (found.length === 0) throw new Problem(`${file}: there is no object in it`);
  return found;
}

async function runOnce(
  objects: readonly LoadedObject[],
  request: ScenarioRequest,
  options: SimulateOptions,
  title: string,
): Promise<SimulationResult> {
  const progress = simulationProgressOn(process.stderr, title);
  try {
    return await runScenarioRequest(objects, request, {
      seed: options.seed,
      limitMs: options.limit,
      podStartMs: options.podStart,
      podStopMs: options.podStop,
      progress: (elapsedMs) => progress.step(elapsedMs),
      report: reporter(),
    });
  } finally {
    progress.end();
  }
}

/** As many different problems are told; a controller may meet the same one at every attempt. */
const maxProblems = 20;

function reporter(): (problem: string) => void {
  const told = new Set<string>();
  return (problem) => {
    if (told.has(problem) || told.size >= maxProblems) return;
    told.add(problem);
    process.stderr.write(`warning: ${problem}\n`);
  };
}

function compared(comparison: RunComparison): string {
  return `${resultText(comparison.asItIs, paint())}\n${comparisonText(comparison, paint())}`;
}

function paint() {
  return paintFor({ isTTY: process.stdout.isTTY, env: process.env });
}

function finish(
  results: readonly SimulationResult[],
  { output, html }: SimulateOptions,
  text: () => string,
  value: SimulationResult | RunComparison,
): void {
  if (html !== undefined) writePage(html, value);
  process.stdout.write(output === undefined ? text() : structured(value, output));
  if (results.some(({ violations }) => violations.length > 0)) {
    process.stderr.write(
      'error: evictions that were allowed broke a budget: this is a bug in Holdfast, please report it\n',
    );
  }
  if (!results.every(isFinished)) process.exitCode = exitCode.no;
}

function writePage(file: string, shown: SimulationResult | RunComparison): void {
  const command = commandLine(process.argv.slice(2));
  const record = { command, date: `${new Date().toISOString().slice(0, 19)}Z`, version: productVersion };
  try {
    writeFileSync(file, pageOf(shown, record));
    process.stderr.write(`wrote ${file}\n`);
  } catch (error) {
    throw new Problem(`--html ${file} cannot be written: ${error instanceof Error ? error.message : String(error)}`);
  }
}
