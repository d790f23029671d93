import type { Signal } from '@preact/signals';
import type { NodeRow } from './node-rows.ts';

const moves: Readonly<Record<string, readonly [rows: number, columns: number]>> = {
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
};

/** The tile that an arrow key leads to. Left and right go on in the row before or after; undefined: there is none. */
export function nextTile(rows: readonly NodeRow[], from: string, key: string): string | undefined {
  const move = moves[key];
  if (move === undefined) return undefined;
  const lines = rows.flatMap((row) => (row.kind === 'tiles' ? [row.tiles.map((tile) => tile.key)] : []));
  const line = lines.findIndex((keys) => keys.includes(from));
  const column = lines[line]?.indexOf(from) ?? -1;
  if (line < 0) return lines[0]?.[0];
  const [down, right] = move;
  if (down !== 0) {
    const target = lines[line + down];
    return target?.[Math.min(column, target.length - 1)];
  }
  return lines[line]?.[column + right] ?? (right > 0 ? lines[line + 1]?.[0] : lines[line - 1]?.at(-1));
}

/** One tile of all is a stop of the Tab key; arrows move it. The list has drawn a few rows beyond those that are seen, and scrolls by the focus. */
export function moveTile(event: KeyboardEvent, rows: readonly NodeRow[], active: Signal<string>): void {
  const { target, key } = event;
  if (!(target instanceof HTMLElement) || target.dataset['node'] === undefined) return;
  const next = nextTile(rows, target.dataset['node'], key);
  if (next === undefined) return;
  event.preventDefault();
  active.value = next;
  const list = target.closest('.virtual-list');
  const tiles = [...(list?.querySelectorAll<HTMLElement>('[data-node]') ?? [])];
  tiles.find(({ dataset }) => dataset['node'] === next)?.focus();
}
