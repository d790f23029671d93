import type { JSX } from 'preact';
import type { UiHead } from '../../model.ts';
import { Icon } from '../../parts/icon.tsx';
import { counted } from '../../words/counts.ts';

/** What a reader must know before relying on the page: what cannot be read, and what is wrong with the operator. */
export function Notes({ head }: { readonly head: UiHead }): JSX.Element {
  const { gaps, remarks, operator } = head;
  const wrong = operator.checks.filter(({ state }) => state !== 'ok');
  return (
    <>
      {gaps.map(({ what, why, follows, hidesEverything }) => (
        <p key={what} class={`note ${hidesEverything ? 'blocked' : 'later'}`}>
          <Icon name={hidesEverything ? 'blocked' : 'warning'} />
          <span>
            <strong>{what}</strong> cannot be read: {why}. {follows}
          </span>
        </p>
      ))}
      <details class="checks" open={operator.state === 'failed'}>
        <summary>
          {wrong.length === 0
            ? `Operator: ${counted(operator.checks.length, 'check')}, all ok`
            : `Operator: ${wrong.length} of ${counted(operator.checks.length, 'check')} not ok`}
          {remarks.length === 0 ? '' : ` · ${counted(remarks.length, 'remark')}`}
        </summary>
        <dl>
          {operator.checks.map(({ check, state, detail }) => (
            <div key={check}>
              <dt>
                <Icon name={checkIcons[state]} />
                {check}
              </dt>
              <dd>
                {state === 'ok' ? '' : `${state}: `}
                {detail}
              </dd>
            </div>
          ))}
        </dl>
        {remarks.map((remark) => (
          <p key={remark} class="dim">
            {remark}
          </p>
        ))}
      </details>
    </>
  );
}

const checkIcons = { ok: 'now', warning: 'warning', failed: 'blocked', unknown: 'unknown' } as const;
