import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { nodes } from '../../live/store.ts';
import type { NodeTile } from '../../model.ts';
import { FindBox } from '../../parts/find-box.tsx';
import { Icon } from '../../parts/icon.tsx';
import { VirtualList } from '../../parts/virtual-list.tsx';
import { counted } from '../../words/counts.ts';
import { nodeLooks } from '../../words/states.ts';
import { matching } from '../overview/node-rows.ts';
import { change, draft } from './draft.ts';

const rowHeight = () => 30;

const anyState: ReadonlySet<never> = new Set();

export function NodeChoice({ kind }: { readonly kind: 'drain' | 'plan' }): JSX.Element {
  const text = useSignal('');
  const all = nodes.value;
  const shown = useMemo(() => matching(all, { states: anyState, text: text.value }), [all, text.value]);
  const chosen = draft.value.nodes;
  const legend =
    chosen.size > 0
      ? `${counted(chosen.size, 'node')} chosen`
      : kind === 'plan'
        ? 'All nodes, or choose'
        : 'Choose nodes';
  return (
    <fieldset class="choice">
      <legend>{legend}</legend>
      <div class="filters">
        <FindBox text={text} label="Find nodes to choose" hint="Find a node or zone" />
        <button type="button" onClick={() => change({ nodes: new Set([...chosen, ...shown.map(({ key }) => key)]) })}>
          Add {shown.length === all.length ? 'all' : `these ${shown.length}`}
        </button>
        <button type="button" disabled={chosen.size === 0} onClick={() => change({ nodes: new Set() })}>
          Clear
        </button>
      </div>
      <VirtualList label="Nodes to choose" rows={shown} heightOf={rowHeight} maxHeight={240} rowKey={({ key }) => key}>
        {(node) => <Choice node={node} chosen={chosen} />}
      </VirtualList>
    </fieldset>
  );
}

function Choice({ node, chosen }: { readonly node: NodeTile; readonly chosen: ReadonlySet<string> }): JSX.Element {
  const { key, zone, state } = node;
  const toggle = () => {
    const next = new Set(chosen);
    if (!next.delete(key)) next.add(key);
    change({ nodes: next });
  };
  return (
    <label class="choice-row">
      <input type="checkbox" checked={chosen.has(key)} onChange={toggle} />
      <Icon name={nodeLooks[state].icon} />
      <span class="choice-name">{key}</span>
      <span class="dim">
        {zone === '' ? '' : `${zone}, `}
        {nodeLooks[state].words}
      </span>
    </label>
  );
}
