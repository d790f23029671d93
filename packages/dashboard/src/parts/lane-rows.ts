import type { LaneKind } from '../model.ts';
import { spanText } from '../words/time.ts';

/** A lane of the last hour, or of a simulation: both are drawn the same way, so that one can be laid beside the other. */
export interface Lane {
  readonly kind: LaneKind;
  readonly title: string;
  readonly spans: readonly LaneSpan[];
}

export interface LaneSpan {
  readonly from: number;
  /** Absent: it lasts. */
  readonly to?: number;
  readonly fromStart?: true;
}

export type LaneRow =
  | { readonly kind: 'heading'; readonly title: string; readonly key: string }
  | { readonly kind: 'lane'; readonly lane: Lane; readonly key: string };

const headings: readonly { readonly kind: LaneKind; readonly title: string }[] = [
  { kind: 'nodeDraining', title: 'Nodes being drained' },
  { kind: 'unitDown', title: 'Groups and pods that were down' },
  { kind: 'budgetAtLimit', title: 'Budgets at their limit' },
];

/** By kind, each with its heading; what began first is on top, so that a drain reads as a staircase. */
export function laneRows(lanes: readonly Lane[]): readonly LaneRow[] {
  return headings.flatMap(({ kind, title }): readonly LaneRow[] => {
    const some = lanes.filter((lane) => lane.kind === kind && lane.spans.length > 0);
    if (some.length === 0) return [];
    const ordered = some.toSorted((a, b) => beginOf(a) - beginOf(b));
    return [
      { kind: 'heading', title, key: kind },
      ...ordered.map((lane): LaneRow => ({ kind: 'lane', lane, key: `${kind} ${lane.title}` })),
    ];
  });
}

function beginOf({ spans }: Lane): number {
  return spans[0]?.from ?? 0;
}

const laneWords: Readonly<Record<LaneKind, string>> = {
  nodeDraining: 'draining',
  unitDown: 'down',
  budgetAtLimit: 'at its limit',
};

/** Longer lists of spans are summed up: a reader by ear wants the total, too. */
const maxSpoken = 4;

export function laneText({ kind, spans }: Lane, end: number, momentText: (at: number) => string): string {
  const total = spans.reduce((sum, { from, to = end }) => sum + (to - from), 0);
  const parts = spans.slice(0, maxSpoken).map((span) => spanWords(span, momentText));
  const more = spans.length > maxSpoken ? `, and ${spans.length - maxSpoken} more times` : '';
  return `${laneWords[kind]} ${parts.join(', ')}${more}; ${spanText(total)} in all`;
}

export function spanWords({ from, to, fromStart }: LaneSpan, momentText: (at: number) => string): string {
  const begin = fromStart ? `since before ${momentText(from)}` : `from ${momentText(from)}`;
  return to === undefined ? `${begin}, and it lasts` : `${begin} to ${momentText(to)}`;
}
