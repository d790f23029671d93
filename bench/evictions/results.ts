import type { CaseKey } from './cases.ts';
import { type Measured, medianOf } from './measure.ts';

/** Every measurement of every round, and their medians. */
export class Results {
  readonly #rounds = new Map<string, Measured[]>();

  add(key: CaseKey, size: number, concurrency: number, measured: Measured): void {
    const name = nameOf(key, size, concurrency);
    this.#rounds.set(name, [...(this.#rounds.get(name) ?? []), measured]);
  }

  /** Whether this case was measured at all. */
  has(key: CaseKey): boolean {
    return [...this.#rounds.keys()].some((name) => name.startsWith(`${key} `));
  }

  get(key: CaseKey, size: number, concurrency: number): Measured {
    const name = nameOf(key, size, concurrency);
    const rounds = this.#rounds.get(name);
    if (rounds === undefined) throw new Error(`${name} was not measured`);
    return medianOf(rounds);
  }
}

function nameOf(key: CaseKey, size: number, concurrency: number): string {
  return `${key} ${size} ${concurrency}`;
}
