import type { Reflected } from './sink.ts';

/** What one session has learnt. */
export class WatchSession<T extends Reflected> {
  useful = false;
  /** The server let us watch. */
  opened = false;
  complete: boolean;
  #initial = new Map<string, T>();

  constructor(complete: boolean) {
    this.complete = complete;
  }

  /** Things may change while the state is being sent. */
  initially(type: 'ADDED' | 'MODIFIED' | 'DELETED', item: T): void {
    const key = `${item.metadata.namespace ?? ''}/${item.metadata.name}`;
    if (type === 'DELETED') this.#initial.delete(key);
    else this.#initial.set(key, item);
  }

  takeInitial(): readonly T[] {
    const items = [...this.#initial.values()];
    this.#initial = new Map();
    return items;
  }
}
