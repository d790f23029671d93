import { isMap, type JsonMap } from '../../packages/embedded-cluster/src/patch/json-tree.ts';
import type { LedgerFigures } from './messages.ts';

/** Counts what ledgers are written for. */
export class LedgerBoard {
  #writes = 0;
  #reserving = 0;
  #reservations = 0;
  #largest = 0;

  written(before: JsonMap | undefined, after: JsonMap): void {
    const known = new Set(uidsOf(before ?? {}));
    const fresh = uidsOf(after).filter((uid) => !known.has(uid)).length;
    this.#writes += 1;
    if (fresh > 0) this.#reserving += 1;
    this.#reservations += fresh;
    this.#largest = Math.max(this.#largest, fresh);
  }

  /** Since the last call. */
  take(): LedgerFigures {
    const figures = {
      writes: this.#writes,
      reserving: this.#reserving,
      reservations: this.#reservations,
      largest: this.#largest,
    };
    this.#writes = 0;
    this.#reserving = 0;
    this.#reservations = 0;
    this.#largest = 0;
    return figures;
  }
}

function uidsOf({ spec }: JsonMap): readonly unknown[] {
  const reservations = isMap(spec) ? spec['reservations'] : undefined;
  return Array.isArray(reservations) ? reservations.filter(isMap).map(({ uid }) => uid) : [];
}
