import type { CaseKey } from './cases.ts';
import { type Measured, medianOf } from './measure.ts';

const unknown = Number.NaN;
const unmeasured: Measured = {
  perSecond: unknown,
  p50: unknown,
  p99: unknown,
  writes: unknown,
  refused: unknown,
  failed: unknown,
};

/** Every measurement of every round, and their medians. */
export class Results {
  readonly #rounds = new Map<string, Measured[]>();
  readonly #troubles: string[] = [];

  add(key: CaseKey, size: number, concurrency: number, measured: Measured): void {
    const name = nameOf(key, size, concurrency);
    this.#rounds.set(name, [...(this.#rounds.get(name) ?? []), measured]);
  }

  /** Whether this case was measured at all. */
  has(key: CaseKey): boolean {
    return [...this.#rounds.keys()].some((name) => name.startsWith(`${key} `));
  }

  get(key: CaseKey, size: number, concurrency: number): Measured {
    const rounds = this.#rounds.get(nameOf(key, size, concurrency));
    return rounds === undefined ? unmeasured : medianOf(rounds);
  }

  /** A phase that broke off: what was measured before and after it stands. */
  brokeOff(where: string, why: string): void {
    this.#troubles.push(`${where}: ${why}`);
  }

  get troubles(): readonly string[] {
    return this.#troubles;
  }
}

function nameOf(key: CaseKey, size: number, concurrency: number): string {
  return `${key} ${size} ${concurrency}`;
}
