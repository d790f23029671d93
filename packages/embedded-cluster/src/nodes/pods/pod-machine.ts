/** The life of a pod on its node, as a function of what is asked of it and of time. */

import { isTerminating } from '../../controllers/common/pods.ts';
import type { PodObject } from '../../controllers/common/workloads.ts';
import { annotationOf, sim } from '../annotations.ts';
import type { ProbeKind } from '../probes/pod-probes.ts';
import { endedNow, isFirstMain, isRestarted } from './container-end.ts';
import { type ContainerMachineContext, crash, nextOf, stepContainer } from './container-machine.ts';
import { stopDelayMs } from './in-place-change.ts';
import { type ContainerRecord, containerSpecOf, type MachineSettings, type Note, type PodState } from './pod-state.ts';

export interface PodStep {
  readonly state: PodState;
  readonly notes: readonly Note[];
  /** When to look again though nothing was asked; undefined: no need. */
  readonly wakeMs: number | undefined;
}

const defaultGraceSeconds = 30;
const killedExitCode = 137;
/** Containers of one pod depend on each other; each look lets what happened to one reach the next. */
const maxLooks = 64;

/** What has become of the pod by now. */
export function stepPod(pod: PodObject, state: PodState, nowMs: number, settings: MachineSettings): PodStep {
  const notes: Note[] = [];
  const current = rememberCrash(pod, state);
  if (current.over) return { state: current, notes, wakeMs: undefined };
  if (isTerminating(pod)) return stepStopping(pod, current, nowMs, settings);
  const deadlineMs = deadlineOf(pod, current, settings);
  if (deadlineMs <= nowMs) return { state: failLate(current, nowMs), notes, wakeMs: undefined };
  let { containers, observedGeneration } = current;
  for (let look = 0; look < maxLooks; look += 1) {
    if (!isBusy(containers)) observedGeneration = pod.metadata.generation;
    const seen = { ...current, observedGeneration };
    const next = lookOnce(pod, seen, containers, { nowMs, settings, note: (note) => notes.push(note) });
    if (next.every((record, index) => record === containers[index])) break;
    containers = next;
  }
  const crashed = current.crashed || (isCrashAsked(pod) && justEnded(pod, containers, nowMs));
  const over = isOver(pod, containers);
  const left = over ? containers.map((record) => endSidecar(record, nowMs)) : containers;
  const next = { ...current, observedGeneration, containers: left, crashed, over };
  const wakeMs = Math.min(deadlineMs, wakeTime(pod, next, nowMs, settings));
  return { state: next, notes, wakeMs: over || wakeMs === never ? undefined : wakeMs };
}

const never = Number.POSITIVE_INFINITY;

function deadlineOf(pod: PodObject, state: PodState, settings: MachineSettings): number {
  const seconds = pod.spec.activeDeadlineSeconds;
  return seconds === undefined ? never : state.seenMs + (seconds * 1000) / settings.speed;
}

function failLate(state: PodState, nowMs: number): PodState {
  const message = 'Pod was active on the node longer than the specified deadline';
  const containers = state.containers.map((record) => endForGood(record, nowMs, killedExitCode));
  return { ...state, containers, over: true, failure: { reason: 'DeadlineExceeded', message } };
}

function isCrashAsked(pod: PodObject): boolean {
  return annotationOf(pod, sim.crash) === 'now';
}

/** A kubelet looks at the newest spec when it is done with the one before, and says so before it does anything about it. */
function isBusy(containers: readonly ContainerRecord[]): boolean {
  return containers.some(({ change }) => change !== undefined);
}

/** The annotation stays until it is taken away; one request is one crash. */
function rememberCrash(pod: PodObject, state: PodState): PodState {
  return state.crashed && !isCrashAsked(pod) ? { ...state, crashed: false } : state;
}

function justEnded(pod: PodObject, containers: readonly ContainerRecord[], nowMs: number): boolean {
  return containers.some((record) => {
    const end = record.run.kind === 'ended' ? record.run.ended : record.last;
    return isFirstMain(pod, record) && end?.finishedMs === nowMs;
  });
}

type SharedContext = Pick<ContainerMachineContext, 'nowMs' | 'settings' | 'note'>;

function contextOf(
  pod: PodObject,
  state: PodState,
  containers: readonly ContainerRecord[],
  index: number,
  base: SharedContext,
): ContainerMachineContext {
  return {
    ...base,
    pod,
    startMs: state.startMs,
    busy: state.observedGeneration !== pod.metadata.generation,
    crashNow: isCrashAsked(pod) && !state.crashed,
    mayStart: containers.slice(0, index).every((record) => letsNext(pod, record)),
  };
}

function lookOnce(
  pod: PodObject,
  state: PodState,
  containers: readonly ContainerRecord[],
  base: SharedContext,
): readonly ContainerRecord[] {
  return containers.map((record, index) => stepContainer(record, contextOf(pod, state, containers, index, base)));
}

/** Whether the container after it may begin. Main containers begin together. */
function letsNext(pod: PodObject, record: ContainerRecord): boolean {
  if (record.role === 'main') return true;
  if (record.role === 'init') return record.run.kind === 'ended' && record.run.ended.exitCode === 0;
  return isStarted(pod, record);
}

export function isStarted(pod: PodObject, record: ContainerRecord): boolean {
  return record.run.kind === 'running' && (!containerSpecOf(pod, record.name)?.startupProbe || record.startupPassed);
}

function isOver(pod: PodObject, containers: readonly ContainerRecord[]): boolean {
  const isDone = (record: ContainerRecord) =>
    record.run.kind === 'ended' && record.change === undefined && !isRestarted(pod, record, record.run.ended.exitCode);
  if (containers.some((record) => record.role === 'init' && isDone(record) && exitCodeOf(record) !== 0)) return true;
  return containers.every((record) => record.role !== 'main' || isDone(record));
}

export function exitCodeOf(record: ContainerRecord): number | undefined {
  return record.run.kind === 'ended' ? record.run.ended.exitCode : undefined;
}

function endSidecar(record: ContainerRecord, nowMs: number): ContainerRecord {
  if (record.run.kind !== 'running') return record;
  return { ...record, run: { kind: 'ended', ended: endedNow(record, record.run.startedMs, nowMs, 0) } };
}

function wakeTime(pod: PodObject, state: PodState, nowMs: number, settings: MachineSettings): number {
  const times = state.containers.map((record, index) => {
    const base = { nowMs, settings, note: () => undefined };
    return nextOf(record, contextOf(pod, state, state.containers, index, base)) ?? never;
  });
  return Math.min(...times);
}

/** A deleted pod: its containers end when they have finished, or at the latest when the grace period is over. */
function stepStopping(pod: PodObject, state: PodState, nowMs: number, settings: MachineSettings): PodStep {
  const stop = state.stop ?? { sinceMs: nowMs, delayMs: stopDelayMs(pod, settings) / settings.speed };
  const graceMs = ((pod.metadata.deletionGracePeriodSeconds ?? defaultGraceSeconds) * 1000) / settings.speed;
  const notes: Note[] = state.stop ? [] : killingNotes(state);
  const dueMs = stop.sinceMs + Math.min(stop.delayMs, graceMs);
  if (nowMs < dueMs) return { state: { ...state, stop }, notes, wakeMs: dueMs };
  const exitCode = stop.delayMs <= graceMs ? 0 : killedExitCode;
  const containers = state.containers.map((record) => endForGood(record, nowMs, exitCode));
  return { state: { ...state, stop, containers, over: true }, notes, wakeMs: undefined };
}

function killingNotes(state: PodState): Note[] {
  return state.containers
    .filter(({ run }) => run.kind === 'running')
    .map(({ name }) => ({ type: 'Normal', reason: 'Killing', message: `Stopping container ${name}` }));
}

function endForGood(record: ContainerRecord, nowMs: number, exitCode: number): ContainerRecord {
  if (record.run.kind === 'ended') return record;
  if (record.run.kind === 'running') {
    const ended = endedNow(record, record.run.startedMs, nowMs, exitCode);
    return { ...record, run: { kind: 'ended', ended }, retryMs: undefined };
  }
  const ended = {
    exitCode: killedExitCode,
    reason: 'ContainerStatusUnknown',
    message: 'The container could not be located when the pod was terminated',
    startedMs: undefined,
    finishedMs: nowMs,
    run: record.restarts,
  };
  return { ...record, run: { kind: 'ended', ended }, retryMs: undefined };
}

/** A probe has come to a result that is not the one it had. */
export interface ProbeResult {
  readonly container: string;
  readonly kind: ProbeKind;
  readonly passed: boolean;
}

export function applyProbe(
  state: PodState,
  { container, kind, passed }: ProbeResult,
  nowMs: number,
  settings: MachineSettings,
): { readonly state: PodState; readonly notes: readonly Note[] } {
  const notes: Note[] = [];
  const containers = state.containers.map((record) => {
    if (record.name !== container || record.run.kind !== 'running') return record;
    if (kind === 'readiness') return { ...record, readinessPassed: passed };
    if (passed) return kind === 'startup' ? { ...record, startupPassed: true } : record;
    const message = `Container ${container} failed ${kind} probe, will be restarted`;
    notes.push({ type: 'Normal', reason: 'Killing', message });
    return crash(record, record.run.startedMs, { nowMs, settings }, killedExitCode);
  });
  return { state: { ...state, containers }, notes };
}
