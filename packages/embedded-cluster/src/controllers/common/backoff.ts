/** Waiting times that double with each failure of a key, and are forgotten when it has been quiet for long. */
export class Backoff {
  readonly #initialMs: number;
  readonly #maxMs: number;
  readonly #entries = new Map<string, { delayMs: number; atMs: number }>();

  constructor(initialMs: number, maxMs: number) {
    this.#initialMs = initialMs;
    this.#maxMs = maxMs;
  }

  remainingMs(key: string, nowMs: number): number {
    const entry = this.#entries.get(key);
    return entry === undefined ? 0 : Math.max(0, entry.atMs + entry.delayMs - nowMs);
  }

  failed(key: string, nowMs: number): void {
    this.#forgetQuiet(nowMs);
    const before = this.#entries.get(key);
    const delayMs = before ? Math.min(2 * before.delayMs, this.#maxMs) : this.#initialMs;
    this.#entries.set(key, { delayMs, atMs: nowMs });
  }

  #forgetQuiet(nowMs: number): void {
    for (const [key, { atMs }] of this.#entries) if (nowMs - atMs > 2 * this.#maxMs) this.#entries.delete(key);
  }
}
