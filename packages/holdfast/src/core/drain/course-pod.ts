import type { PodKey } from './simulate.ts';
import type { DrainUnit } from './units.ts';

/** A pod that a drain takes away. */
export interface CoursePod extends PodKey {
  readonly uid: string;
  readonly node: string;
  readonly units: readonly DrainUnit[];
}

/** What became of asking for an eviction, told apart by what follows. */
export type EvictionAnswer =
  | { readonly kind: 'accepted' }
  /** There is no such pod any more, or another one under its name. */
  | { readonly kind: 'gone' }
  /** Not now. `retryAfterMs`: when another try is worth it, if the server said so. */
  | { readonly kind: 'refused'; readonly message: string; readonly retryAfterMs?: number }
  /** There is no verdict: something between us and the answer failed, such as a replica of a webhook. */
  | { readonly kind: 'failed'; readonly message: string; readonly retryAfterMs?: number }
  /** The same request would fail again. */
  | { readonly kind: 'impossible'; readonly message: string };

export interface Waiting {
  readonly kind: 'waiting';
  /** When it was refused first, or when the drain began. */
  readonly since: number;
  /** Not to be asked for before. */
  readonly due: number;
  readonly asked: number;
  /** In a row. */
  readonly failures: number;
  /** What was said last, and when. */
  readonly answer?: { readonly kind: 'refused' | 'failed'; readonly message: string; readonly at: number };
}

export type DrainPodState =
  | Waiting
  | { readonly kind: 'asking'; readonly since: number; readonly before: Waiting }
  /** Its eviction was accepted, or another client is deleting it. */
  | { readonly kind: 'going'; readonly since: number; readonly evicted: boolean }
  | { readonly kind: 'gone'; readonly since: number }
  /** It is still terminating, and the drain does not wait for it. */
  | { readonly kind: 'leftBehind'; readonly since: number }
  | { readonly kind: 'impossible'; readonly since: number; readonly message: string };

/** A pod as it was listed. */
export interface PodSighting {
  readonly uid: string;
  /** Milliseconds: when its grace is over. Absent: it is not terminating. */
  readonly deletionTime?: number;
}

/** As often as kubectl drain asks, where the server does not say when to retry. */
const refusedMs = 5_000;
/** A person waits at a terminal: a group that has recovered should not be noticed much later than that. */
const refusedCapMs = 15_000;
const refusedGrowth = 1.25;
const failedMs = 1_000;
const failedCapMs = 15_000;
const failedGrowth = 2;
/** About a minute and a half: longer than a replica that died is missed, or an API server takes to start again. */
const maxFailures = 10;
/** Pods that were refused together do not all come back together. */
const spread = 0.1;

export function begin(now: number): Waiting {
  return { kind: 'waiting', since: now, due: now, asked: 0, failures: 0 };
}

export function ask(before: Waiting, now: number): DrainPodState {
  return { kind: 'asking', since: now, before };
}

/** @param chance in [0, 1) */
export function afterAnswer(state: DrainPodState, answer: EvictionAnswer, now: number, chance: number): DrainPodState {
  // It was seen to be gone before the answer came.
  if (state.kind !== 'asking') return state;
  switch (answer.kind) {
    case 'accepted':
      return { kind: 'going', since: now, evicted: true };
    case 'gone':
      return { kind: 'gone', since: now };
    case 'impossible':
      return { kind: 'impossible', since: now, message: answer.message };
    case 'refused':
      return later(state.before, answer, now, { failures: 0, chance });
    case 'failed': {
      const failures = state.before.failures + 1;
      if (failures < maxFailures) return later(state.before, answer, now, { failures, chance });
      return { kind: 'impossible', since: now, message: `${answer.message} (${failures} times in a row)` };
    }
  }
}

function later(
  before: Waiting,
  answer: Extract<EvictionAnswer, { readonly kind: 'refused' | 'failed' }>,
  now: number,
  { failures, chance }: { readonly failures: number; readonly chance: number },
): Waiting {
  const asked = before.asked + 1;
  const delay = delayMs(answer, answer.kind === 'failed' ? failures : asked);
  return {
    kind: 'waiting',
    since: before.answer === undefined ? now : before.since,
    due: now + delay * (1 + spread * chance),
    asked,
    failures,
    answer: { kind: answer.kind, message: answer.message, at: now },
  };
}

/** Never sooner than was asked for, and bounded otherwise. */
function delayMs({ kind, retryAfterMs }: { kind: 'refused' | 'failed'; retryAfterMs?: number }, times: number): number {
  const [base, growth, cap] =
    kind === 'failed'
      ? [failedMs, failedGrowth, failedCapMs]
      : [retryAfterMs ?? refusedMs, refusedGrowth, refusedCapMs];
  return Math.max(retryAfterMs ?? 0, Math.min(cap, base * growth ** (times - 1)));
}

/** @param sighting undefined: a list of its node's pods, begun and ended by now, does not have it */
export function afterSighting(
  state: DrainPodState,
  sighting: PodSighting | undefined,
  now: number,
  skipAfterMs: number | undefined,
): DrainPodState {
  if (state.kind === 'gone') return state;
  if (sighting === undefined) return { kind: 'gone', since: now };
  const { deletionTime } = sighting;
  // The answer to what is being asked comes soon enough.
  if (deletionTime === undefined || state.kind === 'asking' || state.kind === 'leftBehind') return state;
  if (isSkipped(deletionTime, now, skipAfterMs)) return { kind: 'leftBehind', since: now };
  return state.kind === 'going' ? state : { kind: 'going', since: now, evicted: false };
}

/** As kubectl's --skip-wait-for-delete-timeout has it: counted from when the pod should have ended. */
export function isSkipped(deletionTime: number, now: number, skipAfterMs: number | undefined): boolean {
  return skipAfterMs !== undefined && skipAfterMs > 0 && now - deletionTime > skipAfterMs;
}

/** It is deleted, or the drain does not wait for it. */
export function isAway({ kind }: DrainPodState): boolean {
  return kind === 'gone' || kind === 'leftBehind';
}

/** Nothing more happens to it here. */
export function isSettled(state: DrainPodState): boolean {
  return isAway(state) || state.kind === 'impossible';
}
