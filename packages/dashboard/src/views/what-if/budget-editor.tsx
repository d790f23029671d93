import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { ask, pathOf } from '../../live/ask.ts';
import { budgets } from '../../live/store.ts';
import type { BudgetDetail } from '../../model.ts';
import { change, draft } from './draft.ts';

/** Edits a copy: it is simulated beside what the cluster has. */
export function BudgetEditor(): JSX.Element {
  const problem = useSignal('');
  const load = async (key: string) => {
    if (key === '') return;
    const answer = await ask<BudgetDetail>(pathOf('budgets', ...key.split('/')));
    problem.value = answer.kind === 'problem' ? answer.problem.message : '';
    if (answer.kind === 'answer') change({ changes: answer.value.manifest });
  };
  return (
    <fieldset class="editor">
      <legend>Compare with a changed budget (optional)</legend>
      <div class="filters">
        <select aria-label="Budget to edit" value="" onChange={(event) => load(event.currentTarget.value)}>
          <option value="">Load a budget to edit</option>
          {budgets.value.map(({ key }) => (
            <option key={key} value={key}>
              {key}
            </option>
          ))}
        </select>
        <button type="button" disabled={draft.value.changes === ''} onClick={() => change({ changes: '' })}>
          Clear
        </button>
      </div>
      {problem.value === '' ? null : <p role="alert">{problem.value}</p>}
      <textarea
        aria-label="Changed objects as YAML"
        placeholder="YAML of budgets or other objects, as they would be"
        spellcheck={false}
        rows={11}
        value={draft.value.changes}
        onInput={(event) => change({ changes: event.currentTarget.value })}
      />
    </fieldset>
  );
}
