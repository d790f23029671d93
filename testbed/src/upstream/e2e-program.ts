import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readReport, type SpecReport } from './report.ts';
import { focusOn } from './spec-names.ts';

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

/** After its own limit it has this long to write its report. */
const graceMs = 60_000;

/** Runs one spec. A process of its own for each, so that one that waits in vain costs its own time and not that of the other specs. */
export async function runSpec(program: E2eProgram, spec: string, { id, minutes }: { id: string; minutes: number }) {
  const report = join(program.folder, `${id}.json`);
  const args = [...runArguments(program, minutes, report), `--ginkgo.focus=${focusOn(spec)}`];
  const { KUBECONFIG: _, ...env } = process.env;
  const log = openSync(join(program.folder, `${id}.log`), 'w');
  const child = spawn(program.path, args, {
    env,
    stdio: ['ignore', log, log],
    ...(program.signal && { signal: program.signal }),
  });
  closeSync(log);
  const kill = setTimeout(() => child.kill('SIGKILL'), minutes * 60_000 + graceMs);
  try {
    await once(child, 'exit');
  } finally {
    clearTimeout(kill);
  }
  const reported = existsSync(report) ? readReport(readFileSync(report, 'utf8')) : [];
  const found = reported.find(({ name }) => name === spec);
  return found ?? ({ name: spec, outcome: 'unfinished' } satisfies SpecReport);
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
    '--ginkgo.no-color',
    `--ginkgo.json-report=${report}`,
  ];
}
