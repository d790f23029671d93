import type { Part } from '../cluster/parts.ts';
import type { Bed } from './bed.ts';
import { deletionOf, evictionOf, type Fleet, fleetOf } from './fleet.ts';
import { type Measured, measure, medianOf } from './measure.ts';
import type { Operators } from './operators.ts';

/** What Holdfast adds to the disruption of a pod that it has nothing to do with. */
export interface Unprotected {
  readonly what: string;
  readonly without: Measured;
  readonly protectedBy: Measured;
  /** Of the webhook, while only such pods were disrupted. */
  readonly calls: number;
}

const ways = [
  { what: 'evictions', request: evictionOf },
  { what: 'deletions', request: deletionOf },
] as const;

const pods = 150;
const seconds = 20;

/** Rounds with and without operators, to be told apart by who calls. */
export class UnprotectedRounds {
  readonly #bed: Bed;
  readonly #load: Part;
  readonly #fleet: Fleet = fleetOf('none', 300);
  readonly #without = ways.map((): Measured[] => []);
  readonly #with = ways.map((): Measured[] => []);
  readonly #calls = ways.map(() => 0);

  constructor(bed: Bed, load: Part) {
    this.#bed = bed;
    this.#load = load;
  }

  async add(operators: Operators | undefined): Promise<void> {
    for (const [i, { request }] of ways.entries()) {
      const before = await operators?.calls();
      const measured = await measure(this.#bed, this.#load, this.#fleet, { concurrency: 1, pods, seconds, request });
      (operators === undefined ? this.#without : this.#with)[i]?.push(measured);
      if (operators !== undefined) this.#calls[i] = (this.#calls[i] ?? 0) + (await operators.calls()) - (before ?? 0);
    }
  }

  /** Of what was measured both with and without. */
  result(): Unprotected[] {
    return ways.flatMap(({ what }, i) => {
      const without = this.#without[i] ?? [];
      const protectedBy = this.#with[i] ?? [];
      if (without.length === 0 || protectedBy.length === 0) return [];
      return [{ what, without: medianOf(without), protectedBy: medianOf(protectedBy), calls: this.#calls[i] ?? 0 }];
    });
  }
}
