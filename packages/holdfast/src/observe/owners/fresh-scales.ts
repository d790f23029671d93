import { ownersBehind } from '../../core/decide/owners-behind.ts';
import type { DisruptionRequest } from '../../core/request.ts';
import type { Denied } from '../../core/verdict.ts';
import type { World } from '../../core/world/world.ts';
import { type Clock, sleep } from '../../kube/time/clock.ts';
import { type OwnerPlace, ownerKeyOf, ownerNameOf, placeOf } from './owner-key.ts';

export interface FreshScalesParts {
  readonly world: World;
  readonly clock: Clock;
  /** A watch shows every change of this owner. */
  readonly isWatched: (place: OwnerPlace) => boolean;
  /** Reads it and brings the world up to date. */
  readonly read: (place: OwnerPlace) => Promise<unknown>;
}

/** One owner is read at most this often, however many requests for its pods are refused. */
const restMs = 1_000;
/** Longer than a read takes, with the wait for the next one before it. A client that retries does so in a few seconds. */
const longestMs = 3_000;
/** A budget can be counted by hundreds of owners; those of the pod itself come first. */
const maxOwners = 10;
/** Pods choose the owners that they point at: what is remembered of reads has an end. */
const maxRemembered = 10_000;

/**
 * Reads the owners behind a refusal once more, where no watch covers them: a controller that has just scaled its workload to zero must
 * not be refused until the next poll (O5).
 */
export class FreshScales {
  readonly #parts: FreshScalesParts;
  readonly #begunAt = new Map<string, number>();
  /** Reads that have not begun: requests that are refused until then share them. */
  readonly #planned = new Map<string, Promise<unknown>>();

  constructor(parts: FreshScalesParts) {
    this.#parts = parts;
  }

  /** Whether a refusal depends on owners that no watch covers. */
  concerns(request: DisruptionRequest, denied: Denied): boolean {
    return this.#polled(request, denied).length > 0;
  }

  /**
   * Whether the refusal is to be judged again: something about an owner that it depends on is different now. It rests on reads that
   * began after the refusal.
   */
  async readAgain(request: DisruptionRequest, denied: Denied, leftMs: number): Promise<boolean> {
    const places = this.#polled(request, denied);
    if (places.length === 0 || leftMs <= 0) return false;
    const before = this.#known(places);
    const late = new AbortController();
    const reading = Promise.allSettled(places.map((place) => this.#read(place)));
    await Promise.race([reading, sleep(this.#parts.clock, Math.min(leftMs, longestMs), late.signal)]);
    late.abort();
    return this.#known(places) !== before;
  }

  #polled(request: DisruptionRequest, denied: Denied): readonly OwnerPlace[] {
    const { world, isWatched } = this.#parts;
    const places = new Map<string, OwnerPlace>();
    for (const owner of ownersBehind(world, request, denied)) {
      const place = placeOf(owner);
      const isPod = place.group === '' && place.kind === 'Pod';
      if (!isPod && !isWatched(place)) places.set(ownerKeyOf(place), place);
    }
    return [...places.values()].slice(0, maxOwners);
  }

  #read(place: OwnerPlace): Promise<unknown> {
    const key = ownerKeyOf(place);
    const planned = this.#planned.get(key);
    if (planned !== undefined) return planned;
    const begunAt = this.#begunAt.get(key);
    const waitMs = begunAt === undefined ? 0 : begunAt + restMs - this.#parts.clock.monotonic();
    if (waitMs <= 0) return this.#begin(key, place);
    const next = sleep(this.#parts.clock, waitMs).then(() => {
      this.#planned.delete(key);
      return this.#begin(key, place);
    });
    this.#planned.set(key, next);
    return next;
  }

  #begin(key: string, place: OwnerPlace): Promise<unknown> {
    if (this.#begunAt.size >= maxRemembered) this.#begunAt.clear();
    this.#begunAt.set(key, this.#parts.clock.monotonic());
    return this.#parts.read(place);
  }

  /** What is known of owners, as text to compare. Their versions change with every status that a controller writes. */
  #known(places: readonly OwnerPlace[]): string {
    const owners = places.flatMap((place) => this.#parts.world.ownersOf(ownerNameOf(place)));
    return JSON.stringify(
      owners.map(({ uid, state, replicas, deleting, orphaned, controller }) => {
        return [uid, state, replicas, deleting, orphaned, controller?.uid];
      }),
    );
  }
}
