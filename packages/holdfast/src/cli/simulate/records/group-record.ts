import type { GroupResult } from '../simulation-result.ts';

/** One group over time. */
export class GroupRecord {
  readonly name: string;
  readonly #of: string;
  readonly #namespace: string;
  readonly #down: { from: number; to?: number }[] = [];
  #isUp = true;
  #startedDown = false;
  /** A group that is recreated does not know how large it was. */
  #minimum = 0;

  constructor(namespace: string, name: string, of: string) {
    this.#namespace = namespace;
    this.name = name;
    this.#of = of;
  }

  /** What was until now is how it began. */
  begin(): void {
    this.#startedDown = !this.#isUp;
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
    const started = this.#startedDown ? ({ startedDown: true } as const) : {};
    return { namespace: this.#namespace, name: this.name, of: this.#of, ...started, down: this.#down };
  }
}
