import { join } from 'node:path';
import { defaultHistory, MemoryStore, type MemoryStoreOptions } from '../memory-store.ts';
import type { Store } from '../store.ts';
import { segmentName } from './data-files.ts';
import { lockDirectory } from './directory-lock.ts';
import { type FileSystem, realFileSystem } from './file-system.ts';
import { LogWriter } from './log-writer.ts';
import { type Processes, systemProcesses } from './processes.ts';
import { type Recovery, recover } from './recovery.ts';
import { createSegment } from './segment.ts';

export interface DurableStoreOptions extends Pick<MemoryStoreOptions, 'history' | 'freeze'> {
  readonly directory: string;
  /** What an operator should know: what was cut at the start, what fails later. */
  readonly report: (message: string) => void;
  /** The log grows by this much, or by the size of the last snapshot if that is more, before the next snapshot. */
  readonly snapshotEveryBytes?: number;
  /** How far revisions skip ahead after a crash, see `startOf`. */
  readonly ceilingStep?: number;
  readonly fs?: FileSystem;
  readonly processes?: Processes;
}

export interface Recovered {
  readonly revision: number;
  readonly objects: number;
  /** Writes that were replayed on top of the snapshot, if there was one. */
  readonly writes: number;
  readonly segments: number;
  readonly snapshot: number | undefined;
  /** Bytes of a torn last frame: never acknowledged, and cut off. */
  readonly cutBytes: number;
  /** The store was closed in order the last time. */
  readonly clean: boolean;
}

export type Opening =
  | { readonly ok: true; readonly store: Store; readonly recovered: Recovered }
  | { readonly ok: false; readonly reason: 'locked' | 'corrupt' | 'unusable'; readonly message: string };

type Settings = Required<DurableStoreOptions>;
type Whole = Extract<Recovery, { ok: true }>;

const defaults = {
  snapshotEveryBytes: 64 * 1024 * 1024,
  ceilingStep: 100_000,
  freeze: false,
  history: defaultHistory,
  fs: realFileSystem,
  processes: systemProcesses,
};

/** Opens the store of a data directory, which becomes one if it is empty. One process at a time. */
export async function openDurableStore(options: DurableStoreOptions): Promise<Opening> {
  const settings: Settings = { ...defaults, ...options };
  const { directory } = settings;
  try {
    await settings.fs.makeDirectory(directory);
    const lock = await lockDirectory(directory, settings.processes);
    if (!lock.ok) {
      const message = `${directory} is in use by process ${lock.pid}; stop it first, or use another directory`;
      return { ok: false, reason: 'locked', message };
    }
    return await openLocked(settings, lock.release);
  } catch (error) {
    const message = `${directory} cannot be used: ${String(error)}; see to its disk and permissions`;
    return { ok: false, reason: 'unusable', message };
  }
}

async function openLocked(settings: Settings, release: () => Promise<void>): Promise<Opening> {
  let opened = false;
  try {
    const recovery = await recover(settings);
    if (!recovery.ok) return { ok: false, reason: 'corrupt', message: recovery.message };
    const segment = await tidy(settings, recovery);
    const result = await start(settings, { recovery, segment, release });
    opened = true;
    return result;
  } finally {
    if (!opened) await release();
  }
}

/** Cuts the torn end and clears leftovers away. Returns the number for the next segment. */
async function tidy({ fs, directory, report }: Settings, recovery: Whole): Promise<number> {
  for (const { name, why } of recovery.damagedSnapshots) {
    report(`${why}; the state was rebuilt from older files`);
    await fs.rename(join(directory, name), join(directory, `${name}.damaged`));
  }
  for (const name of recovery.leftovers) await fs.remove(join(directory, name));
  const { last } = recovery;
  if (last === undefined) return 1;
  const path = join(directory, segmentName(last.segment));
  if (last.cutBytes > 0) {
    report(`${path} ends within a record, as after a crash: cut ${last.cutBytes} bytes at offset ${last.wholeBytes}`);
  }
  if (last.wholeBytes === 0) {
    // It never began; the next segment takes its place.
    await fs.remove(path);
    return last.segment;
  }
  // Also where nothing is cut: what was read may not have been on disk yet, and a later segment relies on it.
  await fs.settle(path, last.wholeBytes);
  return last.segment + 1;
}

/**
 * The revision to go on from, which must not be below any that was ever seen. After an orderly end it is the last one.
 * After a crash, writes may have been seen that never reached the disk; but none above the ceiling, which is on disk
 * before any revision near it is handed out. One more step on top makes up for a raised ceiling that was in the part
 * that was cut off: between two of them lie thousands of writes.
 */
function startOf(recovery: Whole, ceilingStep: number): { revision: number; clean: boolean } {
  const { state, last } = recovery;
  if (last === undefined) return { revision: 1, clean: true };
  const clean = state.closed && last.cutBytes === 0 && last.wholeBytes > 0;
  return { revision: clean ? state.revision : Math.max(state.revision, state.ceiling) + ceilingStep, clean };
}

async function start(
  settings: Settings,
  { recovery, segment, release }: { recovery: Whole; segment: number; release: () => Promise<void> },
): Promise<Opening> {
  const { fs, directory, report, ceilingStep, snapshotEveryBytes, history, freeze } = settings;
  const { revision, clean } = startOf(recovery, ceilingStep);
  const ceiling = revision + ceilingStep;
  const file = await createSegment(fs, directory, { number: segment, ceiling });
  const capture = () => ({
    revision: store.revision,
    lists: store.resources().map((resource) => store.list(resource)),
  });
  const { logBytes, snapshot, segments, state, last } = recovery;
  const log = new LogWriter({
    ...{ fs, directory, file, segment, revision, ceiling, ceilingStep, logBytes },
    ...{ oldestSegment: segments[0] ?? segment, snapshotEveryBytes, capture, report },
  });
  const journal = {
    admit: (next: number) => log.admit(next),
    append: log.append.bind(log),
    durable: (until: number) => log.durable(until),
    close: () => log.close().finally(release),
  };
  const contents = state.contents();
  const listenerFailed = (error: unknown) => report(`a listener of the store failed: ${String(error)}`);
  const store = new MemoryStore(
    { history, freeze, startRevision: revision, report: listenerFailed },
    contents,
    journal,
  );
  const objects = [...contents.values()].reduce((sum, items) => sum + items.length, 0);
  const cutBytes = last?.cutBytes ?? 0;
  const counts = { objects, writes: state.writes, segments: segments.length, snapshot };
  return { ok: true, store, recovered: { ...counts, revision, cutBytes, clean } };
}
