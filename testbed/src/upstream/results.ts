import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { testbedFolder } from '../modules.ts';
import type { SpecReport } from './report.ts';

export type Target = 'embedded' | 'real';

/** What came of all specs on one cluster. Both are kept, so that one can be run again without the other. */
export interface Results {
  /** Of Kubernetes, and of its specs. */
  readonly version: string;
  readonly specs: readonly SliceSpec[];
}

export interface SliceSpec extends SpecReport {
  readonly slice: string;
}

function pathOf(target: Target): string {
  return join(testbedFolder, 'results', `upstream-e2e-${target}.json`);
}

export function readResults(target: Target): Results | undefined {
  const path = pathOf(target);
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Results) : undefined;
}

/** In the order of names, so that a change of the file shows what changed. */
export function saveResults(target: Target, results: Results): void {
  const specs = [...results.specs].sort((a, b) => (a.name < b.name ? -1 : 1));
  const path = pathOf(target);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${JSON.stringify({ ...results, specs }, undefined, 2)}\n`);
}

/** Slices that were not run this time keep what came of them before, as long as the specs are of the same version. */
export function merged(before: Results | undefined, now: Results, slices: readonly string[]): Results {
  if (before === undefined || before.version !== now.version) return now;
  const kept = before.specs.filter(({ slice }) => !slices.includes(slice));
  return { version: now.version, specs: [...kept, ...now.specs] };
}
