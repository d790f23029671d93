import type { PodObject } from '../../controllers/common/workloads.ts';
import { endedNow, exitOf, isFirstMain, isRestarted } from './container-end.ts';
import { cannotPull, pullFailure } from './images.ts';
import { followSpec, resizeProblem } from './in-place-change.ts';
import {
  type ContainerRecord,
  containerSpecOf,
  type Ended,
  imageOf,
  type MachineSettings,
  type Note,
} from './pod-state.ts';

const firstBackOffMs = 10_000;
const lastBackOffMs = 300_000;
/** A container that ran for so long has recovered. */
const recoveredMs = 600_000;
/** Between a container's first end and its next start. */
const firstRestartMs = 1000;
/** How long a failed pull shows as such before it shows as waiting for the next one. */
const pullErrorMs = 2000;

export interface ContainerMachineContext {
  readonly pod: PodObject;
  readonly nowMs: number;
  readonly settings: MachineSettings;
  /** Those before it are done, or, if they stay, have started. */
  readonly mayStart: boolean;
  readonly startMs: number;
  /** The kubelet is still busy with an older spec of some container of the pod. */
  readonly busy: boolean;
  /** The user wants the pod to crash, and it has not done so yet. */
  readonly crashNow: boolean;
  note(note: Note): void;
}

/** What happens to a container now; the same record when nothing does. */
export function stepContainer(record: ContainerRecord, context: ContainerMachineContext): ContainerRecord {
  if (record.run.kind === 'running') return stepRunning(record, record.run.startedMs, context);
  if (record.run.kind === 'ended') return stepEnded(record, record.run.ended, context);
  return stepWaiting(record, context);
}

/** When something will happen to it by itself; undefined: never. */
export function nextOf(record: ContainerRecord, context: ContainerMachineContext): number | undefined {
  const { pod, settings, startMs, mayStart } = context;
  if (record.run.kind === 'running') {
    const times = [exitOf(pod, record, record.run.startedMs, settings)?.atMs, record.change?.doneMs];
    return earliest(times);
  }
  if (record.run.kind === 'ended' && !comesBack(pod, record, record.run.ended)) return undefined;
  return mayStart ? (record.retryMs ?? startMs) : undefined;
}

function earliest(times: readonly (number | undefined)[]): number | undefined {
  const known = times.filter((one) => one !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}

function stepRunning(record: ContainerRecord, startedMs: number, context: ContainerMachineContext): ContainerRecord {
  const { pod, nowMs } = context;
  if (context.crashNow && isFirstMain(pod, record)) return crash(record, startedMs, context, 1);
  const exit = exitOf(pod, record, startedMs, context.settings);
  if (exit && exit.atMs <= nowMs) return crash(record, startedMs, context, exit.exitCode);
  return followSpec(record, startedMs, context);
}

/** A kubelet restarts a container whose spec changed, whatever the restart policy says. */
function comesBack(pod: PodObject, record: ContainerRecord, ended: Ended): boolean {
  return record.change !== undefined || isRestarted(pod, record, ended.exitCode);
}

function stepEnded(record: ContainerRecord, ended: Ended, context: ContainerMachineContext): ContainerRecord {
  if (!comesBack(context.pod, record, ended)) return record;
  const retryMs = record.retryMs ?? context.nowMs;
  if (retryMs <= context.nowMs) return start({ ...record, last: ended, restarts: record.restarts + 1 }, context);
  // The first start again follows at once; only later ones are put off visibly.
  if (record.crashes < 2 || record.change !== undefined) return record;
  const seconds = backOffMs(record.crashes - 1) / 1000;
  const { metadata } = context.pod;
  const of = `${metadata.name}_${metadata.namespace}(${metadata.uid})`;
  context.note({
    type: 'Warning',
    reason: 'BackOff',
    message: `Back-off restarting failed container ${record.name} in pod ${of}`,
  });
  const message = `back-off ${goDuration(seconds)} restarting failed container=${record.name} pod=${of}`;
  return { ...record, last: ended, run: { kind: 'waiting', reason: 'CrashLoopBackOff', message } };
}

/** As Go prints durations of whole seconds. */
function goDuration(seconds: number): string {
  return seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m${seconds % 60}s`;
}

function stepWaiting(record: ContainerRecord, context: ContainerMachineContext): ContainerRecord {
  const image = imageOf(containerSpecOf(context.pod, record.name));
  if (record.failedPulls > 0 && (image !== record.image || !cannotPull(context.pod, record.name, image))) {
    return start({ ...record, image, failedPulls: 0 }, context);
  }
  if (!context.mayStart || (record.retryMs ?? context.startMs) > context.nowMs) return record;
  if (record.run.kind === 'waiting' && record.run.reason === 'ErrImagePull') return backOffPull(record, context);
  // A restart is counted when it begins, not again with every pull that fails on the way.
  const isRestart = record.last !== undefined && record.failedPulls === 0;
  return start(isRestart ? { ...record, restarts: record.restarts + 1 } : record, context);
}

function backOffPull(record: ContainerRecord, context: ContainerMachineContext): ContainerRecord {
  const delay = backOffMs(record.failedPulls) / context.settings.speed;
  context.note({ type: 'Normal', reason: 'BackOff', message: `Back-off pulling image "${record.image}"` });
  context.note({ type: 'Warning', reason: 'Failed', message: 'Error: ImagePullBackOff' });
  const message = `Back-off pulling image "${record.image}": ErrImagePull: ${pullFailure(record.image)}`;
  return { ...record, run: { kind: 'waiting', reason: 'ImagePullBackOff', message }, retryMs: context.nowMs + delay };
}

function start(record: ContainerRecord, context: ContainerMachineContext): ContainerRecord {
  const { pod, nowMs, settings } = context;
  const spec = record.change?.spec ?? containerSpecOf(pod, record.name);
  const image = imageOf(spec);
  if (cannotPull(pod, record.name, image)) {
    context.note({ type: 'Normal', reason: 'Pulling', message: `Pulling image "${image}"` });
    const message = pullFailure(image);
    context.note({ type: 'Warning', reason: 'Failed', message: `Failed to pull image "${image}": ${message}` });
    context.note({ type: 'Warning', reason: 'Failed', message: 'Error: ErrImagePull' });
    const run = { kind: 'waiting', reason: 'ErrImagePull', message } as const;
    const retryMs = nowMs + pullErrorMs / settings.speed;
    return { ...record, image, run, retryMs, failedPulls: record.failedPulls + 1, change: undefined };
  }
  context.note({ type: 'Normal', reason: 'Pulled', message: `Container image "${image}" already present on machine` });
  context.note({ type: 'Normal', reason: 'Created', message: `Created container: ${record.name}` });
  context.note({ type: 'Normal', reason: 'Started', message: `Started container ${record.name}` });
  return {
    ...record,
    image,
    resources: resizeProblem(pod) === undefined || record.last === undefined ? spec?.resources : record.resources,
    change: undefined,
    run: { kind: 'running', startedMs: nowMs },
    failedPulls: 0,
    retryMs: undefined,
    startupPassed: false,
    readinessPassed: false,
  };
}

/** The container ends by itself, or is ended by a probe; how often it did before decides when it comes back. */
export function crash(
  record: ContainerRecord,
  startedMs: number,
  context: Pick<ContainerMachineContext, 'nowMs' | 'settings'>,
  exitCode: number,
): ContainerRecord {
  const { nowMs, settings } = context;
  const recovered = (nowMs - startedMs) * settings.speed >= recoveredMs;
  const crashes = (recovered ? 0 : record.crashes) + 1;
  const delay = crashes === 1 ? firstRestartMs : backOffMs(crashes - 1);
  const ended = endedNow(record, startedMs, nowMs, exitCode);
  return {
    ...record,
    run: { kind: 'ended', ended },
    crashes,
    retryMs: nowMs + delay / settings.speed,
    change: undefined,
  };
}

function backOffMs(times: number): number {
  return Math.min(firstBackOffMs * 2 ** Math.min(times - 1, 10), lastBackOffMs);
}
