import type { JSX } from 'preact';
import type { PodBudget } from '../../model.ts';
import { budgetRoute, Link } from '../../parts/link.tsx';
import { sentence } from '../../words/sentence.ts';
import { Blockers } from './blockers.tsx';
import { effectText } from './words.ts';

export function PodBudgets({ budgets }: { readonly budgets: readonly PodBudget[] }): JSX.Element {
  return (
    <section class="panel" aria-labelledby="budgets-title">
      <h2 id="budgets-title">Budgets over this pod</h2>
      {budgets.length === 0 ? <p class="dim">None covers it.</p> : null}
      <ul class="reasons">
        {budgets.map(({ key, title, numbers, group, effect, refusal }) => (
          <li key={key}>
            <h3>
              <Link to={budgetRoute(key)}>{title}</Link>
            </h3>
            <p>{numbers}</p>
            {group === undefined ? null : (
              <p>
                {sentence(group)}.
                {effect === undefined ? '' : ` If this pod is disrupted, the group ${effectText(effect)}.`}
              </p>
            )}
            {refusal === undefined ? null : <Blockers blockers={[refusal]} />}
          </li>
        ))}
      </ul>
    </section>
  );
}
