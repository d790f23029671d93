import { mkdtemp, rm, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type DurableStoreOptions, openDurableStore, type Recovered } from '../../src/store/durable/durable-store.ts';
import { type FileSystem, realFileSystem } from '../../src/store/durable/file-system.ts';
import type { Store } from '../../src/store/store.ts';
import { storedValue } from './actions.ts';

/** Everything in the store, as `resource key` → value. */
export function valuesOf(store: Store): Record<string, unknown> {
  const all = store.resources().flatMap((resource) => [...store.list(resource)]);
  return Object.fromEntries(all.map((stored) => [`${stored.resource} ${stored.key}`, storedValue(stored)]));
}

export async function aDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'holdfast-store-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

/** The disk without waiting for it, for tests that open stores by the hundred. */
export const quickFileSystem: FileSystem = {
  ...realFileSystem,
  create: async (path) => ({ ...(await realFileSystem.create(path)), sync: async () => undefined }),
  settle: (path, length) => truncate(path, length),
  syncDirectory: async () => undefined,
};

export async function opened(
  directory: string,
  options: Partial<DurableStoreOptions> = {},
): Promise<{ store: Store; recovered: Recovered; reports: string[] }> {
  const reports: string[] = [];
  const opening = await openDurableStore({ directory, report: (message) => reports.push(message), ...options });
  if (!opening.ok) throw new Error(opening.message);
  return { store: opening.store, recovered: opening.recovered, reports };
}

/** The message of an opening that must not succeed. */
export async function refused(directory: string): Promise<{ reason: string; message: string }> {
  const opening = await openDurableStore({ directory, report: () => undefined, fs: quickFileSystem });
  if (!opening.ok) return opening;
  await opening.store.close();
  throw new Error('it was opened');
}

/** Waits for what happens soon. Gives up after many turns of the event loop rather than wait forever. */
export async function until(done: () => Promise<boolean>): Promise<void> {
  for (let turn = 0; !(await done()); turn += 1) {
    if (turn === 100_000) throw new Error('it did not happen');
    await new Promise((resolve) => setImmediate(resolve));
  }
}
