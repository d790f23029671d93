import type { Store, Subscription } from '../../store/store.ts';
import type { Timer } from '../../time/clock.ts';
import type { Controller, ControllerContext } from '../controller.ts';

/** As long as the real API server keeps them, counted from their last change. */
const lifetimeMs = 3_600_000;
/** More than a person reads; in a large cluster they would take more memory than what they tell about. */
const defaultMaxEvents = 10_000;
const sweepMs = 60_000;

export interface EventExpiryOptions {
  readonly store: Store;
  readonly maxEvents?: number;
}

/** Deletes events when their time is over, or when there are too many. As with etcd's leases, without admission and without a reason. */
export function startEventExpiryController(context: ControllerContext, options: EventExpiryOptions): Controller {
  return new EventExpiry(context, options);
}

class EventExpiry implements Controller {
  readonly #context: ControllerContext;
  readonly #store: Store;
  readonly #maxEvents: number;
  /** When each of them changed last; the one that did so longest ago comes first. */
  readonly #changedMs = new Map<string, number>();
  readonly #subscriptions: readonly Subscription[];
  #timer: Timer | undefined;
  #trimPlanned = false;

  constructor(context: ControllerContext, { store, maxEvents = defaultMaxEvents }: EventExpiryOptions) {
    this.#context = context;
    this.#store = store;
    this.#maxEvents = maxEvents;
    this.#subscriptions = [
      context.view.watch('events', ({ type, object }) => {
        const key = `${object.metadata.namespace}/${object.metadata.name}`;
        this.#changedMs.delete(key);
        if (type !== 'DELETED') this.#keep(key);
      }),
    ];
  }

  stop(): void {
    for (const subscription of this.#subscriptions) subscription.stop();
    this.#timer?.cancel();
    this.#changedMs.clear();
  }

  #keep(key: string): void {
    this.#changedMs.set(key, this.#context.clock.now());
    this.#timer ??= this.#context.clock.after(sweepMs, () => this.#sweep());
    if (this.#changedMs.size > this.#maxEvents) this.#planTrim();
  }

  /** Not while the store still tells others of the event that is one too many. */
  #planTrim(): void {
    if (this.#trimPlanned) return;
    this.#trimPlanned = true;
    setImmediate(() => {
      this.#trimPlanned = false;
      for (const key of this.#changedMs.keys()) {
        if (this.#changedMs.size <= this.#maxEvents) return;
        this.#remove(key);
      }
    });
  }

  #sweep(): void {
    const oldest = this.#context.clock.now() - lifetimeMs;
    for (const [key, changedMs] of this.#changedMs) {
      if (changedMs > oldest) break;
      this.#remove(key);
    }
    this.#timer = this.#changedMs.size === 0 ? undefined : this.#context.clock.after(sweepMs, () => this.#sweep());
  }

  #remove(key: string): void {
    const stored = this.#store.get('events', key);
    this.#changedMs.delete(key);
    try {
      if (stored) this.#store.remove('events', key, stored.revision);
    } catch (error) {
      // The store can keep nothing any more.
      this.#context.report('event-expiry', key, error);
    }
  }
}
