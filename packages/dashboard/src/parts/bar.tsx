import type { JSX } from 'preact';
import type { BudgetBar } from '../model.ts';
import { barParts, budgetNumbers } from '../views/overview/budget-order.ts';

/** Available units filled, missing ones hatched, and a line where the budget's need ends. */
export function Bar({ bar }: { readonly bar: BudgetBar }): JSX.Element {
  const { up, missing, needed, pieces } = barParts(bar);
  return (
    <div class={`bar ${bar.blocked === undefined ? 'now' : 'blocked'}`} role="img" aria-label={budgetNumbers(bar)}>
      <div class="bar-part up" style={{ width: `${up}%` }} />
      <div class="bar-part missing" style={{ width: `${missing}%` }} />
      {pieces === undefined || pieces < 2
        ? null
        : Array.from({ length: pieces - 1 }, (_, index) => (
            <div key={index} class="bar-cut" style={{ left: `${((index + 1) / pieces) * 100}%` }} />
          ))}
      {needed === undefined ? null : <div class="bar-need" style={{ left: `${needed}%` }} />}
    </div>
  );
}
