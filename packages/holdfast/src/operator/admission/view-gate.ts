import { isAtLeast } from '../../core/resource-version.ts';
import type { World } from '../../core/world/world.ts';

interface Waiter {
  readonly version: string;
  readonly open: () => void;
}

/** Lets requests that need a newer view of the pods wait until it is there. The cluster view tells it when it moved on. */
export class ViewGate {
  readonly #world: World;
  readonly #waiters = new Set<Waiter>();

  constructor(world: World) {
    this.#world = world;
  }

  /** Whether the view became as new as this before the signal came. */
  reached(version: string, signal: AbortSignal): Promise<boolean> {
    if (this.#has(version)) return Promise.resolve(true);
    if (signal.aborted) return Promise.resolve(false);
    return new Promise((resolve) => {
      const leave = (reached: boolean) => {
        this.#waiters.delete(waiter);
        signal.removeEventListener('abort', giveUp);
        resolve(reached);
      };
      const giveUp = () => leave(false);
      const waiter: Waiter = { version, open: () => leave(true) };
      this.#waiters.add(waiter);
      signal.addEventListener('abort', giveUp, { once: true });
    });
  }

  /** To be called after the world's view of the pods moved on (`setSynced('pods', ...)`). */
  advanced(): void {
    for (const waiter of [...this.#waiters]) if (this.#has(waiter.version)) waiter.open();
  }

  #has(version: string): boolean {
    return isAtLeast(this.#world.syncedVersion('pods') ?? '', version);
  }
}
