/** Pods that wait for a node: those to try next, those to try again later, and those that wait for a change. */

import type { Clock, Timer } from '../../time/clock.ts';
import type { PodNeeds } from './pod-needs.ts';

const firstBackoffMs = 1000;
const lastBackoffMs = 10_000;

interface Waiting {
  readonly needs: PodNeeds;
  readonly attempts: number;
  /** Not before this. */
  readonly notBefore: number;
}

export class PodQueue {
  readonly #clock: Clock;
  readonly #onReady: () => void;
  readonly #pods = new Map<string, Waiting>();
  /** By priority; in each the pods in the order they came. */
  readonly #active = new Map<number, Set<string>>();
  readonly #backingOff = new Set<string>();
  readonly #unschedulable = new Set<string>();
  /** Those of the unschedulable ones that another pod's arrival may help. */
  readonly #sociable = new Set<string>();
  #timer: { timer: Timer; due: number } | undefined;

  constructor(clock: Clock, onReady: () => void) {
    this.#clock = clock;
    this.#onReady = onReady;
  }

  get(uid: string): PodNeeds | undefined {
    return this.#pods.get(uid)?.needs;
  }

  /** New, or changed in a way that may help: tried at once, whatever happened before. */
  add(needs: PodNeeds): void {
    const attempts = this.#pods.get(needs.uid)?.attempts ?? 0;
    this.remove(needs.uid);
    this.#pods.set(needs.uid, { needs, attempts, notBefore: 0 });
    this.#activate(needs.uid);
  }

  remove(uid: string): void {
    const waiting = this.#pods.get(uid);
    if (waiting === undefined) return;
    this.#pods.delete(uid);
    this.#leaveAll(waiting.needs);
  }

  /** Tries it again only when something has changed. */
  park(needs: PodNeeds): void {
    this.#pods.set(needs.uid, this.#failed(needs));
    this.#leaveAll(needs);
    this.#unschedulable.add(needs.uid);
    if (needs.affinity.length > 0 || needs.spread.length > 0) this.#sociable.add(needs.uid);
  }

  /** Tries it again after a while, change or not. */
  retry(needs: PodNeeds): void {
    this.#pods.set(needs.uid, this.#failed(needs));
    this.#leaveAll(needs);
    this.#backingOff.add(needs.uid);
    this.#wake();
  }

  /** Something has changed that may let pods fit. */
  stir(): void {
    this.#release(this.#unschedulable);
  }

  /** A pod got its place: others may have waited for its company, or for it to even things out. */
  stirSociable(): void {
    this.#release(this.#sociable);
  }

  /** The next pod to try; it stays known until it is removed, parked or retried. */
  take(): PodNeeds | undefined {
    const priorities = [...this.#active.keys()];
    if (priorities.length === 0) return undefined;
    const bucket = this.#active.get(Math.max(...priorities));
    const first = bucket?.values().next();
    if (first === undefined || first.done) return undefined;
    const waiting = this.#pods.get(first.value);
    if (waiting === undefined) return undefined;
    this.#deactivate(waiting.needs);
    return waiting.needs;
  }

  get hasActive(): boolean {
    return this.#active.size > 0;
  }

  stop(): void {
    this.#timer?.timer.cancel();
    this.#pods.clear();
    this.#active.clear();
    this.#backingOff.clear();
    this.#unschedulable.clear();
    this.#sociable.clear();
  }

  #release(pods: ReadonlySet<string>): void {
    if (pods.size === 0) return;
    for (const uid of [...pods]) {
      this.#unschedulable.delete(uid);
      this.#sociable.delete(uid);
      this.#backingOff.add(uid);
    }
    this.#wake();
  }

  #failed(needs: PodNeeds): Waiting {
    const attempts = (this.#pods.get(needs.uid)?.attempts ?? 0) + 1;
    const backoff = Math.min(firstBackoffMs * 2 ** Math.min(attempts - 1, 10), lastBackoffMs);
    return { needs, attempts, notBefore: this.#clock.now() + backoff };
  }

  #leaveAll(needs: PodNeeds): void {
    this.#backingOff.delete(needs.uid);
    this.#unschedulable.delete(needs.uid);
    this.#sociable.delete(needs.uid);
    this.#deactivate(needs);
  }

  #activate(uid: string): void {
    const waiting = this.#pods.get(uid);
    if (waiting === undefined) return;
    const { priority } = waiting.needs;
    const bucket = this.#active.get(priority);
    if (bucket) bucket.add(uid);
    else this.#active.set(priority, new Set([uid]));
    this.#onReady();
  }

  #deactivate({ uid, priority }: PodNeeds): void {
    const bucket = this.#active.get(priority);
    if (bucket?.delete(uid) && bucket.size === 0) this.#active.delete(priority);
  }

  /** Activates what is due, and comes back for the first of the rest. */
  #wake(): void {
    const now = this.#clock.now();
    let next: number | undefined;
    for (const uid of this.#backingOff) {
      const due = this.#pods.get(uid)?.notBefore ?? 0;
      if (due <= now) {
        this.#backingOff.delete(uid);
        this.#activate(uid);
      } else if (next === undefined || due < next) next = due;
    }
    if (next !== undefined) this.#wakeAt(next, now);
  }

  #wakeAt(due: number, now: number): void {
    if (this.#timer !== undefined && this.#timer.due <= due) return;
    this.#timer?.timer.cancel();
    const timer = this.#clock.after(due - now, () => {
      this.#timer = undefined;
      this.#wake();
    });
    this.#timer = { timer, due };
  }
}
