/**
 * Starts the programs of a test bed, and ends them when its standard input ends: when it is told to, and just as well when
 * the process that started it is killed. It leads a process group of its own, which nothing of the test bed can leave behind.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { createInterface } from 'node:readline';
import type { Report, Wish } from './keeper.ts';

const [folder, forwardedPort = ''] = process.argv.slice(2);
/** The socket that it is handed to forward connections from. */
const forwardedFd = 3;
/** What ends sooner after its start would only end again. */
const crashMs = 5_000;
const restartMs = 500;
/** Nothing that they keep is needed afterwards. */
const graceMs = 2_000;
const running = new Map<string, ChildProcess>();
let ending = false;

for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => void end());
// The process that reads the reports may have ended already.
process.stdout.on('error', () => undefined);

const lines = createInterface({ input: process.stdin });
lines.on('line', (line) => start(JSON.parse(line) as Wish));
lines.on('close', () => void end());

function report(message: Report): void {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}

/** Connections from the network of the process that started this, to a program in the network of this process. */
function forward(port: number): void {
  const server = createServer((near) => {
    const far = connect(port, '127.0.0.1');
    near.on('error', () => far.destroy()).pipe(far);
    far.on('error', () => near.destroy()).pipe(near);
  });
  server.listen({ fd: forwardedFd });
}

if (forwardedPort !== '') forward(Number(forwardedPort));

function start(wish: Wish): void {
  const { name, path, args, log, env } = wish;
  const begin = Date.now();
  const output = openSync(log, 'a', 0o600);
  const child = spawn(path, args, { stdio: ['ignore', output, output], env: { ...process.env, ...env } });
  closeSync(output);
  running.set(name, child);
  if (wish.restarts === true) writeFileSync(log.replace(/\.log$/, '.pid'), String(child.pid));
  const gone = (why: string) => {
    if (!running.delete(name) || ending) return;
    if (wish.restarts === true && Date.now() - begin > crashMs) setTimeout(() => ending || start(wish), restartMs);
    else report({ name, ended: why });
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
