import type { Clock, Timer } from '../../kube/time/clock.ts';

export interface GatheringLimits {
  /** How long changes are gathered: a thousand pods that flip cost each of their budgets one look. */
  readonly gatherMs: number;
  /** How many keys are handed on at once: looks at many budgets must not keep others of this process waiting. */
  readonly slice: number;
  /** A namespace rests so long for each key in it before all of them are looked at again: big ones change all the time. */
  readonly restMsPerKey: number;
}

export const defaultGatheringLimits: GatheringLimits = { gatherMs: 100, slice: 100, restMsPerKey: 0.1 };

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
  readonly #namespaces = new Set<string>();
  readonly #due = new Set<string>();
  /** Keys of namespaces: they come after those that were named themselves, which are few and did change. */
  readonly #swept = new Set<string>();
  /** Monotonic: until when big namespaces rest. */
  readonly #resting = new Map<string, number>();
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
    this.#keys = new Set();
    this.#expandAll();
    if (this.#feeder === undefined) this.#feed();
  }

  #expandAll(): void {
    const now = this.#parts.clock.monotonic();
    for (const name of this.#namespaces) {
      if ((this.#resting.get(name) ?? now) > now) continue;
      this.#namespaces.delete(name);
      this.#expand(name, now);
    }
    if (this.#namespaces.size > 0) this.#gather();
  }

  #expand(name: string, now: number): void {
    const { expand, limits } = this.#parts;
    let size = 0;
    for (const key of expand(name)) {
      this.#swept.add(key);
      size += 1;
    }
    const restMs = size * limits.restMsPerKey;
    if (restMs > limits.gatherMs) this.#resting.set(name, now + restMs);
    else this.#resting.delete(name);
  }

  #feed(): void {
    this.#feeder = undefined;
    const { backlog, clock, hand, limits } = this.#parts;
    for (let room = limits.slice - backlog(); room > 0; room -= 1) {
      const key = this.#next();
      if (key === undefined) return;
      hand(key);
    }
    const more = this.#due.size + this.#swept.size > 0;
    if (more && !this.#stopped) this.#feeder = clock.after(pauseMs, () => this.#feed());
  }

  #next(): string | undefined {
    for (const keys of [this.#due, this.#swept]) {
      for (const key of keys) {
        this.#due.delete(key);
        this.#swept.delete(key);
        return key;
      }
    }
    return undefined;
  }
}
