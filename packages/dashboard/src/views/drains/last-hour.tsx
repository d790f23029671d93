import type { JSX } from 'preact';
import { clock, lanes } from '../../live/store.ts';
import { Lanes } from '../../parts/lanes.tsx';
import { counted } from '../../words/counts.ts';
import { clockText } from '../../words/time.ts';
import { hourRange, tickTextFor } from './hour-range.ts';

export function LastHour({ recordedSince }: { readonly recordedSince: number }): JSX.Element {
  const all = lanes.value;
  const range = hourRange(recordedSince, clock.value);
  return (
    <section class="panel" aria-labelledby="hour-title">
      <h2 id="hour-title">The last hour</h2>
      <p class="dim">Recorded since {clockText(recordedSince)}, when holdfast ui was started or an hour ago.</p>
      {all.length === 0 ? (
        <p>Nothing was down, at its limit or being drained.</p>
      ) : (
        <Lanes
          label={`Timeline with ${counted(all.length, 'lane')}`}
          lanes={all}
          range={range}
          momentText={clockText}
          tickText={tickTextFor(range)}
        />
      )}
    </section>
  );
}
