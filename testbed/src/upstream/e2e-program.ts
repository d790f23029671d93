import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { readReport, type SpecReport } from './report.ts';
import { focusOn } from './shards.ts';

export interface E2eProgram {
  readonly path: string;
  readonly kubectl: string;
  readonly kubeconfig: string;
  /** Reports and logs go here. */
  readonly folder: string;
  readonly signal?: AbortSignal;
}

/** Names of all specs that there are. */
export async function listSpecs({ path, folder }: Pick<E2eProgram, 'path' | 'folder'>): Promise<string[]> {
  const report = join(folder, 'all.json');
  const child = spawn(path, ['--ginkgo.dry-run', `--ginkgo.json-report=${report}`], { stdio: 'ignore' });
  await once(child, 'exit');
  if (!existsSync(report)) throw new Error('e2e.test does not list its specs');
  return readReport(readFileSync(report, 'utf8')).map(({ name }) => name);
}

export interface Shard {
  readonly name: string;
  readonly specs: readonly string[];
  readonly minutes: number;
  /** A spec has come to its end. */
  readonly onEnd: (passed: boolean) => void;
}

/** After its own limit it has this long to write its report. */
const graceMs = 60_000;

/** Runs specs one after the other. Those that are not in the report did not get their turn. */
export async function runShard(program: E2eProgram, { name, specs, minutes, onEnd }: Shard): Promise<SpecReport[]> {
  const report = join(program.folder, `${name}.json`);
  const args = [...runArguments(program, minutes, report), ...specs.map((spec) => `--ginkgo.focus=${focusOn(spec)}`)];
  const { KUBECONFIG: _, ...env } = process.env;
  const child = spawn(program.path, args, {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
    ...(program.signal && { signal: program.signal }),
  });
  const kill = setTimeout(() => child.kill('SIGKILL'), minutes * 60_000 + graceMs);
  try {
    await Promise.all([heedEnds(child, onEnd), ended(child)]);
  } finally {
    clearTimeout(kill);
  }
  const reported = existsSync(report) ? readReport(readFileSync(report, 'utf8')) : [];
  const byName = new Map(reported.map((spec) => [spec.name, spec]));
  return specs.map((spec) => byName.get(spec) ?? { name: spec, outcome: 'unfinished' });
}

function runArguments({ kubectl, kubeconfig }: E2eProgram, minutes: number, report: string): string[] {
  return [
    `--kubeconfig=${kubeconfig}`,
    `--kubectl-path=${kubectl}`,
    '--provider=skeleton',
    '--allowed-not-ready-nodes=-1',
    '--delete-namespace-on-failure=true',
    '--dump-logs-on-failure=false',
    `--ginkgo.timeout=${minutes}m`,
    '--ginkgo.v',
    '--ginkgo.no-color',
    `--ginkgo.json-report=${report}`,
  ];
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
}

/** Ginkgo writes a line that begins with a bullet when a spec has ended. */
async function heedEnds({ stdout }: ChildProcess, onEnd: (passed: boolean) => void): Promise<void> {
  if (stdout === null) return;
  for await (const line of createInterface({ input: stdout })) {
    if (line.startsWith('•')) onEnd(!/^• \[[A-Z]+\]/.test(line));
  }
}
