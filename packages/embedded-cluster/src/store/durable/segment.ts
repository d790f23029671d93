import { join } from 'node:path';
import { segmentName } from './data-files.ts';
import { encodeEntry, formatVersion } from './entries.ts';
import type { FileSystem, LogFile } from './file-system.ts';
import { encodeFrame } from './frames.ts';

/** Begins a segment: its name and its first frame are on disk before anything else is written to it. */
export async function createSegment(
  fs: FileSystem,
  directory: string,
  segment: { readonly number: number; readonly ceiling: number },
): Promise<LogFile> {
  const file = await fs.create(join(directory, segmentName(segment.number)));
  try {
    await file.append(encodeFrame([encodeEntry(['segment', formatVersion, segment.number, segment.ceiling])]));
    await file.sync();
    await fs.syncDirectory(directory);
    return file;
  } catch (error) {
    await file.close().catch(() => undefined);
    throw error;
  }
}
