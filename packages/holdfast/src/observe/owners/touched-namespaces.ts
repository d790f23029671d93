import type { Touched } from '../view/touched.ts';

/** Tells each namespace once, however many of its owners changed in one go. */
export class TouchedNamespaces {
  readonly #touched: Touched;
  #waiting: Set<string> | undefined;

  constructor(touched: Touched) {
    this.#touched = touched;
  }

  add(namespace: string): void {
    if (this.#waiting === undefined) {
      this.#waiting = new Set();
      // A list brings its objects one after the other, and nothing else runs in between.
      queueMicrotask(() => this.#flush());
    }
    this.#waiting.add(namespace);
  }

  #flush(): void {
    const namespaces = this.#waiting ?? [];
    this.#waiting = undefined;
    for (const namespace of namespaces) this.#touched.namespace(namespace);
  }
}
