export interface Viewport {
  /** How far the list is scrolled, and how much of it is seen, in pixels. */
  readonly top: number;
  readonly height: number;
}

export interface VisibleRows {
  readonly first: number;
  /** Not included. */
  readonly end: number;
}

/** A little more than is seen: a fast wheel does not show gaps. */
const margin = 4;

/** Where each row begins, and as the last number where the list ends. */
export function rowOffsets<Row>(rows: readonly Row[], heightOf: (row: Row) => number): readonly number[] {
  const offsets = [0];
  let sum = 0;
  for (const row of rows) {
    sum += heightOf(row);
    offsets.push(sum);
  }
  return offsets;
}

export function visibleRows(offsets: readonly number[], { top, height }: Viewport): VisibleRows {
  const count = offsets.length - 1;
  const first = Math.max(0, rowAt(offsets, top) - margin);
  const end = Math.min(count, rowAt(offsets, top + height) + 1 + margin);
  return { first: Math.min(first, count), end: Math.max(first, end) };
}

/** The last row that begins at or above a place. */
function rowAt(offsets: readonly number[], place: number): number {
  let low = 0;
  let high = Math.max(0, offsets.length - 2);
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((offsets[middle] ?? 0) <= place) low = middle;
    else high = middle - 1;
  }
  return low;
}
