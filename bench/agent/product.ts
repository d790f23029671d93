import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { build } from 'esbuild';
import type { Parts } from '../cluster/parts.ts';
import { freePort } from '../webhook/free-port.ts';
import type { Endpoint } from '../webhook/messages.ts';

/** The other processes of this suite. */
export type AgentParts = Parts<'api' | 'apps' | 'bare'>;

/** What Node makes of the 256Mi that the DaemonSet's container may have. Without a limit it lets garbage lie about for longer. */
export const agentHeap: readonly string[] = ['--max-old-space-size=256', '--max-semi-space-size=1'];

const readyPatienceMs = 120_000;

/** The command `holdfast`, bundled as it is shipped, and the processes that run it. */
export class Product {
  readonly #folder = mkdtempSync(join(tmpdir(), 'holdfast-bench-'));
  readonly #running = new Set<Command>();

  async bundle(): Promise<void> {
    await build({
      entryPoints: ['packages/holdfast/src/cli/main.ts'],
      outfile: this.#program,
      bundle: true,
      platform: 'node',
      target: 'node20.19',
      format: 'esm',
      logLevel: 'warning',
      banner: {
        js: "import { createRequire as __createRequire } from 'node:module';\nconst require = __createRequire(import.meta.url);",
      },
    });
  }

  /** Resolves when it says that it is ready. */
  async start(api: Endpoint, args: readonly string[], heap: readonly string[] = []): Promise<Command> {
    const kubeconfig = join(this.#folder, `kubeconfig-${api.port}`);
    writeFileSync(kubeconfig, kubeconfigOf(api), { mode: 0o600 });
    const port = await freePort();
    const common = ['--kubeconfig', kubeconfig, '--health-port', String(port), '--log-level', 'warn'];
    const { NODE_NAME: _, ...env } = process.env;
    const profile = process.env['HOLDFAST_BENCH_PROFILE'];
    const profiling = profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`];
    const child = spawn(process.execPath, [...profiling, ...heap, this.#program, ...args, ...common], {
      cwd: this.#folder,
      env,
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    const command = new Command(child, port);
    this.#running.add(command);
    await command.ready(readyPatienceMs);
    return command;
  }

  async close(): Promise<void> {
    for (const command of this.#running) await command.stop();
    rmSync(this.#folder, { recursive: true });
  }

  get #program(): string {
    return join(this.#folder, 'holdfast.mjs');
  }
}

/** What a process says of itself at /metrics. */
export interface Footprint {
  readonly cpuSeconds: number;
  readonly rss: number;
  value(name: string): number;
}

export class Command {
  readonly #child: ChildProcess;
  readonly #port: number;
  readonly #ended: Promise<void>;

  constructor(child: ChildProcess, port: number) {
    this.#child = child;
    this.#port = port;
    this.#ended = new Promise((resolve) => child.once('exit', () => resolve()));
  }

  async ready(patienceMs: number): Promise<void> {
    const end = performance.now() + patienceMs;
    let said = 'nothing';
    while (performance.now() < end && this.#child.exitCode === null) {
      const answer = await fetch(`http://127.0.0.1:${this.#port}/readyz`).catch(() => undefined);
      if (answer?.ok === true) return;
      if (answer !== undefined) said = await answer.text();
      await setTimeout(50);
    }
    throw new Error(`holdfast did not become ready; it said: ${said}`);
  }

  async footprint(): Promise<Footprint> {
    const text = await (await fetch(`http://127.0.0.1:${this.#port}/metrics`)).text();
    // The sum over all labels.
    const value = (name: string) => {
      const found = [...text.matchAll(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, 'gm'))];
      if (found.length === 0) throw new Error(`there is no metric ${name}`);
      return found.reduce((sum, [, number]) => sum + Number(number), 0);
    };
    return { cpuSeconds: value('process_cpu_seconds_total'), rss: value('process_resident_memory_bytes'), value };
  }

  async stop(): Promise<void> {
    this.#child.kill('SIGTERM');
    await this.#ended;
  }
}

/** Outside of a cluster, with its webhooks at this port. */
export function operatorArgs(port: number): readonly string[] {
  return ['operator', '--webhook-url', `https://127.0.0.1:${port}`, '--webhook-port', String(port)];
}

function kubeconfigOf({ port, ca }: Endpoint): string {
  const server = `https://127.0.0.1:${port}`;
  const name = 'bench';
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': name,
    contexts: [{ name, context: { cluster: name, user: name } }],
    clusters: [{ name, cluster: { server, 'certificate-authority-data': Buffer.from(ca).toString('base64') } }],
    users: [{ name, user: { token: name } }],
  });
}
