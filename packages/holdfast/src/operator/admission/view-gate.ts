import { isAtLeast } from '../../core/resource-version.ts';
import type { World } from '../../core/world/world.ts';

interface Waiter {
  readonly version: string;
  readonly open: () => void;
}

/** Where requests wait until the watch of pods has caught up with a version that the ledger or a read has shown. The cluster view wakes them. */
export class ViewGate {
  readonly #world: World;
  readonly #waiters = new Set<Waiter>();

  constructor(world: World) {
    this.#world = world;
  }

  /** Resolves with true as soon as the view has this version, and with false when the signal aborts first. */
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

  /** The cluster view calls this after `setSynced('pods', ...)`. */
  advanced(): void {
    for (const waiter of [...this.#waiters]) if (this.#has(waiter.version)) waiter.open();
  }

  #has(version: string): boolean {
    return isAtLeast(this.#world.syncedVersion('pods') ?? '', version);
  }
}
