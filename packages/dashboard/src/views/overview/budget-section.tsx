import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { budgets } from '../../live/store.ts';
import { FindBox } from '../../parts/find-box.tsx';
import { VirtualList } from '../../parts/virtual-list.tsx';
import { counted } from '../../words/counts.ts';
import { budgetOrder, budgetsMatching } from './budget-order.ts';
import { BlockedBudget, BudgetLine } from './budget-rows.tsx';

const rowHeight = () => 52;

/** More cards than this hide what is below them: the rest of what blocks has lines, first in the list. */
const maxCards = 5;
/** A search box over fewer is in the way. */
const searchFrom = 12;

export function BudgetSection(): JSX.Element {
  const text = useSignal('');
  const all = budgets.value;
  const ordered = useMemo(() => budgetOrder(budgetsMatching(all, text.value)), [all, text.value]);
  const blocked = ordered.filter((bar) => bar.blocked !== undefined);
  const cards = blocked.slice(0, maxCards);
  const lines = ordered.slice(cards.length);
  return (
    <section class="panel" aria-labelledby="budgets-title">
      <div class="panel-head">
        <h2 id="budgets-title">Budgets</h2>
        {all.length < searchFrom ? null : (
          <FindBox text={text} label="Find budgets by namespace or name" hint="Find a budget" />
        )}
      </div>
      {all.length === 0 ? <p class="dim">There are no budgets in view: nothing is protected.</p> : null}
      <ul class="cards">
        {cards.map((bar) => (
          <li key={bar.key}>
            <BlockedBudget bar={bar} />
          </li>
        ))}
      </ul>
      {blocked.length > cards.length ? (
        <p class="dim">And {counted(blocked.length - cards.length, 'more budget')} that block:</p>
      ) : null}
      {lines.length === 0 ? null : (
        <VirtualList
          label={counted(lines.length, 'more budget')}
          rows={lines}
          heightOf={rowHeight}
          maxHeight={416}
          rowKey={({ key }) => key}
        >
          {(bar) => <BudgetLine bar={bar} />}
        </VirtualList>
      )}
    </section>
  );
}
