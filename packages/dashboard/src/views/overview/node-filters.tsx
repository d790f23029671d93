import type { Signal } from '@preact/signals';
import type { JSX } from 'preact';
import type { NodeState, NodeTile } from '../../model.ts';
import { FindBox } from '../../parts/find-box.tsx';
import { Icon } from '../../parts/icon.tsx';
import { numberText } from '../../words/counts.ts';
import { nodeLooks, nodeStates } from '../../words/states.ts';
import { countStates } from './node-rows.ts';

interface NodeFiltersProps {
  readonly nodes: readonly NodeTile[];
  readonly states: Signal<ReadonlySet<NodeState>>;
  readonly text: Signal<string>;
}

/** The legend, the numbers and the filter in one. */
export function NodeFilters({ nodes, states, text }: NodeFiltersProps): JSX.Element {
  const counts = countStates(nodes);
  const toggle = (state: NodeState) => {
    const next = new Set(states.value);
    if (!next.delete(state)) next.add(state);
    states.value = next;
  };
  return (
    <div class="filters">
      {nodeStates
        .filter((state) => counts[state] > 0)
        .map((state) => (
          <button
            key={state}
            type="button"
            class={`filter ${nodeLooks[state].tone}`}
            aria-pressed={states.value.has(state)}
            onClick={() => toggle(state)}
          >
            <Icon name={nodeLooks[state].icon} />
            <strong>{numberText(counts[state])}</strong>
            {nodeLooks[state].words}
          </button>
        ))}
      <FindBox text={text} label="Find nodes by name or zone" hint="Find a node" />
    </div>
  );
}
