import type { PodStatus } from 'kubernetes-types/core/v1.js';
import type { PodObject } from '../../controllers/common/workloads.ts';
import { timestamp } from '../../time/clock.ts';
import { containerStatus } from './container-status.ts';
import { podConditions } from './pod-conditions.ts';
import { exitCodeOf } from './pod-machine.ts';
import { hasEverRun, type PodState } from './pod-state.ts';

export interface Addresses {
  readonly podIp: string;
  readonly hostIp: string;
}

/** The status that the kubelet of the pod's node writes. What it does not know about stays as it is. */
export function podStatus(pod: PodObject, state: PodState, { podIp, hostIp }: Addresses, nowMs: number): PodStatus {
  const phase = phaseOfState(state);
  const of = (isInit: boolean) =>
    state.containers.filter(({ role }) => (role !== 'main') === isInit).map((record) => containerStatus(pod, record));
  const initContainerStatuses = of(true);
  const hasAddress = state.containers.some(hasEverRun);
  return {
    ...pod.status,
    ...(state.observedGeneration === undefined ? {} : { observedGeneration: state.observedGeneration }),
    phase,
    ...state.failure,
    conditions: podConditions(pod, state, phase, nowMs),
    hostIP: hostIp,
    hostIPs: [{ ip: hostIp }],
    ...(hasAddress ? { podIP: podIp, podIPs: [{ ip: podIp }] } : {}),
    startTime: pod.status?.startTime ?? timestamp(state.seenMs),
    ...(initContainerStatuses.length > 0 ? { initContainerStatuses } : {}),
    containerStatuses: of(false),
  };
}

export function phaseOfState(state: PodState): string {
  const main = state.containers.filter(({ role }) => role === 'main');
  if (state.failure) return 'Failed';
  if (state.over) {
    const failed = state.containers.some((record) => record.role !== 'sidecar' && (exitCodeOf(record) ?? 0) !== 0);
    return failed ? 'Failed' : 'Succeeded';
  }
  return main.every((record) => hasEverRun(record)) ? 'Running' : 'Pending';
}
