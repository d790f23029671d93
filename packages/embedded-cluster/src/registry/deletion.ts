import type { Strategy } from '../kinds/strategy.ts';
import { clone, type KubeObject } from '../objects.ts';
import { timestamp } from '../time/clock.ts';

export interface DeletionOptions {
  readonly gracePeriodSeconds?: number;
  readonly propagationPolicy?: 'Background' | 'Foreground' | 'Orphan';
  readonly uid?: string;
  readonly resourceVersion?: string;
}

export type DeletionStep =
  | { readonly kind: 'remove' }
  /** The object stays for now: terminating, waiting for its grace period or its finalizers. */
  | { readonly kind: 'mark'; readonly metadata: KubeObject['metadata'] }
  /** It stays, and its kind has more to say about that than its metadata does. */
  | { readonly kind: 'begin'; readonly object: KubeObject }
  /** It goes at once, but kinds that know grace are seen terminating first, with none left. */
  | { readonly kind: 'markAndRemove'; readonly metadata: KubeObject['metadata'] }
  /** Its deletion is under way, and this request adds nothing to that: admission is not asked again. */
  | { readonly kind: 'pending' };

const orphanFinalizer = 'orphan';
const foregroundFinalizer = 'foregroundDeletion';

/** What a DELETE does to this object now. */
export function planDeletion(
  object: KubeObject,
  options: DeletionOptions,
  strategy: Strategy,
  nowMs: number,
): DeletionStep {
  const finalizers = finalizersFor(object, options, strategy);
  if (strategy.beginDeletion && object.metadata.deletionTimestamp === undefined) {
    return begin(object, finalizers, strategy.beginDeletion, nowMs);
  }
  if (strategy.isHeld?.(object)) return { kind: 'pending' };
  const grace = graceful(object, options, strategy, nowMs);
  if (grace === 'pending') return { kind: 'pending' };
  if (grace !== 'none') return afterGrace({ ...grace, ...finalizersField(finalizers, object) });
  if (finalizers.length === 0) return { kind: 'remove' };
  return markForFinalizers(object, finalizers, nowMs);
}

function afterGrace(metadata: KubeObject['metadata']): DeletionStep {
  const held = (metadata.deletionGracePeriodSeconds ?? 0) > 0 || (metadata.finalizers?.length ?? 0) > 0;
  return { kind: held ? 'mark' : 'markAndRemove', metadata };
}

/** Finalizers that a policy takes away leave no empty list where there was none. */
function finalizersField(finalizers: readonly string[], { metadata }: KubeObject): { finalizers?: string[] } {
  return finalizers.length === 0 && metadata.finalizers === undefined ? {} : { finalizers: [...finalizers] };
}

function begin(
  object: KubeObject,
  finalizers: readonly string[],
  beginDeletion: NonNullable<Strategy['beginDeletion']>,
  nowMs: number,
): DeletionStep {
  const draft = clone(object);
  draft.metadata.deletionTimestamp = timestamp(nowMs);
  if (finalizers.length > 0) draft.metadata.finalizers = [...finalizers];
  else delete draft.metadata.finalizers;
  beginDeletion(draft, nowMs);
  return { kind: 'begin', object: draft };
}

/** The metadata of an object to which this request gives its grace, or a shorter one: it never gets longer. */
function graceful(
  object: KubeObject,
  options: DeletionOptions,
  strategy: Strategy,
  nowMs: number,
): KubeObject['metadata'] | 'pending' | 'none' {
  const { metadata } = object;
  if (!strategy.gracePeriodSeconds) return 'none';
  if (metadata.deletionTimestamp === undefined) {
    const grace = strategy.gracePeriodSeconds(object, options.gracePeriodSeconds);
    if (grace === undefined) return 'none';
    return { ...metadata, ...nextGeneration(metadata), ...ending(grace, nowMs + grace * 1000) };
  }
  const remaining = metadata.deletionGracePeriodSeconds;
  if (remaining === undefined || remaining === 0) return 'none';
  const wanted = options.gracePeriodSeconds;
  if (wanted === undefined || atLeastNone(wanted) >= remaining) return 'pending';
  const begunMs = Date.parse(metadata.deletionTimestamp) - remaining * 1000;
  return { ...metadata, ...shortened(atLeastNone(wanted), begunMs, nowMs) };
}

function atLeastNone(seconds: number): number {
  return seconds < 0 ? 1 : seconds;
}

type Ending = Pick<KubeObject['metadata'], 'deletionTimestamp' | 'deletionGracePeriodSeconds'>;

/** Counted from when it began, but never due in the past; grace that is over already is the shortest there is. */
function shortened(grace: number, begunMs: number, nowMs: number): Ending {
  const dueMs = begunMs + grace * 1000;
  return dueMs < nowMs ? ending(Math.min(grace, 1), nowMs) : ending(grace, dueMs);
}

function ending(grace: number, dueMs: number): Ending {
  return { deletionTimestamp: timestamp(dueMs), deletionGracePeriodSeconds: grace };
}

function markForFinalizers(object: KubeObject, finalizers: readonly string[], nowMs: number): DeletionStep {
  const { metadata } = object;
  const { deletionTimestamp, deletionGracePeriodSeconds, finalizers: present } = metadata;
  const due = deletionTimestamp !== undefined && Date.parse(deletionTimestamp) <= nowMs;
  if (due && deletionGracePeriodSeconds === 0 && finalizers === present) return { kind: 'mark', metadata };
  return {
    kind: 'mark',
    metadata: {
      ...metadata,
      ...(deletionTimestamp === undefined ? nextGeneration(metadata) : {}),
      deletionTimestamp: due ? deletionTimestamp : timestamp(nowMs),
      deletionGracePeriodSeconds: 0,
      finalizers: [...finalizers],
    },
  };
}

function nextGeneration(metadata: KubeObject['metadata']): { generation?: number } {
  return metadata.generation === undefined ? {} : { generation: metadata.generation + 1 };
}

/** The propagation policy travels as a finalizer, which the garbage collector works off. */
function finalizersFor(object: KubeObject, options: DeletionOptions, strategy: Strategy): readonly string[] {
  const present = object.metadata.finalizers ?? [];
  const policy = options.propagationPolicy ?? impliedPolicy(present, strategy);
  const wanted = policy === 'Orphan' ? orphanFinalizer : policy === 'Foreground' ? foregroundFinalizer : undefined;
  const ofPolicy = (name: string) => name === orphanFinalizer || name === foregroundFinalizer;
  const others = present.filter((name) => !ofPolicy(name));
  const next = wanted === undefined ? others : [...others, wanted];
  // The same ones in another order are no change.
  return next.length === present.length && next.every((name) => present.includes(name)) ? present : next;
}

function impliedPolicy(finalizers: readonly string[], strategy: Strategy): DeletionOptions['propagationPolicy'] {
  if (finalizers.includes(orphanFinalizer)) return 'Orphan';
  if (finalizers.includes(foregroundFinalizer)) return 'Foreground';
  return strategy.defaultPropagation ?? 'Background';
}

/** Nothing holds a terminating object any more: its last update removes it. */
export function isReadyToGo(object: KubeObject, strategy?: Strategy): boolean {
  const { metadata } = object;
  return (
    strategy?.isHeld?.(object) !== true &&
    metadata.deletionTimestamp !== undefined &&
    (metadata.deletionGracePeriodSeconds ?? 0) === 0 &&
    (metadata.finalizers?.length ?? 0) === 0
  );
}
