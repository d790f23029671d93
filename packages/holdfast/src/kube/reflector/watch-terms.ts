import type { Query } from '../client/client.ts';
import type { Random } from '../time/random.ts';
import type { WatchProof } from '../transport/wire.ts';

/** API servers mean to send a bookmark every minute, and leave one out, as 1.37 does for collections in which nothing has happened yet. */
const defaultStallMs = 130_000;
const defaultInitialStallMs = 15_000;
/** For a server to begin a watch that goes on from where another ended. */
const resumeMs = 5_000;
const watchSeconds = 300;
/** Where only the end of a watch shows that it was alive: at least so long, and a quarter more at the most. */
const renewSeconds = 8;
/** For the end of such a watch to arrive. */
const endGraceMs = 2_000;

export interface StallLimits {
  /** Longest silence of a watch, bookmarks included; then everything is read again, which shows that the view is current. */
  readonly stallMs?: number;
  /** Longest silence before the state is complete. */
  readonly initialStallMs?: number;
}

/** What one watch is asked to be, and how long it may say nothing. */
export class WatchTerms {
  readonly #limits: StallLimits;
  readonly #resourceVersion: string | undefined;
  readonly #chance: number;
  timeoutSeconds = watchSeconds;

  /** @param resourceVersion where to go on from; undefined: the state comes first, as events */
  constructor(limits: StallLimits, resourceVersion: string | undefined, random: Random) {
    this.#limits = limits;
    this.#resourceVersion = resourceVersion;
    this.#chance = random();
  }

  /** For its first byte. */
  get deadlineMs(): number {
    const { initialStallMs = defaultInitialStallMs } = this.#limits;
    return this.#resourceVersion === undefined ? initialStallMs : Math.min(resumeMs, initialStallMs);
  }

  queryFor(proof: WatchProof['kind']): Query {
    const goesOn = this.#resourceVersion !== undefined;
    const renewed = proof === 'renewed' && goesOn;
    const seconds = renewed ? renewSeconds * (1 + this.#chance / 4) : watchSeconds * (1 + this.#chance);
    this.timeoutSeconds = Math.round(seconds);
    const query = { watch: true, allowWatchBookmarks: true, timeoutSeconds: this.timeoutSeconds };
    if (goesOn) return { ...query, resourceVersion: this.#resourceVersion };
    return { ...query, sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' };
  }

  /** @param lastedMs how long the watch had lasted when something last came */
  patienceMs(complete: boolean, proof: WatchProof['kind'], lastedMs: number): number {
    const { stallMs = defaultStallMs, initialStallMs = defaultInitialStallMs } = this.#limits;
    if (!complete) return initialStallMs;
    switch (proof) {
      case 'renewed':
        return Math.max(this.timeoutSeconds * 1_000 + endGraceMs - lastedMs, endGraceMs);
      // A ping may have been answered by a proxy that has lost the server: without a bookmark for so long, everything is read again.
      case 'pinged':
      case 'trusted':
        return stallMs;
    }
  }
}
