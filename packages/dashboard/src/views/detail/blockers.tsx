import type { JSX } from 'preact';
import type { BlockerNote } from '../../model.ts';
import { BudgetLink } from '../../parts/link.tsx';
import { outlookText } from './words.ts';

export function Blockers({ blockers }: { readonly blockers: readonly BlockerNote[] }): JSX.Element {
  return (
    <ul class="blockers">
      {blockers.map((blocker, index) => (
        <li key={index}>
          <Blocker blocker={blocker} />
        </li>
      ))}
    </ul>
  );
}

function Blocker({ blocker }: { readonly blocker: BlockerNote }): JSX.Element {
  const { code, message, help, outlook, budget } = blocker;
  return (
    <>
      <p>
        {message} <code class="dim">{code}</code>
        {budget === undefined ? null : (
          <>
            {' '}
            <BudgetLink budget={budget} />
          </>
        )}
      </p>
      {help === '' ? null : (
        <p>
          <span class="dim">What would help: </span>
          {help}
        </p>
      )}
      {outlook === '' ? null : <p class="dim">{outlookText(outlook)}</p>}
    </>
  );
}
