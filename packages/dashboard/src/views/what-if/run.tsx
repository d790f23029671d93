import type { JSX } from 'preact';
import type { WhatIfRun } from '../../model.ts';
import { Icon } from '../../parts/icon.tsx';
import { Lanes } from '../../parts/lanes.tsx';
import { VirtualList } from '../../parts/virtual-list.tsx';
import { counted } from '../../words/counts.ts';
import { momentText } from '../../words/time.ts';

const rowHeight = () => 26;

interface RunProps {
  readonly title: string;
  readonly run: WhatIfRun;
  /** Both runs of a comparison have the same scale. */
  readonly until: number;
}

export function Run({ title, run, until }: RunProps): JSX.Element {
  const { finished, verdict, facts, alarms, assumptions, lanes, notes, unfinished } = run;
  return (
    <section class="panel run" aria-label={title}>
      <h3>{title}</h3>
      {alarms.map((alarm) => (
        <p key={alarm} class="note blocked">
          <Icon name="blocked" />
          <strong>{alarm}</strong>
        </p>
      ))}
      <p class={`note ${finished && alarms.length === 0 ? 'now' : finished ? 'later' : 'blocked'}`}>
        <Icon name={finished && alarms.length === 0 ? 'now' : finished ? 'warning' : 'blocked'} />
        <span>
          <strong>{verdict}:</strong> {facts}
        </span>
      </p>
      {unfinished.length === 0 ? null : (
        <ul class="reasons">
          {unfinished.slice(0, maxUnfinished).map(({ pod, why }) => (
            <li key={pod}>
              <strong>{pod}</strong>: {why}
            </li>
          ))}
          {unfinished.length > maxUnfinished ? (
            <li class="dim">And {counted(unfinished.length - maxUnfinished, 'more pod')}.</li>
          ) : null}
        </ul>
      )}
      <Lanes
        label={`${title}: ${counted(lanes.length, 'lane')}`}
        lanes={lanes}
        range={{ from: 0, to: until }}
        momentText={momentText}
        tickText={momentText}
      />
      <details>
        <summary>What happened, in {counted(run.events.length, 'line')}</summary>
        <Events run={run} />
      </details>
      <p class="dim">{assumptions}</p>
      {notes.length === 0 ? null : (
        <details>
          <summary>What differs from the cluster</summary>
          <ul class="plain">
            {notes.map((note) => (
              <li key={note}>{note}</li>
            ))}
          </ul>
        </details>
      )}
    </section>
  );
}

/** More of them have the same few reasons. */
const maxUnfinished = 20;

function Events({ run: { events, eventsLeftOut } }: { readonly run: WhatIfRun }): JSX.Element {
  return (
    <>
      <VirtualList
        label={counted(events.length, 'event')}
        rows={events.map((event, index) => ({ ...event, index }))}
        heightOf={rowHeight}
        maxHeight={390}
        rowKey={({ index }) => String(index)}
      >
        {({ at, text }) => (
          <div class="event">
            <span class="dim">{momentText(at)}</span>
            <span class="event-text" title={text}>
              {text}
            </span>
          </div>
        )}
      </VirtualList>
      {eventsLeftOut === 0 ? null : <p class="dim">And {counted(eventsLeftOut, 'more event')}.</p>}
    </>
  );
}
