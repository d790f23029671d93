import type { Clock, Timer } from '../../kube/time/clock.ts';
import { deltaBetween, type UiDelta } from '../../ui/delta.ts';
import type { UiModel } from '../../ui/model.ts';
import type { ClusterFacts, Overview } from './overview/overview.ts';

export interface PublisherTerms {
  readonly overview: Overview;
  readonly clock: Clock;
  /** Everything that a model has and the overview does not compute. */
  readonly around: () => ClusterFacts;
  /** Mistakes of ours. */
  readonly report: (error: unknown) => void;
}

export interface Subscriber {
  changed(delta: UiDelta, model: UiModel): void;
}

/** What pages are served from. */
export type ModelSource = Pick<Publisher, 'model' | 'subscribe'>;

/** All changes of so long go into one delta. */
const gatherMs = 250;
/** The first change after a quiet time is shown sooner. */
const promptMs = 20;
/** So long is computed at a time; requests of pages wait no longer. */
const sliceMs = 40;

/** Computes models while the world changes, and tells subscribers what is different. */
export class Publisher {
  readonly #terms: PublisherTerms;
  readonly #subscribers = new Set<Subscriber>();
  #model: UiModel;
  #hidden: ClusterFacts['hidden'] | undefined;
  #wasReading = true;
  #timer: Timer | undefined;
  #lastAt = Number.NEGATIVE_INFINITY;
  #closed = false;

  constructor(terms: PublisherTerms) {
    this.#terms = terms;
    this.#model = terms.overview.model(terms.clock.now(), terms.around(), 0);
  }

  get model(): UiModel {
    return this.#model;
  }

  /** Returns how to unsubscribe. */
  subscribe(subscriber: Subscriber): () => void {
    this.#subscribers.add(subscriber);
    return () => this.#subscribers.delete(subscriber);
  }

  /** Something may have changed. Cheap; may be called for every change. */
  wake(): void {
    const sinceLast = this.#terms.clock.monotonic() - this.#lastAt;
    this.#schedule(Math.max(promptMs, gatherMs - sinceLast));
  }

  close(): void {
    this.#closed = true;
    this.#timer?.cancel();
    this.#subscribers.clear();
  }

  #schedule(afterMs: number): void {
    if (this.#closed) return;
    this.#timer ??= this.#terms.clock.after(afterMs, () => {
      this.#timer = undefined;
      try {
        this.publish();
      } catch (error) {
        this.#terms.report(error);
      }
    });
  }

  /** Computes for one slice, and tells what came of it. */
  publish(): void {
    const { overview, clock, around } = this.#terms;
    const began = clock.monotonic();
    const facts = around();
    this.#compute(facts, began);
    // While much is to be judged, pages are told of it now and then; what is computed at once is told at once.
    const isMore = overview.isDirty && facts.isRead;
    if (isMore && began - this.#lastAt < gatherMs) {
      this.#schedule(clock.monotonic() - began);
      return;
    }
    const next = overview.model(clock.now(), facts, this.#model.head.revision + 1);
    const delta = deltaBetween(this.#model, next);
    this.#lastAt = clock.monotonic();
    if (delta !== undefined) {
      this.#model = next;
      for (const subscriber of this.#subscribers) subscriber.changed(delta, next);
    }
    // Computing takes half of the time at most, however large the cluster is.
    if (isMore) this.#schedule(clock.monotonic() - began);
  }

  #compute(facts: ClusterFacts, began: number): void {
    const { overview, clock } = this.#terms;
    // What is judged before everything was read is judged wrongly.
    if (!facts.isRead) {
      this.#wasReading = true;
      return;
    }
    if (this.#wasReading || hiddenText(this.#hidden) !== hiddenText(facts.hidden)) overview.everything();
    this.#wasReading = false;
    this.#hidden = facts.hidden;
    overview.work(clock.now(), facts.hidden, () => clock.monotonic() - began > sliceMs);
    if (!overview.isDirty) overview.begin();
  }
}

function hiddenText(hidden: ClusterFacts['hidden'] | undefined): string {
  return hidden === undefined ? '' : JSON.stringify([hidden.everything, [...hidden.codes].sort()]);
}
