/** Counts of small numbers, of which the largest present one is wanted. Sizes of a group's pods are nearly always all equal. */
export class Tally {
  readonly #counts = new Map<number, number>();

  add(value: number | undefined): void {
    if (value === undefined) return;
    this.#counts.set(value, (this.#counts.get(value) ?? 0) + 1);
  }

  remove(value: number | undefined): void {
    if (value === undefined) return;
    const count = this.#counts.get(value) ?? 0;
    if (count <= 1) this.#counts.delete(value);
    else this.#counts.set(value, count - 1);
  }

  get max(): number | undefined {
    let max: number | undefined;
    for (const value of this.#counts.keys()) {
      if (max === undefined || value > max) max = value;
    }
    return max;
  }
}
