import type { GroupResult } from './result.ts';

/** One group over time. */
export class GroupRecord {
  readonly name: string;
  readonly #namespace: string;
  readonly #down: { from: number; to?: number }[] = [];
  #isUp = true;
  /** A group that is made anew forgets how large it was. */
  #minimum = 0;

  constructor(namespace: string, name: string) {
    this.#namespace = namespace;
    this.name = name;
  }

  /** So many pods serve, and so many have to. Says whether the group went down now, or came back. */
  set(healthy: number, minimum: number, at: number): 'down' | 'up' | undefined {
    this.#minimum = Math.max(this.#minimum, minimum);
    const isUp = healthy >= this.#minimum;
    if (isUp === this.#isUp) return undefined;
    this.#isUp = isUp;
    const last = this.#down.at(-1);
    if (!isUp) this.#down.push({ from: at });
    else if (last !== undefined) last.to = at;
    return isUp ? 'up' : 'down';
  }

  result(): GroupResult {
    return { namespace: this.#namespace, name: this.name, down: this.#down };
  }
}
