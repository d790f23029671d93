import type { Answer } from './exchange.ts';
import type { Loaded } from './messages.ts';

const yes = Buffer.from('"allowed":true');
const no = Buffer.from('"allowed":false');

/** Counts answers of the webhook, and how long they took. */
export class Tally {
  readonly #begun = performance.now();
  readonly #times: number[] = [];
  #allowed = 0;
  #refused = 0;
  #last: Buffer = Buffer.alloc(0);

  static isAllowed({ code, body }: Answer): boolean {
    return code === 200 && body.includes(yes);
  }

  add(answer: Answer, milliseconds: number): void {
    this.#times.push(milliseconds);
    this.#last = answer.body;
    if (Tally.isAllowed(answer)) this.#allowed += 1;
    else if (answer.code === 200 && answer.body.includes(no)) this.#refused += 1;
  }

  result(): Loaded {
    const times = Float64Array.from(this.#times).sort();
    const at = (share: number): number => times[Math.floor(share * (times.length - 1))] ?? 0;
    return {
      allowed: this.#allowed,
      refused: this.#refused,
      broken: times.length - this.#allowed - this.#refused,
      seconds: (performance.now() - this.#begun) / 1_000,
      p50: at(0.5),
      p99: at(0.99),
      slowest: at(1),
      example: this.#last.toString('base64'),
    };
  }
}
