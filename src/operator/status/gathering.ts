import type { Clock, Timer } from '../../kube/time/clock.ts';

export interface GatheringLimits {
  /** How long changes are gathered: a thousand pods that flip cost each of their budgets one look. */
  readonly gatherMs: number;
  /** How many keys are handed on at once: looks at many budgets must not keep others of this process waiting. */
  readonly slice: number;
}

export const defaultGatheringLimits: GatheringLimits = { gatherMs: 100, slice: 100 };

interface GatheringParts {
  readonly clock: Clock;
  readonly limits: GatheringLimits;
  /** Until then nothing is handed on, and nothing is lost. */
  readonly ready: () => boolean;
  /** The keys of everything in a namespace. */
  readonly expand: (namespace: string) => Iterable<string>;
  /** Takes a key on. */
  readonly hand: (key: string) => void;
  /** How many of them still wait there. */
  readonly backlog: () => number;
}

/** How soon to try again when those who work on the keys are behind. */
const pauseMs = 1;

/** Gathers keys, each once, and hands them on bit by bit. */
export class Gathering {
  readonly #parts: GatheringParts;
  #keys = new Set<string>();
  #namespaces = new Set<string>();
  readonly #due = new Set<string>();
  #gatherer: Timer | undefined;
  #feeder: Timer | undefined;
  #stopped = false;

  constructor(parts: GatheringParts) {
    this.#parts = parts;
  }

  key(key: string): void {
    this.#keys.add(key);
    this.#gather();
  }

  /** It is looked up later what is in it. */
  namespace(name: string): void {
    this.#namespaces.add(name);
    this.#gather();
  }

  stop(): void {
    this.#stopped = true;
    this.#gatherer?.cancel();
    this.#feeder?.cancel();
  }

  #gather(): void {
    if (this.#stopped) return;
    this.#gatherer ??= this.#parts.clock.after(this.#parts.limits.gatherMs, () => this.#gathered());
  }

  #gathered(): void {
    this.#gatherer = undefined;
    if (!this.#parts.ready()) {
      this.#gather();
      return;
    }
    for (const key of this.#keys) this.#due.add(key);
    for (const name of this.#namespaces) for (const key of this.#parts.expand(name)) this.#due.add(key);
    this.#keys = new Set();
    this.#namespaces = new Set();
    if (this.#feeder === undefined) this.#feed();
  }

  #feed(): void {
    this.#feeder = undefined;
    const { backlog, clock, hand, limits } = this.#parts;
    let room = limits.slice - backlog();
    for (const key of this.#due) {
      if (room <= 0) break;
      room -= 1;
      this.#due.delete(key);
      hand(key);
    }
    if (this.#due.size > 0 && !this.#stopped) this.#feeder = clock.after(pauseMs, () => this.#feed());
  }
}
