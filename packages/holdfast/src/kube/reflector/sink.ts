/** What a view of a collection is made of. Projections keep at least this. */
export interface Reflected {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid?: string;
    readonly resourceVersion?: string;
  };
}

/** Takes in a collection as it changes. After each call, everything up to that resourceVersion has been taken in. */
export interface Sink<T extends Reflected> {
  /** The whole collection, in place of all that was known. */
  replace(items: readonly T[], resourceVersion: string): void;
  upsert(item: T, resourceVersion: string): void;
  remove(item: T, resourceVersion: string): void;
  /** Nothing happened up to here. */
  bookmark(resourceVersion: string): void;
}
