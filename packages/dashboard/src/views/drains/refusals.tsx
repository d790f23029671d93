import type { JSX } from 'preact';
import { refusals } from '../../live/store.ts';
import { Ago } from '../../parts/age.tsx';
import { BudgetLink, PodLink } from '../../parts/link.tsx';
import { counted } from '../../words/counts.ts';
import { spanText } from '../../words/time.ts';
import { refusalOrder } from './drain-words.ts';

const maxRows = 30;

export function Refusals(): JSX.Element {
  const all = refusalOrder(refusals.value);
  return (
    <section class="panel" aria-labelledby="refusals-title">
      <h2 id="refusals-title">Refusals by budget</h2>
      {all.length === 0 ? <p class="dim">No eviction was refused lately.</p> : null}
      <ul class="reasons">
        {all.slice(0, maxRows).map(({ key, count, first, last, message, namespace, pod }) => (
          <li key={key}>
            <h3>{key === '-' ? 'Without a budget' : <BudgetLink budget={key} />}</h3>
            <p>
              refused {counted(count, 'time')}
              {count === 1 ? '' : ` in ${spanText(last - first)}`}, last <Ago at={last} />:{' '}
              <PodLink namespace={namespace} name={pod} />
            </p>
            <p class="dim">{message}</p>
          </li>
        ))}
      </ul>
      {all.length > maxRows ? <p class="dim">And {counted(all.length - maxRows, 'more budget')}.</p> : null}
    </section>
  );
}
