/**
 * One copy of each text. A parser makes a new string for every value it meets, and a cluster repeats itself: names of nodes,
 * namespaces and owners, values of labels. When it is full it starts again empty; strings that were handed out stay valid.
 */
export class Interner {
  readonly #known = new Map<string, string>();
  readonly #maxTexts: number;

  constructor(maxTexts = 50_000) {
    this.#maxTexts = maxTexts;
  }

  of(text: string): string {
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    if (this.#known.size >= this.#maxTexts) this.#known.clear();
    this.#known.set(text, text);
    return text;
  }
}
