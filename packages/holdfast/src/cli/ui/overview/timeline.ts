import { byKeyOf } from '../../../ui/delta.ts';
import type { LaneKind, TimelineLane, TimelineSpan } from '../../../ui/model.ts';

export interface TimelineLimits {
  /** What ended before is forgotten. */
  readonly keepMs: number;
  /** Lanes that are remembered, and lanes that are shown: those with the newest changes. */
  readonly maxLanes: number;
  readonly shownLanes: number;
  readonly maxSpans: number;
}

export const timelineLimits: TimelineLimits = {
  keepMs: 3_600_000,
  maxLanes: 2_000,
  shownLanes: 200,
  maxSpans: 200,
};

interface Lane {
  readonly kind: LaneKind;
  readonly title: string;
  spans: readonly TimelineSpan[];
  shown: TimelineLane;
}

/** What was so, and from when to when, in the last hour. Its memory is bounded, however much happens. */
export class Timeline {
  readonly #limits: TimelineLimits;
  readonly #lanes = new Map<string, Lane>();
  /** What is found before this was so already when the server began to look. */
  #started = false;

  constructor(limits: TimelineLimits = timelineLimits) {
    this.#limits = limits;
  }

  /** The first look is over: what begins from now on, begins now. */
  begin(): void {
    this.#started = true;
  }

  /** Notes that something is so, or is not so, at this time. The same again changes nothing. */
  note(now: number, kind: LaneKind, name: string, title: string, isSo: boolean): void {
    const key = `${kind}/${name}`;
    const lane = this.#lanes.get(key);
    const last = lane?.spans.at(-1);
    const isOpen = last !== undefined && last.to === undefined;
    if (isSo === isOpen) return;
    if (isSo) {
      const span = { from: now, ...(this.#started ? {} : { fromStart: true as const }) };
      const spans = [...(lane?.spans ?? []), span].slice(-this.#limits.maxSpans);
      this.#put(key, { kind, title, spans });
    } else if (lane !== undefined && last !== undefined) {
      this.#put(key, { kind, title: lane.title, spans: [...lane.spans.slice(0, -1), { ...last, to: now }] });
    }
  }

  /** Since when it is so; undefined: it is not. */
  since(kind: LaneKind, name: string): TimelineSpan | undefined {
    const last = this.#lanes.get(`${kind}/${name}`)?.spans.at(-1);
    return last?.to === undefined ? last : undefined;
  }

  /** Of the last hour, by key. What is older is forgotten. */
  lanes(now: number): readonly TimelineLane[] {
    this.#forget(now - this.#limits.keepMs);
    const newest = [...this.#lanes.values()].reverse();
    const open = newest.filter(({ spans }) => spans.at(-1)?.to === undefined);
    const over = newest.filter(({ spans }) => spans.at(-1)?.to !== undefined);
    const shown = [...open, ...over].slice(0, this.#limits.shownLanes).map((lane) => lane.shown);
    return shown.sort(byKeyOf);
  }

  /** A lane with a change moves to the end, so that the first is the one that changed longest ago. */
  #put(key: string, lane: Omit<Lane, 'shown'>): void {
    this.#lanes.delete(key);
    this.#lanes.set(key, { ...lane, shown: { key, ...lane } });
    if (this.#lanes.size <= this.#limits.maxLanes) return;
    for (const [other, { spans }] of this.#lanes) {
      if (spans.at(-1)?.to === undefined) continue;
      this.#lanes.delete(other);
      return;
    }
    // Everything lasts: the longest known is left out.
    for (const other of this.#lanes.keys()) {
      this.#lanes.delete(other);
      return;
    }
  }

  #forget(before: number): void {
    for (const [key, lane] of this.#lanes) {
      const kept = lane.spans.filter(({ to }) => to === undefined || to >= before);
      if (kept.length === lane.spans.length) continue;
      if (kept.length === 0) this.#lanes.delete(key);
      else {
        lane.spans = kept;
        lane.shown = { ...lane.shown, spans: kept };
      }
    }
  }
}
