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
const margin = 6;

export function visibleRows(count: number, rowHeight: number, { top, height }: Viewport): VisibleRows {
  const first = Math.min(count, Math.max(0, Math.floor(top / rowHeight) - margin));
  const end = Math.min(count, Math.ceil((top + height) / rowHeight) + margin);
  return { first, end: Math.max(first, end) };
}
