import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { type Lane, type LaneSpan, laneRows, laneText, spanWords } from './lane-rows.ts';
import { gridOf, labelSide, placeOf, type TimeRange } from './lane-scale.ts';
import { VirtualList } from './virtual-list.tsx';

const rowHeight = () => 26;

interface LanesProps {
  readonly label: string;
  readonly lanes: readonly Lane[];
  readonly range: TimeRange;
  readonly momentText: (at: number) => string;
  /** A shorter form for the axis. */
  readonly tickText: (at: number) => string;
}

/** Time from left to right, a lane for each node, unit and budget to which something happened. */
export function Lanes({ label, lanes, range, momentText, tickText }: LanesProps): JSX.Element {
  const rows = useMemo(() => laneRows(lanes), [lanes]);
  return (
    <div class="lanes">
      <div class="lane axis" aria-hidden="true">
        <span class="lane-name" />
        <div class="lane-track">
          {gridOf(range).map((at) => (
            <span key={at} class={`tick ${labelSide(placeOf(at, range))}`} style={{ left: `${placeOf(at, range)}%` }}>
              {tickText(at)}
            </span>
          ))}
        </div>
      </div>
      <VirtualList label={label} rows={rows} heightOf={rowHeight} maxHeight={520} rowKey={({ key }) => key}>
        {(row) =>
          row.kind === 'heading' ? (
            <h3 class="lane-heading">{row.title}</h3>
          ) : (
            <LaneLine lane={row.lane} range={range} momentText={momentText} />
          )
        }
      </VirtualList>
    </div>
  );
}

interface LaneLineProps {
  readonly lane: Lane;
  readonly range: TimeRange;
  readonly momentText: (at: number) => string;
}

function LaneLine({ lane, range, momentText }: LaneLineProps): JSX.Element {
  return (
    <div class="lane">
      <span class="lane-name" title={lane.title}>
        {lane.title}
      </span>
      <div class="lane-track" role="img" aria-label={laneText(lane, range.to, momentText)}>
        {gridOf(range).map((at) => (
          <div key={at} class="lane-grid" style={{ left: `${placeOf(at, range)}%` }} />
        ))}
        {lane.spans.map((span) => (
          <SpanBar key={span.from} span={span} kind={lane.kind} range={range} momentText={momentText} />
        ))}
      </div>
    </div>
  );
}

interface SpanBarProps {
  readonly span: LaneSpan;
  readonly kind: Lane['kind'];
  readonly range: TimeRange;
  readonly momentText: (at: number) => string;
}

function SpanBar({ span, kind, range, momentText }: SpanBarProps): JSX.Element {
  const left = placeOf(span.from, range);
  const right = placeOf(span.to ?? range.to, range);
  const ends = `${span.fromStart ? ' open-left' : ''}${span.to === undefined ? ' open-right' : ''}`;
  return (
    <div
      class={`span ${kind}${ends}`}
      style={{ left: `${left}%`, width: `max(3px, ${right - left}%)` }}
      title={spanWords(span, momentText)}
    />
  );
}
