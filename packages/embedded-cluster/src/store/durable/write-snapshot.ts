import { join } from 'node:path';
import type { Stored } from '../store.ts';
import { readNames, segmentName, snapshotName, unfinishedName } from './data-files.ts';
import { encodeEntry, encodePut, formatVersion } from './entries.ts';
import type { FileSystem, LogFile } from './file-system.ts';
import { encodeFrame } from './frames.ts';

/** The state of the whole store at one revision. Taking it is cheap: lists stay as they are when the store moves on. */
export interface Capture {
  readonly revision: number;
  readonly lists: readonly (readonly Stored[])[];
}

export interface SnapshotJob {
  readonly fs: FileSystem;
  readonly directory: string;
  /** Of the segment that begins right after this state. */
  readonly number: number;
  readonly ceiling: number;
  readonly capture: Capture;
  readonly signal: AbortSignal;
}

/** Serialised and written between two turns of the event loop: about a millisecond's work. */
const frameBytes = 256 * 1024;

/**
 * Writes a snapshot, a piece at a time so that no request waits for it, then removes what it stands for. It gets its name
 * only when all of it is on disk, and nothing is removed before the name is: after a crash at any point either the old
 * files are complete or the new ones. Returns its size, or undefined where it was told to stop.
 */
export async function writeSnapshot(job: SnapshotJob): Promise<number | undefined> {
  const { fs, directory } = job;
  const path = join(directory, snapshotName(job.number));
  const draft = unfinishedName(path);
  try {
    const bytes = await writeDraft(job, draft);
    if (bytes === undefined) {
      await fs.remove(draft);
      return undefined;
    }
    await fs.rename(draft, path);
    await fs.syncDirectory(directory);
    await removeOlder(job);
    return bytes;
  } catch (error) {
    await fs.remove(draft).catch(() => undefined);
    throw error;
  }
}

async function writeDraft(job: SnapshotJob, draft: string): Promise<number | undefined> {
  const file = await job.fs.create(draft);
  try {
    const bytes = await writeFrames(job, file);
    if (bytes !== undefined) await file.sync();
    return bytes;
  } finally {
    await file.close();
  }
}

async function writeFrames(job: SnapshotJob, file: LogFile): Promise<number | undefined> {
  let bytes = 0;
  for (const chunks of frames(job)) {
    if (job.signal.aborted) return undefined;
    const frame = encodeFrame(chunks);
    await file.append(frame);
    bytes += frame.length;
  }
  return bytes;
}

function* frames({ number, ceiling, capture }: SnapshotJob): Iterable<readonly Buffer[]> {
  yield [encodeEntry(['snapshot', formatVersion, number, capture.revision, ceiling])];
  let chunks: Buffer[] = [];
  let size = 0;
  let count = 0;
  for (const stored of capture.lists.flat()) {
    const put = encodePut(stored);
    chunks.push(...put);
    size += put.reduce((sum, { length }) => sum + length, 0);
    count += 1;
    if (size < frameBytes) continue;
    yield chunks;
    chunks = [];
    size = 0;
  }
  yield [...chunks, encodeEntry(['end', count])];
}

async function removeOlder({ fs, directory, number }: SnapshotJob): Promise<void> {
  const files = readNames(await fs.names(directory));
  const names = [
    ...files.segments.filter((segment) => segment < number).map(segmentName),
    ...files.snapshots.filter((snapshot) => snapshot < number).map(snapshotName),
  ];
  for (const name of names) await fs.remove(join(directory, name));
}
