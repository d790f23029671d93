import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Say } from '../build.ts';
import { Keeper } from '../keeper.ts';
import { testbedFolder } from '../modules.ts';
import { startTestbed } from '../start.ts';
import type { Target } from './results.ts';

export interface JudgedCluster {
  readonly kubeconfig: string;
  stop(): Promise<void>;
}

interface Wish {
  readonly folder: string;
  readonly say: Say;
  readonly signal?: AbortSignal;
}

/** Both have as many nodes: some specs count them. */
const nodes = 3;
const startMs = 60_000;

/** Kubernetes alone, on either: no operator, and no controllers of others. */
export async function startJudged(target: Target, wish: Wish): Promise<JudgedCluster> {
  if (target === 'embedded') return startEmbedded(wish);
  const { say, signal } = wish;
  const testbed = await startTestbed({ nodes, addOns: [], say, ...(signal && { signal }) });
  return { kubeconfig: testbed.kubeconfigPath, stop: () => testbed.stop() };
}

/** A process of its own, so that the test that judges it does not take its time. */
async function startEmbedded({ folder, say, signal }: Wish): Promise<JudgedCluster> {
  say('starting the embedded cluster');
  const kubeconfig = join(folder, 'kubeconfig');
  const main = join(testbedFolder, '..', 'packages/holdfast/src/cli/main.ts');
  const options = ['--empty', '--no-operator', '--nodes', String(nodes), '--port', '0', '--kubeconfig', kubeconfig];
  const args = ['--import', 'tsx', main, 'up', ...options];
  const keeper = new Keeper(undefined);
  try {
    keeper.start({ name: 'holdfast', path: process.execPath, args, log: join(folder, 'holdfast.log') });
    const end = Date.now() + startMs;
    while (!existsSync(kubeconfig)) {
      keeper.check();
      signal?.throwIfAborted();
      if (Date.now() > end) throw new Error(`the embedded cluster is not up within ${startMs / 1000} s`);
      await pause(100);
    }
    return { kubeconfig, stop: () => keeper.stop() };
  } catch (error) {
    await keeper.stop();
    throw error;
  }
}
