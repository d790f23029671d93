/**
 * The files of a data directory. Segments are numbered in the order they were written. Snapshot N holds the state
 * before segment N: it stands for all segments below N.
 */

export interface DataFiles {
  /** Ascending. */
  readonly segments: readonly number[];
  /** Ascending. */
  readonly snapshots: readonly number[];
  /** What a crash left unfinished. */
  readonly unfinished: readonly string[];
}

const digits = 10;
const unfinishedSuffix = '.tmp';

export function segmentName(number: number): string {
  return `segment-${String(number).padStart(digits, '0')}.log`;
}

export function snapshotName(number: number): string {
  return `snapshot-${String(number).padStart(digits, '0')}.snap`;
}

export function unfinishedName(name: string): string {
  return `${name}${unfinishedSuffix}`;
}

export function readNames(names: readonly string[]): DataFiles {
  const numbers = (pattern: RegExp) =>
    names
      .flatMap((name) => pattern.exec(name)?.[1] ?? [])
      .map(Number)
      .sort((left, right) => left - right);
  return {
    segments: numbers(/^segment-(\d{10,})\.log$/),
    snapshots: numbers(/^snapshot-(\d{10,})\.snap$/),
    unfinished: names.filter((name) => /^snapshot-\d{10,}\.snap\.tmp$/.test(name)),
  };
}
