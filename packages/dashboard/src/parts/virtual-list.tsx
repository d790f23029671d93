import { useSignal } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { rowOffsets, visibleRows } from './visible-rows.ts';

interface VirtualListProps<Row> {
  readonly label: string;
  readonly rows: readonly Row[];
  /** In pixels. The same function in every render, so that places are computed when rows change. */
  readonly heightOf: (row: Row) => number;
  /** The most that the list takes of the page, in pixels. */
  readonly maxHeight: number;
  readonly rowKey: (row: Row) => string;
  readonly children: (row: Row) => ComponentChildren;
}

/** A list of any length of which only what is seen is in the page. It scrolls by itself, also with the keyboard. */
export function VirtualList<Row>(props: VirtualListProps<Row>): JSX.Element {
  const { label, rows, heightOf, maxHeight, rowKey, children } = props;
  const box = useRef<HTMLDivElement>(null);
  const top = useSignal(0);
  const offsets = useMemo(() => rowOffsets(rows, heightOf), [rows, heightOf]);
  const whole = offsets.at(-1) ?? 0;
  const height = Math.min(maxHeight, whole);
  const { first, end } = visibleRows(offsets, { top: top.value, height });
  useLayoutEffect(() => {
    // A list that became shorter scrolls back without an event.
    if (box.current !== null) top.value = box.current.scrollTop;
  }, [whole, top]);
  return (
    <section
      ref={box}
      class="virtual-list"
      aria-label={label}
      style={{ height: `${height}px` }}
      // Where it scrolls, the keyboard must be able to reach it.
      {...(whole > maxHeight ? { tabIndex: 0 } : {})}
      onScroll={(event) => {
        top.value = event.currentTarget.scrollTop;
      }}
    >
      <ul style={{ height: `${whole}px` }}>
        {rows.slice(first, end).map((row, index) => (
          <li
            key={rowKey(row)}
            aria-setsize={rows.length}
            aria-posinset={first + index + 1}
            style={{ height: `${heightOf(row)}px`, top: `${offsets[first + index]}px` }}
          >
            {children(row)}
          </li>
        ))}
      </ul>
    </section>
  );
}
