import { useSignal } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { visibleRows } from './visible-rows.ts';

interface VirtualListProps<Row> {
  readonly label: string;
  readonly rows: readonly Row[];
  /** In pixels; all rows have the same. */
  readonly rowHeight: number;
  /** The most that the list takes of the page, in pixels. */
  readonly maxHeight: number;
  readonly rowKey: (row: Row) => string;
  readonly children: (row: Row) => ComponentChildren;
}

/** A list of any length of which only what is seen is in the page. It scrolls by itself, also with the keyboard. */
export function VirtualList<Row>(props: VirtualListProps<Row>): JSX.Element {
  const { label, rows, rowHeight, maxHeight, rowKey, children } = props;
  const box = useRef<HTMLDivElement>(null);
  const top = useSignal(0);
  const height = Math.min(maxHeight, rows.length * rowHeight);
  const { first, end } = visibleRows(rows.length, rowHeight, { top: top.value, height });
  useLayoutEffect(() => {
    // A list that became shorter scrolls back without an event.
    if (box.current !== null) top.value = box.current.scrollTop;
  }, [rows.length, top]);
  const scrolls = rows.length * rowHeight > maxHeight;
  return (
    <section
      ref={box}
      class="virtual-list"
      aria-label={label}
      style={{ height: `${height}px` }}
      // Where it scrolls, the keyboard must be able to reach it.
      {...(scrolls ? { tabIndex: 0 } : {})}
      onScroll={(event) => {
        top.value = event.currentTarget.scrollTop;
      }}
    >
      <ul style={{ height: `${rows.length * rowHeight}px` }}>
        {rows.slice(first, end).map((row, index) => (
          <li
            key={rowKey(row)}
            aria-setsize={rows.length}
            aria-posinset={first + index + 1}
            style={{ height: `${rowHeight}px`, transform: `translateY(${(first + index) * rowHeight}px)` }}
          >
            {children(row)}
          </li>
        ))}
      </ul>
    </section>
  );
}
