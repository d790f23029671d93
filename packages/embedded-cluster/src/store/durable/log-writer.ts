import type { Journal } from '../memory-store.ts';
import { type StoreEvent, StoreUnavailable } from '../store.ts';
import { Durability } from './durability.ts';
import { encodeEntry, encodePut } from './entries.ts';
import type { FileSystem, LogFile } from './file-system.ts';
import { encodeFrame } from './frames.ts';
import { type Batch, PendingEntries } from './pending-entries.ts';
import { createSegment } from './segment.ts';
import { type Capture, writeSnapshot } from './write-snapshot.ts';

export interface LogWriterOptions {
  readonly fs: FileSystem;
  readonly directory: string;
  /** The segment to go on with, open and with its first frame on disk. */
  readonly file: LogFile;
  readonly segment: number;
  /** The first of the segments that the next snapshot will stand for. */
  readonly oldestSegment: number;
  readonly revision: number;
  /** On disk already. */
  readonly ceiling: number;
  /** By how much the ceiling is raised at a time. */
  readonly ceilingStep: number;
  /** Bytes in those segments. */
  readonly logBytes: number;
  readonly snapshotEveryBytes: number;
  capture(): Capture;
  report(message: string): void;
}

/** One frame, one write, one fsync; more waits for the next. */
const batchBytes = 4 * 1024 * 1024;
/** Each start makes a segment, however short; more than this many are replaced by a snapshot. */
const maxSegments = 64;
/** Writes that outrun the disk by this much are refused. */
const maxPendingBytes = 256 * 1024 * 1024;

/**
 * Writes events down. While one batch is on its way to the disk, what comes gathers for the next (group commit).
 *
 * Any error of a write or an fsync ends it: after a failed fsync the system may have dropped the data and call the next
 * one a success, so nothing that follows could be trusted.
 */
export class LogWriter implements Journal {
  readonly #options: LogWriterOptions;
  readonly #pending = new PendingEntries();
  readonly #durability: Durability;
  readonly #stopSnapshot = new AbortController();
  #file: LogFile;
  #segment: number;
  #oldestSegment: number;
  #lastRevision: number;
  /** What the disk says, and what it will say when everything pending is written. */
  #durableCeiling: number;
  #ceiling: number;
  #logBytes: number;
  #snapshotBytes = 0;
  #snapshot: Promise<void> | undefined;
  #running: Promise<void> | undefined;
  #closing: Promise<void> | undefined;

  constructor(options: LogWriterOptions) {
    this.#options = options;
    this.#durability = new Durability(options.revision);
    this.#file = options.file;
    this.#segment = options.segment;
    this.#oldestSegment = options.oldestSegment;
    this.#lastRevision = options.revision;
    this.#durableCeiling = options.ceiling;
    this.#ceiling = options.ceiling;
    this.#logBytes = options.logBytes;
  }

  admit(revision: number): void {
    if (this.#durability.failure !== undefined) throw this.#durability.failure;
    if (this.#closing !== undefined) throw new StoreUnavailable('the store is closed');
    if (revision > this.#durableCeiling || this.#pending.bytes > maxPendingBytes) {
      throw new StoreUnavailable('the disk does not keep up with the writes; try again later');
    }
  }

  append(event: StoreEvent): void {
    const { type, revision, resource, key, stored } = event;
    const removed = type === 'DELETED';
    this.#pending.add(removed ? [encodeEntry(['remove', revision, resource, key])] : encodePut(stored), { revision });
    this.#lastRevision = revision;
    if (revision > this.#ceiling - this.#options.ceilingStep / 2) {
      this.#ceiling = revision + this.#options.ceilingStep;
      this.#pending.add([encodeEntry(['ceiling', this.#ceiling])], { ceiling: this.#ceiling });
    }
    this.#running ??= this.#run();
  }

  durable(revision: number): Promise<void> {
    return this.#durability.wait(revision);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #run(): Promise<void> {
    // Not before the write that called has taken effect: a capture must hold all that was taken from the queue.
    await Promise.resolve();
    try {
      while (this.#pending.length > 0) await this.#flush();
    } catch (error) {
      this.#fail(error);
    }
    this.#running = undefined;
  }

  async #flush(): Promise<void> {
    const due = this.#isSnapshotDue();
    const batch = this.#pending.take(due ? Number.POSITIVE_INFINITY : batchBytes);
    const capture = due ? this.#options.capture() : undefined;
    await this.#write(batch);
    if (capture !== undefined) await this.#rotate(capture);
  }

  async #write(batch: Batch): Promise<void> {
    const frame = encodeFrame(batch.chunks);
    await this.#file.append(frame);
    await this.#file.sync();
    this.#logBytes += frame.length;
    this.#durableCeiling = Math.max(this.#durableCeiling, batch.ceiling);
    this.#durability.reached(batch.revision);
  }

  /** A snapshot costs as much as what it holds, so the log grows to that size before the next. */
  #isSnapshotDue(): boolean {
    if (this.#snapshot !== undefined) return false;
    const { snapshotEveryBytes } = this.#options;
    const isLong = this.#logBytes >= Math.max(snapshotEveryBytes, this.#snapshotBytes);
    return isLong || this.#segment - this.#oldestSegment >= maxSegments;
  }

  async #rotate(capture: Capture): Promise<void> {
    const { fs, directory } = this.#options;
    await this.#file.close();
    this.#segment += 1;
    this.#oldestSegment = this.#segment;
    this.#file = await createSegment(fs, directory, { number: this.#segment, ceiling: this.#ceiling });
    this.#durableCeiling = this.#ceiling;
    this.#logBytes = 0;
    this.#snapshot = this.#takeSnapshot(capture);
  }

  /** The log goes on without it: a snapshot that fails is reported, and tried again when the next is due. */
  async #takeSnapshot(capture: Capture): Promise<void> {
    const { fs, directory, report } = this.#options;
    const job = { fs, directory, capture, number: this.#segment, ceiling: this.#ceiling };
    try {
      const bytes = await writeSnapshot({ ...job, signal: this.#stopSnapshot.signal });
      this.#snapshotBytes = bytes ?? this.#snapshotBytes;
    } catch (error) {
      report(`snapshot ${job.number} in ${directory} was not written: ${String(error)}`);
    }
    this.#snapshot = undefined;
  }

  #fail(error: unknown): void {
    const message = `writing to ${this.#options.directory} failed: ${String(error)}`;
    this.#pending.clear();
    this.#durability.fail(new StoreUnavailable(message, { cause: error }));
    this.#options.report(`${message}; nothing is written any more until the store is opened again`);
  }

  async #close(): Promise<void> {
    this.#stopSnapshot.abort();
    await this.#running;
    await this.#snapshot;
    try {
      if (this.#durability.failure === undefined) await this.#writeEnd();
      await this.#file.close();
    } catch (error) {
      // Everything acknowledged is on disk; only the next start cannot tell that this end was in order.
      this.#options.report(`${this.#options.directory} was not closed in order: ${String(error)}`);
    }
    this.#durability.fail(new StoreUnavailable('the store is closed'));
  }

  async #writeEnd(): Promise<void> {
    await this.#file.append(encodeFrame([encodeEntry(['closed', this.#lastRevision])]));
    await this.#file.sync();
  }
}
