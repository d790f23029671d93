/** A bag of numbers of which the largest is wanted: what the pods of a group state, or the groups of a parent. */
export class Tally {
  readonly #counts = new Map<number, number>();
  /** Kept until the largest itself goes: looking for the next one is the only step that looks at all. */
  #max: number | undefined;

  add(value: number | undefined): void {
    if (value === undefined) return;
    this.#counts.set(value, (this.#counts.get(value) ?? 0) + 1);
    if (this.#max === undefined || value > this.#max) this.#max = value;
  }

  remove(value: number | undefined): void {
    if (value === undefined) return;
    const count = this.#counts.get(value) ?? 0;
    if (count > 1) {
      this.#counts.set(value, count - 1);
      return;
    }
    this.#counts.delete(value);
    if (value === this.#max) this.#max = this.#largest();
  }

  get max(): number | undefined {
    return this.#max;
  }

  #largest(): number | undefined {
    let max: number | undefined;
    for (const value of this.#counts.keys()) {
      if (max === undefined || value > max) max = value;
    }
    return max;
  }
}
