import type { JSX } from 'preact';
import type { NodeTile } from '../../model.ts';
import { Icon } from '../../parts/icon.tsx';
import { hashOf } from '../../routes.ts';
import { counted, numberText } from '../../words/counts.ts';
import { nodeLooks, nodeStates } from '../../words/states.ts';
import { type NodeRow, tileText } from './node-rows.ts';

export function ZoneRow({ row }: { readonly row: Extract<NodeRow, { kind: 'zone' }> }): JSX.Element {
  const { zone, counts, total } = row;
  const parts = nodeStates.filter((state) => counts[state] > 0);
  const text = `${counted(total, 'node')}: ${parts.map((state) => `${numberText(counts[state])} ${nodeLooks[state].words}`).join(', ')}`;
  return (
    <div class="zone">
      <h3>{zone === '' ? 'no zone' : zone}</h3>
      <span class="dim" title={text}>
        {text}
      </span>
    </div>
  );
}

interface TileRowProps {
  readonly row: Extract<NodeRow, { kind: 'tiles' }>;
  readonly columns: number;
  readonly active: string;
  /** Without its name: one of very many. */
  readonly small: boolean;
}

export function TileRow({ row, columns, active, small }: TileRowProps): JSX.Element {
  return (
    <div class="tiles" style={{ gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))` }}>
      {row.tiles.map((tile) => (
        <Tile key={tile.key} tile={tile} stop={tile.key === active} small={small} />
      ))}
    </div>
  );
}

function Tile({
  tile,
  stop,
  small,
}: {
  readonly tile: NodeTile;
  readonly stop: boolean;
  readonly small: boolean;
}): JSX.Element {
  const { icon, tone, words } = nodeLooks[tile.state];
  const text = `${tileText(tile)}${tile.ready === false ? ', not ready' : ''}`;
  return (
    <a
      class={`tile ${tone}`}
      href={hashOf({ view: 'node', name: tile.key })}
      data-node={tile.key}
      tabIndex={stop ? 0 : -1}
      title={`${tile.key}: ${words}, ${text}`}
    >
      <Icon name={icon} />
      {small ? (
        <span class="spoken">{`${tile.key} ${words}, ${text}`}</span>
      ) : (
        <>
          <span class="tile-name">{tile.key}</span>
          <span class="spoken">{words}</span>
          <span class="tile-text">{text}</span>
        </>
      )}
    </a>
  );
}
