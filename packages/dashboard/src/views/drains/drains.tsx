import type { JSX } from 'preact';
import { drains, head } from '../../live/store.ts';
import { PageTitle } from '../../parts/page-title.tsx';
import { counted } from '../../words/counts.ts';
import { DrainCard } from './drain-card.tsx';
import { drainOrder } from './drain-words.ts';
import { LastHour } from './last-hour.tsx';
import { Refusals } from './refusals.tsx';

/** Cards beyond this are a wall; the tiles of the overview show all nodes. */
const maxCards = 40;

export function Drains(): JSX.Element {
  const all = drainOrder(drains.value);
  const going = all.filter(({ state }) => state === 'draining').length;
  const title =
    going === 0
      ? all.length === 0
        ? 'No node is being drained'
        : `No drain is under way, ${counted(all.length, 'node')} drained`
      : `${counted(going, 'node')} being drained`;
  return (
    <>
      <header class="summary">
        <PageTitle title="Drains">{title}</PageTitle>
        <p class="dim">
          Any drain shows here, by holdfast, kubectl or another client: a cordoned node, and the pods that leave it.
        </p>
      </header>
      <div class="columns">
        <div class="column wide">
          <h2 class="spoken">Nodes</h2>
          <ul class="cards">
            {all.slice(0, maxCards).map((drain) => (
              <li key={drain.key}>
                <DrainCard drain={drain} />
              </li>
            ))}
          </ul>
          {all.length > maxCards ? <p class="dim">And {counted(all.length - maxCards, 'more node')}.</p> : null}
          {head.value === undefined ? null : <LastHour recordedSince={head.value.recordedSince} />}
        </div>
        <div class="column">
          <Refusals />
        </div>
      </div>
    </>
  );
}
