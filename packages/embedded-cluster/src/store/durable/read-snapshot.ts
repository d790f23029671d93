import { decodeEntries, type Entry, formatVersion } from './entries.ts';
import { scanFrames } from './frames.ts';
import { RecoveredState } from './recovered-state.ts';

export type SnapshotReading =
  | { readonly ok: true; readonly state: RecoveredState }
  | { readonly ok: false; readonly offset: number; readonly why: string };

/** A snapshot counts only as a whole: it got its name when all of it was on disk. */
export function readSnapshot(file: Buffer, number: number): SnapshotReading {
  const scan = scanFrames(file);
  if (scan.end < file.length) return { ok: false, offset: scan.end, why: 'the checksum does not match' };
  const state = new RecoveredState();
  let count = 0;
  let ended = false;
  for (const frame of scan.frames) {
    for (const entry of decodeEntries(frame.payload) ?? [undefined]) {
      const wrong = ended ? 'something follows its end' : takeEntry(state, entry, { number, count });
      if (wrong !== undefined) return { ok: false, offset: frame.offset, why: wrong };
      if (entry?.is === 'put') count += 1;
      ended = entry?.is === 'end';
    }
  }
  return ended ? { ok: true, state } : { ok: false, offset: scan.end, why: 'its end is missing' };
}

function takeEntry(
  state: RecoveredState,
  entry: Entry | undefined,
  expected: { number: number; count: number },
): string | undefined {
  if (entry?.is === 'snapshot') {
    if (entry.format !== formatVersion) return `format ${entry.format} is not one this version reads`;
    if (entry.number !== expected.number) return `it was written as snapshot ${entry.number}`;
    state.revision = entry.revision;
    state.ceiling = entry.ceiling;
    return undefined;
  }
  if (entry?.is === 'put') {
    state.put(entry);
    return undefined;
  }
  if (entry?.is !== 'end') return 'it holds an entry that does not belong there';
  return entry.count === expected.count ? undefined : `it holds ${expected.count} objects instead of ${entry.count}`;
}
