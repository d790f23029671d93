import type { Container, ContainerState, ContainerStatus } from 'kubernetes-types/core/v1.js';
import { isFinishedPod, millis } from '../../controllers/common/pods.ts';
import type { PodObject } from '../../controllers/common/workloads.ts';
import { durationOf, sim } from '../annotations.ts';
import {
  type ContainerRecord,
  containerRoleOf,
  type Ended,
  imageOf,
  type MachineSettings,
  type PodState,
  type Run,
} from './pod-state.ts';

/** A tenth of the delay, either way, so that pods that come together do not start together. */
const jitter = 0.2;

/** The state of a pod that this node sees for the first time: a new one, or one that ran before the simulator restarted. */
export function beginPod(pod: PodObject, nowMs: number, chance: number, settings: MachineSettings): PodState {
  const { startDelayMs } = settings;
  const usual = typeof startDelayMs === 'number' ? startDelayMs : startDelayMs(pod);
  const delay = durationOf(pod, sim.startDelay, usual) * (1 + jitter * (chance - 0.5));
  const records = (list: readonly Container[], isInit: boolean) =>
    list.map((container) => recordOf(pod, container, isInit));
  return {
    uid: pod.metadata.uid ?? '',
    seenMs: millis(pod.status?.startTime) ?? nowMs,
    observedGeneration: pod.metadata.generation,
    startMs: nowMs + delay / settings.speed,
    containers: [...records(pod.spec.initContainers ?? [], true), ...records(pod.spec.containers, false)],
    stop: undefined,
    over: isFinishedPod(pod),
    failure: undefined,
    crashed: false,
  };
}

function recordOf(pod: PodObject, container: Container, isInit: boolean): ContainerRecord {
  const statuses = (isInit ? pod.status?.initContainerStatuses : pod.status?.containerStatuses) ?? [];
  const status = statuses.find(({ name }) => name === container.name);
  const restarts = status?.restartCount ?? 0;
  return {
    name: container.name,
    role: containerRoleOf(container, isInit),
    image: status?.image || imageOf(container),
    resources: status?.resources ?? container.resources,
    run: status ? runOf(status) : newRun(pod),
    last: endedOf(status?.lastState, Math.max(0, restarts - 1)),
    restarts,
    crashes: restarts,
    failedPulls: 0,
    retryMs: undefined,
    startupPassed: status?.started ?? false,
    readinessPassed: status?.ready ?? false,
    change: undefined,
  };
}

function newRun(pod: PodObject): Run {
  const reason = (pod.spec.initContainers ?? []).length > 0 ? 'PodInitializing' : 'ContainerCreating';
  return { kind: 'waiting', reason };
}

function runOf(status: ContainerStatus): Run {
  const startedMs = millis(status.state?.running?.startedAt);
  if (startedMs !== undefined) return { kind: 'running', startedMs };
  const ended = endedOf(status.state, status.restartCount);
  if (ended) return { kind: 'ended', ended };
  const { reason = 'ContainerCreating', message } = status.state?.waiting ?? {};
  return { kind: 'waiting', reason, ...(message === undefined ? {} : { message }) };
}

function endedOf(state: ContainerState | undefined, run: number): Ended | undefined {
  const terminated = state?.terminated;
  if (!terminated) return undefined;
  return {
    exitCode: terminated.exitCode,
    reason: terminated.reason ?? '',
    ...(terminated.message === undefined ? {} : { message: terminated.message }),
    startedMs: millis(terminated.startedAt),
    finishedMs: millis(terminated.finishedAt) ?? 0,
    run,
  };
}
