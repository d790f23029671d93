import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useMemo, useRef } from 'preact/hooks';
import { nodes } from '../../live/store.ts';
import type { NodeState } from '../../model.ts';
import { useWidth } from '../../parts/use-width.ts';
import { VirtualList } from '../../parts/virtual-list.tsx';
import { counted } from '../../words/counts.ts';
import { NodeFilters } from './node-filters.tsx';
import { matching, type NodeRow, nodeRows } from './node-rows.ts';
import { TileRow, ZoneRow } from './node-tiles.tsx';
import { moveTile } from './tile-keys.ts';

/** With more nodes than this a tile is a square without its name: a map of the fleet, with the filter to find one. */
const maxNamed = 240;
const named: TileSize = { width: 136, heightOf: ({ kind }) => (kind === 'zone' ? 34 : 48) };
const squares: TileSize = { width: 26, heightOf: ({ kind }) => (kind === 'zone' ? 34 : 26) };

interface TileSize {
  readonly width: number;
  readonly heightOf: (row: NodeRow) => number;
}

export function NodeSection(): JSX.Element {
  const box = useRef<HTMLElement>(null);
  const width = useWidth(box);
  const states = useSignal<ReadonlySet<NodeState>>(new Set());
  const text = useSignal('');
  const active = useSignal('');
  const all = nodes.value;
  const shown = useMemo(
    () => matching(all, { states: states.value, text: text.value }),
    [all, states.value, text.value],
  );
  const size = shown.length > maxNamed ? squares : named;
  const columns = Math.max(1, Math.floor(width / size.width));
  const rows = useMemo(() => nodeRows(shown, columns), [shown, columns]);
  const first = rows.find((row) => row.kind === 'tiles')?.tiles[0]?.key ?? '';
  const current = shown.some(({ key }) => key === active.value) ? active.value : first;
  return (
    <section ref={box} class="panel" aria-labelledby="nodes-title">
      <h2 id="nodes-title">Nodes by zone</h2>
      <NodeFilters nodes={all} states={states} text={text} />
      {shown.length === 0 ? (
        <p class="dim">
          {all.length === 0 ? 'No nodes are known.' : `None of ${counted(all.length, 'node')} matches.`}
        </p>
      ) : (
        // biome-ignore lint/a11y/noStaticElementInteractions: arrow keys move between the links inside
        <div onKeyDown={(event) => moveTile(event, rows, active)} class={size === squares ? 'squares' : 'named'}>
          <VirtualList
            label={`${counted(shown.length, 'node')}; arrow keys move between them`}
            rows={rows}
            heightOf={size.heightOf}
            maxHeight={600}
            rowKey={(row) => (row.kind === 'zone' ? `zone ${row.zone}` : `tiles ${row.zone} ${row.first}`)}
          >
            {(row) =>
              row.kind === 'zone' ? (
                <ZoneRow row={row} />
              ) : (
                <TileRow row={row} columns={columns} active={current} small={size === squares} />
              )
            }
          </VirtualList>
        </div>
      )}
    </section>
  );
}
