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
  const grace = strategy.gracePeriodSeconds?.(object, options.gracePeriodSeconds);
  if (grace !== undefined) {
    const step = graceful(object, grace, options, nowMs);
    if (step !== 'now') return withFinalizers(step, finalizers);
  }
  if (finalizers.length === 0) return { kind: 'remove' };
  return markForFinalizers(object, finalizers, nowMs);
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

/** Grace periods only ever get shorter. */
function graceful(object: KubeObject, grace: number, options: DeletionOptions, nowMs: number): DeletionStep | 'now' {
  const { metadata } = object;
  if (metadata.deletionTimestamp === undefined) return grace > 0 ? mark(object, grace, nowMs + grace * 1000) : 'now';
  const remaining = metadata.deletionGracePeriodSeconds;
  if (remaining === undefined || remaining === 0)
    return (metadata.finalizers?.length ?? 0) > 0 ? { kind: 'pending' } : 'now';
  if (options.gracePeriodSeconds === undefined || grace >= remaining) return { kind: 'pending' };
  if (grace === 0) return 'now';
  const begun = Date.parse(metadata.deletionTimestamp) - remaining * 1000;
  return mark(object, grace, begun + grace * 1000);
}

function mark(object: KubeObject, grace: number, dueMs: number): DeletionStep {
  const { metadata } = object;
  return {
    kind: 'mark',
    metadata: {
      ...metadata,
      ...nextGeneration(metadata),
      deletionTimestamp: timestamp(dueMs),
      deletionGracePeriodSeconds: grace,
    },
  };
}

function markForFinalizers(object: KubeObject, finalizers: readonly string[], nowMs: number): DeletionStep {
  const { metadata } = object;
  const unchanged = finalizers.length === metadata.finalizers?.length;
  if (metadata.deletionTimestamp !== undefined && metadata.deletionGracePeriodSeconds === 0 && unchanged) {
    return { kind: 'pending' };
  }
  return {
    kind: 'mark',
    metadata: {
      ...metadata,
      ...(metadata.deletionTimestamp === undefined ? nextGeneration(metadata) : {}),
      deletionTimestamp: metadata.deletionTimestamp ?? timestamp(nowMs),
      deletionGracePeriodSeconds: 0,
      finalizers: [...finalizers],
    },
  };
}

function withFinalizers(step: DeletionStep, finalizers: readonly string[]): DeletionStep {
  if (step.kind !== 'mark' || finalizers.length === 0) return step;
  return { kind: 'mark', metadata: { ...step.metadata, finalizers: [...finalizers] } };
}

function nextGeneration(metadata: KubeObject['metadata']): { generation?: number } {
  return metadata.generation === undefined ? {} : { generation: metadata.generation + 1 };
}

/** The propagation policy travels as a finalizer, which the garbage collector works off. */
function finalizersFor(object: KubeObject, options: DeletionOptions, strategy: Strategy): readonly string[] {
  const present = object.metadata.finalizers ?? [];
  const policy = options.propagationPolicy ?? impliedPolicy(present, strategy);
  const others = present.filter((name) => name !== orphanFinalizer && name !== foregroundFinalizer);
  if (policy === 'Orphan') return [...others, orphanFinalizer];
  if (policy === 'Foreground') return [...others, foregroundFinalizer];
  return others;
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
