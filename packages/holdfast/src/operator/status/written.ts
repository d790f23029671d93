import type { ObjectMeta } from '@holdfast/base/meta';
import { isAtLeast } from '../../core/resource-version.ts';

/** What this process last wrote into the status of a budget. */
export interface Written<T> {
  readonly uid: string | undefined;
  /** Of the object as it was after the write. */
  readonly resourceVersion: string | undefined;
  readonly value: T;
  /** Monotonic. */
  readonly at: number;
}

/**
 * How long we trust our own write over a view that has not shown it yet. And how long we wait before we write again what another
 * client removed: two writers that disagree on a status must not overwrite each other as fast as they can.
 */
export const trustMs = 30_000;

export interface Present<T> {
  readonly value: T;
  readonly resourceVersion: string | undefined;
}

/** What the API server has, as far as we know: what the view shows, or, while that is older, our own write. */
export function presentOf<T>(meta: ObjectMeta, shown: T, written: Written<T> | undefined, now: number): Present<T> {
  const recent = recentOf(meta, written, now);
  if (recent !== undefined && !isPast(meta.resourceVersion, recent.resourceVersion)) return recent;
  return { value: shown, resourceVersion: meta.resourceVersion };
}

export type WriteStep<T> =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'wait'; readonly forMs: number }
  /** Over this version and no other. */
  | { readonly kind: 'write'; readonly value: T; readonly over: string | undefined };

/** What it takes to come from what is present to what should be. */
export function stepTo<T>(
  next: T,
  present: Present<T>,
  recent: Written<T> | undefined,
  now: number,
  same: (one: T, other: T) => boolean,
): WriteStep<T> {
  if (same(next, present.value)) return { kind: 'nothing' };
  if (recent !== undefined && same(next, recent.value)) return { kind: 'wait', forMs: recent.at + trustMs - now };
  return { kind: 'write', value: next, over: present.resourceVersion };
}

/** Undefined when it was long ago, or when it was another object of the same name. */
export function recentOf<T>(meta: ObjectMeta, written: Written<T> | undefined, now: number): Written<T> | undefined {
  return written !== undefined && written.uid === meta.uid && now - written.at < trustMs ? written : undefined;
}

function isPast(seen: string | undefined, version: string | undefined): boolean {
  return seen !== undefined && version !== undefined && seen !== version && isAtLeast(seen, version);
}
