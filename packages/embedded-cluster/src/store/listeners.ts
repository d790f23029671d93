import type { ResourceKey } from '../objects.ts';
import type { StoreEvent, Subscription } from './store.ts';

type Listen = (event: StoreEvent) => void;

interface Listener {
  readonly listen: Listen;
  /** Events up to this revision are not for it: it was told, or it came later. */
  readonly since: number;
  /** While past events are replayed to it, what happens meanwhile waits here. */
  backlog: StoreEvent[] | undefined;
  stopped: boolean;
}

/**
 * Hands events out, to each listener in the order of revisions. A listener may write to the store while it is called:
 * the event of that write is queued, and handed out when every listener has had the one before.
 *
 * A listener that throws does not affect the others, and stays: each event stands for itself, and a listener that failed
 * on one is still better off with the next. The error goes to `report`.
 */
export class Listeners {
  readonly #report: (error: unknown) => void;
  readonly #everything = new Set<Listener>();
  readonly #byResource = new Map<ResourceKey, Set<Listener>>();
  #queue: StoreEvent[] = [];
  #delivering = false;

  constructor(report: (error: unknown) => void) {
    this.#report = report;
  }

  publish(event: StoreEvent): void {
    this.#queue.push(event);
    if (this.#delivering) return;
    this.#delivering = true;
    // The array grows while it is walked.
    for (const next of this.#queue) this.#deliver(next);
    this.#queue = [];
    this.#delivering = false;
  }

  subscribe(since: number, listen: Listen): Subscription {
    return this.#enter(this.#everything, { listen, since, backlog: undefined, stopped: false });
  }

  /** `past` is replayed first; everything above `since` follows. */
  watch(resource: ResourceKey, past: StoreEvent[], since: number, listen: Listen): Subscription {
    const listeners = this.#byResource.get(resource) ?? new Set();
    this.#byResource.set(resource, listeners);
    const listener: Listener = { listen, since, backlog: past, stopped: false };
    const subscription = this.#enter(listeners, listener, () => {
      if (listeners.size === 0) this.#byResource.delete(resource);
    });
    for (const event of past) this.#call(listener, event);
    listener.backlog = undefined;
    return subscription;
  }

  clear(): void {
    for (const listeners of [this.#everything, ...this.#byResource.values()]) {
      for (const listener of listeners) listener.stopped = true;
    }
    this.#everything.clear();
    this.#byResource.clear();
  }

  #enter(listeners: Set<Listener>, listener: Listener, left?: () => void): Subscription {
    listeners.add(listener);
    return {
      stop() {
        if (listener.stopped) return;
        listener.stopped = true;
        listeners.delete(listener);
        left?.();
      },
    };
  }

  /** Who follows everything comes first: indexes are then current when a watcher of one collection looks at them. */
  #deliver(event: StoreEvent): void {
    for (const listener of this.#everything) this.#offer(listener, event);
    for (const listener of this.#byResource.get(event.resource) ?? []) this.#offer(listener, event);
  }

  #offer(listener: Listener, event: StoreEvent): void {
    if (event.revision <= listener.since) return;
    if (listener.backlog) listener.backlog.push(event);
    else this.#call(listener, event);
  }

  #call(listener: Listener, event: StoreEvent): void {
    if (listener.stopped) return;
    try {
      listener.listen(event);
    } catch (error) {
      this.#report(error);
    }
  }
}
