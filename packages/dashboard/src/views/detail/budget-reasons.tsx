import type { JSX } from 'preact';
import type { BudgetDetail } from '../../model.ts';
import { counted } from '../../words/counts.ts';
import { Blockers } from './blockers.tsx';

/** A long list of pods that are down says no more than its beginning and its length. */
const maxDown = 50;

export function BudgetReasons({ detail: { reasons, down } }: { readonly detail: BudgetDetail }): JSX.Element {
  return (
    <>
      {reasons.length === 0 ? null : (
        <section class="panel" aria-labelledby="reasons-title">
          <h2 id="reasons-title">Why pods cannot be evicted</h2>
          <ul class="reasons">
            {reasons.map(({ pods, example, blocker }) => (
              <li key={`${blocker.code} ${example}`}>
                <p class="dim">
                  {counted(pods, 'pod')}, such as {example}
                </p>
                <Blockers blockers={[blocker]} />
              </li>
            ))}
          </ul>
        </section>
      )}
      {down.length === 0 ? null : (
        <section class="panel" aria-labelledby="down-title">
          <h2 id="down-title">Pods that do not count as up</h2>
          <table>
            <thead>
              <tr>
                <th scope="col">Pod</th>
                <th scope="col">Why</th>
              </tr>
            </thead>
            <tbody>
              {down.slice(0, maxDown).map(({ pod, why }) => (
                <tr key={pod}>
                  <td>{pod}</td>
                  <td>{why}</td>
                </tr>
              ))}
            </tbody>
          </table>
          {down.length > maxDown ? <p class="dim">And {counted(down.length - maxDown, 'more pod')}.</p> : null}
        </section>
      )}
    </>
  );
}
