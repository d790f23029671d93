/**
 * Starts the programs of a test bed, and ends them when its standard input ends: when it is told to, and just as well when
 * whoever started it is killed. It leads a process group of its own, which nothing of the test bed can leave behind.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, rmSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Report, Wish } from './keeper.ts';

const [folder] = process.argv.slice(2);
/** Nothing that they keep is needed afterwards. */
const graceMs = 2_000;
const running = new Map<string, ChildProcess>();
let ending = false;

for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => void end());
// Whoever reads the reports may be gone already.
process.stdout.on('error', () => undefined);

const lines = createInterface({ input: process.stdin });
lines.on('line', (line) => start(JSON.parse(line) as Wish));
lines.on('close', () => void end());

function report(message: Report): void {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}

function start({ name, path, args, log, env }: Wish): void {
  const output = openSync(log, 'a', 0o600);
  const child = spawn(path, args, { stdio: ['ignore', output, output], env: { ...process.env, ...env } });
  closeSync(output);
  running.set(name, child);
  const gone = (why: string) => {
    if (!running.delete(name)) return;
    if (!ending) report({ name, ended: why });
  };
  child.once('error', (error) => gone(error.message));
  child.once('exit', (code, signal) => gone(signal ?? `exit code ${code}`));
}

async function end(): Promise<void> {
  if (ending) return;
  ending = true;
  await Promise.all([...running.values()].map(stop));
  if (folder !== undefined && folder !== '') rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  process.exit(0);
}

function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    const kill = setTimeout(() => child.kill('SIGKILL'), graceMs);
    child.once('exit', () => {
      clearTimeout(kill);
      resolve();
    });
    child.kill('SIGTERM');
  });
}
