/** How a kubelet counts what a probe finds. */

import type { Probe } from '@holdfast/base/probes/probe-fields';
import type { ProbeKind } from './pod-probes.ts';

export interface WorkerState {
  /** What counts now; undefined: a startup probe that has come to nothing yet. */
  readonly result: boolean | undefined;
  /** The last outcome, and how many of the same there were in a row. */
  readonly outcome: boolean | undefined;
  readonly inARow: number;
  /** Nothing is left to find out in this run of the container. */
  readonly done: boolean;
}

/** Until a probe has passed, a container is not ready and has not started; it is alive until one has failed. */
export function firstState(kind: ProbeKind, readinessPassed: boolean): WorkerState {
  const result = { liveness: true, readiness: readinessPassed, startup: undefined }[kind];
  return { result, outcome: undefined, inARow: 0, done: false };
}

export interface Counted {
  readonly state: WorkerState;
  /** The result that is new with this outcome. */
  readonly changed: boolean | undefined;
}

export function countOutcome(state: WorkerState, outcome: boolean, kind: ProbeKind, probe: Probe): Counted {
  const inARow = state.outcome === outcome ? state.inARow + 1 : 1;
  const enough = inARow >= (outcome ? probe.successThreshold : probe.failureThreshold);
  const result = enough ? outcome : state.result;
  const changed = enough && result !== state.result ? outcome : undefined;
  // A container that has started never starts again in this run, and one that is to be killed is not asked any more.
  const done = enough && (kind === 'startup' || (kind === 'liveness' && !outcome));
  return { state: { result, outcome, inARow, done }, changed };
}

/** Another outcome like the last one would change nothing. */
export function isSettled({ result, outcome }: WorkerState): boolean {
  return outcome !== undefined && outcome === result;
}

export interface Rhythm {
  readonly firstMs: number;
  readonly periodMs: number;
}

/** Probes begin after their delay and then a little later, so that containers that start together are not asked together. */
const spreadMs = 1000;

export function rhythmOf(probe: Probe, startedMs: number, chance: number, speed: number): Rhythm {
  const periodMs = (probe.periodSeconds * 1000) / speed;
  const spread = Math.min(periodMs, spreadMs / speed) * chance;
  return { firstMs: startedMs + (probe.initialDelaySeconds * 1000) / speed + spread, periodMs };
}

/** The next beat of the rhythm, not before now. */
export function nextBeat({ firstMs, periodMs }: Rhythm, nowMs: number): number {
  if (nowMs <= firstMs) return firstMs;
  return firstMs + Math.ceil((nowMs - firstMs) / periodMs) * periodMs;
}
