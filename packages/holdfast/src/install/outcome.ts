import type { ObjectRef } from './object-ref.ts';

/** What became of one object. */
export type ObjectResult =
  | { readonly kind: 'created' | 'unchanged' | 'deleted' }
  | { readonly kind: 'configured'; readonly fields: readonly string[] }
  /** Left as it is, for a reason. */
  | { readonly kind: 'skipped'; readonly why: string }
  /** A dry run cannot tell. */
  | { readonly kind: 'unchecked'; readonly why: string }
  /** A label went. */
  | { readonly kind: 'unlabelled'; readonly label: string };

/** Told while it happens. */
export type Report =
  | { readonly kind: 'object'; readonly ref: ObjectRef; readonly result: ObjectResult }
  | { readonly kind: 'waiting'; readonly text: string }
  | { readonly kind: 'note'; readonly text: string };

export type Reporter = (report: Report) => void;

/** How it ended. */
export type Ended =
  | { readonly kind: 'done' }
  /** Nothing was done: the user may not do these. */
  | { readonly kind: 'denied'; readonly missing: readonly string[] }
  /** Nothing was done: it makes no sense here. */
  | { readonly kind: 'refused'; readonly message: string; readonly advice: string }
  /** What was done before stays; doing it again goes on where it stopped. */
  | { readonly kind: 'failed'; readonly message: string; readonly advice: string }
  /** All was done, and it is not as it should be yet. */
  | {
      readonly kind: 'late';
      readonly message: string;
      readonly reasons: readonly string[];
      readonly events: readonly string[];
      readonly advice: string;
    }
  | { readonly kind: 'stopped' };

export const done: Ended = { kind: 'done' };
