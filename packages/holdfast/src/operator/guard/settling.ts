import type { Clock, Timer } from '../../kube/time/clock.ts';

/** Names that have to stay for a while before they count. All wait equally long, so the first to come is the first to be done. */
export class Settling {
  readonly #clock: Clock;
  readonly #delayMs: number;
  readonly #settled: (name: string) => void;
  /** When each is done, in that order. */
  readonly #due = new Map<string, number>();
  #timer: Timer | undefined;

  constructor(clock: Clock, delayMs: number, settled: (name: string) => void) {
    this.#clock = clock;
    this.#delayMs = delayMs;
    this.#settled = settled;
  }

  has(name: string): boolean {
    return this.#due.has(name);
  }

  /** From now on, also if it was waiting already. */
  add(name: string): void {
    this.#due.delete(name);
    this.#due.set(name, this.#clock.monotonic() + this.#delayMs);
    this.#timer ??= this.#clock.after(this.#delayMs, () => this.#look());
  }

  delete(name: string): void {
    this.#due.delete(name);
  }

  close(): void {
    this.#timer?.cancel();
    this.#due.clear();
  }

  #look(): void {
    this.#timer = undefined;
    for (const [name, due] of this.#due) {
      const left = due - this.#clock.monotonic();
      if (left > 0) {
        this.#timer ??= this.#clock.after(left, () => this.#look());
        return;
      }
      this.#due.delete(name);
      this.#settled(name);
    }
  }
}
