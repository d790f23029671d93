import { join } from 'node:path';
import { type DataFiles, readNames, segmentName, snapshotName } from './data-files.ts';
import { countEntries, decodeEntries } from './entries.ts';
import type { FileSystem } from './file-system.ts';
import { type Scan, scanFrames } from './frames.ts';
import { readSnapshot } from './read-snapshot.ts';
import { RecoveredState } from './recovered-state.ts';

export type Recovery =
  | { readonly ok: false; readonly message: string }
  | {
      readonly ok: true;
      readonly state: RecoveredState;
      /** The snapshot it began with; its segments are those from the same number on. */
      readonly snapshot: number | undefined;
      readonly segments: readonly number[];
      readonly logBytes: number;
      /** The last segment, up to where it is whole. */
      readonly last: { readonly segment: number; readonly wholeBytes: number; readonly cutBytes: number } | undefined;
      /** Files that are not part of the state any more. */
      readonly leftovers: readonly string[];
      /** Snapshots that were passed over because an older one could be used instead. */
      readonly damagedSnapshots: readonly { readonly name: string; readonly why: string }[];
    };

interface Place {
  readonly fs: FileSystem;
  readonly directory: string;
}

interface Base {
  readonly state: RecoveredState;
  readonly snapshot: number | undefined;
  readonly damaged: readonly { readonly name: string; readonly why: string }[];
}

/** Reads the state from a data directory. Changes nothing there. */
export async function recover(place: Place): Promise<Recovery> {
  const files = readNames(await place.fs.names(place.directory));
  const base = await findBase(place, files);
  const first = base.snapshot ?? 1;
  const segments = files.segments.filter((number) => number >= first);
  const gap = missingSegment(files, base, segments);
  if (gap !== undefined) return { ok: false, message: describeGap(place, base, gap) };
  return replay(place, { files, base, segments });
}

/** The newest snapshot that is whole, or nothing: the segments may go back to the beginning. */
async function findBase({ fs, directory }: Place, files: DataFiles): Promise<Base> {
  const damaged: { name: string; why: string }[] = [];
  for (const snapshot of files.snapshots.toReversed()) {
    const name = snapshotName(snapshot);
    const reading = readSnapshot(await fs.read(join(directory, name)), snapshot);
    if (reading.ok) return { state: reading.state, snapshot, damaged };
    damaged.push({ name, why: `${join(directory, name)} is damaged at offset ${reading.offset}: ${reading.why}` });
  }
  return { state: new RecoveredState(), snapshot: undefined, damaged };
}

function missingSegment(files: DataFiles, base: Base, segments: readonly number[]): number | undefined {
  const empty = files.segments.length === 0 && files.snapshots.length === 0;
  if (empty) return undefined;
  const first = base.snapshot ?? 1;
  if (segments.length === 0) return first;
  const at = segments.findIndex((number, index) => number !== first + index);
  return at < 0 ? undefined : first + at;
}

function describeGap({ directory }: Place, base: Base, missing: number): string {
  const [newest] = base.damaged;
  const file = join(directory, segmentName(missing));
  const what =
    newest === undefined ? `${file} is missing` : `${newest.why}, and it cannot be rebuilt because ${file} is gone`;
  return `${what}. Nothing was changed. Restore ${directory} from a copy, or move it away to start with an empty cluster.`;
}

interface Chain {
  readonly files: DataFiles;
  readonly base: Base;
  readonly segments: readonly number[];
}

async function replay(place: Place, { files, base, segments }: Chain): Promise<Recovery> {
  let logBytes = 0;
  let last: { segment: number; wholeBytes: number; cutBytes: number } | undefined;
  for (const segment of segments) {
    const file = await place.fs.read(join(place.directory, segmentName(segment)));
    const scan = scanFrames(file);
    const mayBeTorn = segment === segments.at(-1) && scan.stranded.length === 0;
    if (scan.end < file.length && !mayBeTorn) {
      const bad = { segment, offset: scan.end, why: 'the checksum does not match' };
      return { ok: false, message: await describeDamage(place, segments, bad, scan) };
    }
    const wrong = replaySegment(base.state, scan, segment, segments.at(-1) === segment);
    if (wrong) return { ok: false, message: await describeDamage(place, segments, { segment, ...wrong }, scan) };
    logBytes += scan.end;
    last = { segment, wholeBytes: scan.end, cutBytes: file.length - scan.end };
  }
  const { state, snapshot, damaged } = base;
  const leftovers = leftoversOf(files, snapshot);
  return { ok: true, state, snapshot, segments, logBytes, last, leftovers, damagedSnapshots: damaged };
}

function replaySegment(
  state: RecoveredState,
  scan: Scan,
  segment: number,
  isLast: boolean,
): { offset: number; why: string } | undefined {
  // A crash right after the file was made leaves it without its first frame; nothing came after.
  if (scan.frames.length === 0) return isLast ? undefined : { offset: 0, why: 'it is empty' };
  for (const [index, frame] of scan.frames.entries()) {
    const entries = decodeEntries(frame.payload);
    if (entries === undefined) return { offset: frame.offset, why: 'it holds what this version does not write' };
    if (index === 0 && entries[0]?.is !== 'segment') return { offset: 0, why: 'it does not begin as a segment does' };
    for (const entry of entries) {
      const why = state.take(entry, segment);
      if (why !== undefined) return { offset: frame.offset, why };
    }
  }
  return undefined;
}

function leftoversOf(files: DataFiles, snapshot: number | undefined): string[] {
  const first = snapshot ?? 1;
  return [
    ...files.unfinished,
    ...files.segments.filter((number) => number < first).map(segmentName),
    ...files.snapshots.filter((number) => number < first).map(snapshotName),
  ];
}

/** Says where, and what each way out would cost. */
async function describeDamage(
  { fs, directory }: Place,
  segments: readonly number[],
  bad: { segment: number; offset: number; why: string },
  scan: Scan,
): Promise<string> {
  const file = join(directory, segmentName(bad.segment));
  const later = segments.filter((number) => number > bad.segment).map((number) => join(directory, segmentName(number)));
  const behind = [...scan.frames, ...scan.stranded].filter(({ offset }) => offset >= bad.offset);
  let lost = behind.reduce((sum, { payload }) => sum + countEntries(payload), 0);
  for (const path of later) {
    const { frames, stranded } = scanFrames(await fs.read(path));
    lost += [...frames, ...stranded].reduce((sum, { payload }) => sum + countEntries(payload), 0);
  }
  const cut = [`truncate -s ${bad.offset} ${file}`, ...later.map((path) => `rm ${path}`)].join(' && ');
  return (
    `${file} is damaged at offset ${bad.offset}: ${bad.why}. ` +
    `Nothing was changed. Restore ${directory} from a copy; or move it away to start with an empty cluster; ` +
    `or give up everything from there on (${lost} records that can be read, and those that cannot): ${cut}`
  );
}
