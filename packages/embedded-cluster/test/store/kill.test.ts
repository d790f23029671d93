import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { createMemoryStore } from '../../src/store/memory-store.ts';
import type { Store } from '../../src/store/store.ts';
import { realClock, sleep } from '../../src/time/clock.ts';
import { seededRandom } from '../../src/time/random.ts';
import { put, storedValue } from './actions.ts';
import { aDirectory, opened, valuesOf } from './support.ts';
import { nextWrite } from './write-plan.ts';

const writer = fileURLToPath(new URL('./killed-writer/run.ts', import.meta.url));
const rounds = 8;
const longestLifeMs = 150;

/** The writer in one file: it is started once for each round, and would load the compiler of the sources each time. */
async function builtWriter(): Promise<string> {
  const outfile = join(await aDirectory(), 'writer.mjs');
  await build({ entryPoints: [writer], outfile, bundle: true, platform: 'node', format: 'esm' });
  return outfile;
}

/** Lets a process write, kills it some time after its first acknowledgement, and tells the last that it gave. */
async function writeAndKill(program: string, directory: string, round: number, lifeMs: number) {
  const child = spawn(process.execPath, [program, directory, String(round)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = new Promise((resolve) => child.once('exit', resolve));
  let [index, revision] = [0, 0];
  let started: (() => void) | undefined;
  const first = new Promise<void>((resolve) => {
    started = resolve;
  });
  const lines = createInterface({ input: child.stdout });
  const read = new Promise((resolve) => lines.once('close', resolve));
  lines.on('line', (line) => {
    [index = 0, revision = 0] = line.split(' ').map(Number);
    started?.();
  });
  await Promise.race([first, exited]);
  await sleep(realClock, lifeMs);
  child.kill('SIGKILL');
  await Promise.all([exited, read]);
  return { index, revision };
}

function copyOf(state: Record<string, unknown>): Store {
  const store = createMemoryStore();
  for (const [name, value] of Object.entries(state)) put(store, 'pods', name.slice('pods '.length), value);
  return store;
}

/** How many writes of the round lead from one state to the other; at least `from`. */
function writesBetween(before: Record<string, unknown>, after: Store, round: number, from: number): number | undefined {
  const model = copyOf(before);
  const expected = JSON.stringify(valuesOf(after));
  // At most one batch of unacknowledged writes may follow the last acknowledgement.
  for (let index = 0; index <= from + 8; index += 1) {
    if (index >= from && JSON.stringify(valuesOf(model)) === expected) return index;
    nextWrite(model, round, index);
  }
  return undefined;
}

describe('a process that is killed while it writes', () => {
  it('loses nothing that was acknowledged, and leaves nothing half done', async () => {
    const program = await builtWriter();
    const directory = await aDirectory();
    const random = seededRandom(1);
    let before: Record<string, unknown> = {};
    let snapshots = 0;
    for (let round = 0; round < rounds; round += 1) {
      const acknowledged = await writeAndKill(program, directory, round, random.next() * longestLifeMs);
      expect(acknowledged.index).toBeGreaterThan(0);
      const { store, recovered } = await opened(directory);
      expect(recovered.clean).toBe(false);
      expect(store.revision).toBeGreaterThan(acknowledged.revision);
      expect(writesBetween(before, store, round, acknowledged.index)).toBeGreaterThanOrEqual(acknowledged.index);
      snapshots += recovered.snapshot === undefined ? 0 : 1;
      before = valuesOf(store);
      for (const stored of store.list('pods')) expect(storedValue(stored)).toMatch(/^\d+\/\d+ x*$/);
      await store.close();
    }
    expect(snapshots).toBeGreaterThan(0);
  });
});
