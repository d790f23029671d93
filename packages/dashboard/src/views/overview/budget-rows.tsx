import type { JSX } from 'preact';
import type { BudgetBar } from '../../model.ts';
import { For } from '../../parts/age.tsx';
import { Bar } from '../../parts/bar.tsx';
import { Icon } from '../../parts/icon.tsx';
import { BudgetLink } from '../../parts/link.tsx';
import { sentence } from '../../words/sentence.ts';
import { budgetNumbers } from './budget-order.ts';

export function BlockedBudget({ bar }: { readonly bar: BudgetBar }): JSX.Element {
  const { blocked } = bar;
  return (
    <article class="card blocked">
      <div class="card-head">
        <Icon name="blocked" />
        <h3>
          <BudgetLink budget={bar.key} />
        </h3>
        {blocked === undefined ? null : (
          <span class="when">
            blocks <For since={blocked.since} atLeast={blocked.sinceStart} />
          </span>
        )}
      </div>
      <Bar bar={bar} />
      <p>{budgetNumbers(bar)}</p>
      {blocked === undefined ? null : (
        <>
          <p class="why">{sentence(blocked.message)}</p>
          {blocked.help === '' ? null : (
            <p>
              <span class="dim">What would help: </span>
              {blocked.help}
            </p>
          )}
        </>
      )}
    </article>
  );
}

export function BudgetLine({ bar }: { readonly bar: BudgetBar }): JSX.Element {
  return (
    <div class="budget-line">
      <div class="budget-name">
        <Icon name={bar.blocked === undefined ? 'now' : 'blocked'} />
        <BudgetLink budget={bar.key} />
      </div>
      <span class="dim budget-numbers">{budgetNumbers(bar)}</span>
      <Bar bar={bar} />
    </div>
  );
}
