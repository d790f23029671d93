import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { nodes } from '../../live/store.ts';
import { counted } from '../../words/counts.ts';
import { BudgetEditor } from './budget-editor.tsx';
import { change, type Draft, draft } from './draft.ts';
import { jobState, run } from './job.ts';
import { NodeChoice } from './node-choice.tsx';
import { requestOf } from './request.ts';

const kinds: readonly { readonly kind: Draft['kind']; readonly title: string; readonly text: string }[] = [
  { kind: 'drain', title: 'Drain nodes', text: 'the chosen nodes, all at once' },
  { kind: 'plan', title: 'Plan in waves', text: 'the chosen nodes or all, wave after wave' },
  { kind: 'upgrade', title: 'Upgrade all', text: 'every node, a few at a time' },
  { kind: 'zone', title: 'Drain a zone', text: 'all nodes of one zone' },
];

export function Form(): JSX.Element {
  const filled = draft.value;
  const asked = requestOf(filled);
  const state = jobState.value;
  const running = state.kind === 'job' && state.job.state === 'running';
  return (
    <form
      class="panel what-if"
      aria-label="What if"
      onSubmit={(event) => {
        event.preventDefault();
        if (asked.kind === 'request') void run(asked.request);
      }}
    >
      <fieldset class="kinds">
        <legend>What would be done</legend>
        {kinds.map(({ kind, title, text }) => (
          <label key={kind}>
            <input type="radio" name="kind" checked={filled.kind === kind} onChange={() => change({ kind })} />
            <span>
              <strong>{title}</strong>
              <span class="dim">{text}</span>
            </span>
          </label>
        ))}
      </fieldset>
      <div class="pair">
        <div>
          <Where filled={filled} />
          <Times filled={filled} />
        </div>
        <BudgetEditor />
      </div>
      <div class="submit">
        <button type="submit" class="primary" disabled={running || asked.kind === 'incomplete'}>
          {filled.changes.trim() === '' ? 'Simulate' : 'Simulate both and compare'}
        </button>
        <span class="dim">{asked.kind === 'incomplete' ? asked.why : ''}</span>
      </div>
    </form>
  );
}

function Where({ filled }: { readonly filled: Draft }): JSX.Element | null {
  const all = nodes.value;
  const zones = useMemo(() => [...new Set(all.map(({ zone }) => zone))].filter((zone) => zone !== '').sort(), [all]);
  switch (filled.kind) {
    case 'drain':
    case 'plan':
      return <NodeChoice kind={filled.kind} />;
    case 'zone':
      return (
        <label class="field">
          Zone
          <select value={filled.zone} onChange={(event) => change({ zone: event.currentTarget.value })}>
            <option value="">Choose</option>
            {zones.map((zone) => (
              <option key={zone}>{zone}</option>
            ))}
          </select>
        </label>
      );
    case 'upgrade':
      return (
        <label class="field">
          Nodes at once, of {counted(all.length, 'node')} (a number, or a percentage)
          <input
            type="text"
            value={filled.maxUnavailable}
            onInput={(event) => change({ maxUnavailable: event.currentTarget.value })}
          />
        </label>
      );
  }
}

function Times({ filled }: { readonly filled: Draft }): JSX.Element | null {
  if (filled.kind !== 'upgrade' && filled.kind !== 'plan') return null;
  return (
    <label class="field">
      Seconds from drained until the node is back
      <input
        type="number"
        min="0"
        value={filled.nodeSeconds}
        onInput={(event) => change({ nodeSeconds: event.currentTarget.value })}
      />
    </label>
  );
}
