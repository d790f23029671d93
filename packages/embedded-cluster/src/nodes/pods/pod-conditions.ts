import { hasProbe } from '@holdfast/base/probes/probe';
import type { PodCondition } from 'kubernetes-types/core/v1.js';
import { findCondition } from '../../controllers/common/conditions.ts';
import type { PodObject } from '../../controllers/common/workloads.ts';
import { timestamp } from '../../time/clock.ts';
import { annotationOf, sim } from '../annotations.ts';
import { awaitsResize, resizeProblem } from './in-place-change.ts';
import { isStarted } from './pod-machine.ts';
import { type ContainerRecord, containerSpecOf, hasEverRun, type PodState } from './pod-state.ts';

interface Verdict {
  readonly type: string;
  readonly status: 'True' | 'False';
  readonly reason?: string;
  readonly message?: string;
}

/** Newer than the published types. */
type Condition = Omit<PodCondition, 'lastProbeTime' | 'status'> & {
  status: string;
  lastProbeTime: string | null;
  observedGeneration?: number;
};

export function isContainerReady(pod: PodObject, record: ContainerRecord): boolean {
  if (record.role === 'init') return record.run.kind === 'ended' && record.run.ended.exitCode === 0;
  if (record.run.kind !== 'running') return false;
  const forced = annotationOf(pod, sim.ready);
  if (forced === 'true' || forced === 'false') return forced === 'true';
  return isStarted(pod, record) && (!containerSpecOf(pod, record.name)?.readinessProbe || record.readinessPassed);
}

/** The conditions that a kubelet keeps, and, unchanged, those of other writers. */
export function podConditions(pod: PodObject, state: PodState, phase: string, nowMs: number): PodCondition[] {
  const before = (pod.status?.conditions ?? []) as readonly Condition[];
  const verdicts = [...verdictsOf(pod, state, phase), ...resizeVerdicts(pod, state)];
  const own = verdicts.map((verdict) => conditionOf(verdict, before, state.observedGeneration, nowMs));
  const ready = own.find(({ type }) => type === 'Ready');
  if (ready && !hasProbe(pod)) own.push(mirrored(ready));
  const types = new Set([...own.map(({ type }) => type), ...resizeConditions]);
  return [...own, ...before.filter(({ type }) => !types.has(type))] as PodCondition[];
}

/** A kubelet has these only while they are true. */
const resizeConditions = ['PodResizePending', 'PodResizeInProgress'];

function resizeVerdicts(pod: PodObject, state: PodState): readonly Verdict[] {
  if (state.over) return [];
  if (state.containers.some(({ change }) => change?.resizes === true)) {
    return [{ type: 'PodResizeInProgress', status: 'True' }];
  }
  const reason = resizeProblem(pod);
  if (reason === undefined || !state.containers.some((record) => awaitsResize(pod, record))) return [];
  return [{ type: 'PodResizePending', status: 'True', reason, message: resizeMessages[reason] }];
}

const resizeMessages = {
  Deferred: 'Node has not enough room for the resize now',
  Infeasible: 'Node can never have enough room for the resize',
} as const;

/** The pod has no probe of its own, so it may be disrupted when it is ready. */
function mirrored({ reason: _reason, message: _message, ...ready }: Condition): Condition {
  return { ...ready, type: 'Disruptable' };
}

function conditionOf(
  { type, status, reason, message }: Verdict,
  before: readonly Condition[],
  generation: number | undefined,
  nowMs: number,
): Condition {
  const old = findCondition(before as readonly (Condition & { lastTransitionTime?: string })[], type);
  const kept = old?.status === status ? old.lastTransitionTime : undefined;
  return {
    type,
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    status,
    lastProbeTime: null,
    lastTransitionTime: kept ?? timestamp(nowMs),
    ...(reason === undefined ? {} : { reason }),
    ...(message === undefined ? {} : { message }),
  };
}

function verdictsOf(pod: PodObject, state: PodState, phase: string): readonly Verdict[] {
  const hasSandbox = !state.over && state.containers.some(hasEverRun);
  return [
    { type: 'PodReadyToStartContainers', status: hasSandbox ? 'True' : 'False' },
    initialized(state, phase),
    readyVerdict(pod, state, phase),
    containersReady(pod, state, phase),
    { type: 'PodScheduled', status: 'True' },
  ];
}

function finishedReason(phase: string): string | undefined {
  if (phase === 'Succeeded') return 'PodCompleted';
  return phase === 'Failed' ? 'PodFailed' : undefined;
}

function initialized(state: PodState, phase: string): Verdict {
  const type = 'Initialized';
  if (phase === 'Succeeded') return { type, status: 'True', reason: 'PodCompleted' };
  const waiting = state.containers.filter(
    ({ role, run }) =>
      (role === 'init' && !(run.kind === 'ended' && run.ended.exitCode === 0)) ||
      (role === 'sidecar' && run.kind === 'waiting'),
  );
  if (waiting.length === 0) return { type, status: 'True' };
  const message = `containers with incomplete status: [${waiting.map(({ name }) => name).join(' ')}]`;
  return { type, status: 'False', reason: 'ContainersNotInitialized', message };
}

function containersReady(pod: PodObject, state: PodState, phase: string): Verdict {
  const type = 'ContainersReady';
  const reason = finishedReason(phase);
  if (reason) return { type, status: 'False', reason };
  const unready = state.containers.filter((record) => record.role !== 'init' && !isContainerReady(pod, record));
  if (unready.length === 0) return { type, status: 'True' };
  const message = `containers with unready status: [${unready.map(({ name }) => name).join(' ')}]`;
  return { type, status: 'False', reason: 'ContainersNotReady', message };
}

function readyVerdict(pod: PodObject, state: PodState, phase: string): Verdict {
  const containers = containersReady(pod, state, phase);
  if (containers.status === 'False') return { ...containers, type: 'Ready' };
  const missing = (pod.spec.readinessGates ?? []).flatMap(({ conditionType }) => gateProblem(pod, conditionType));
  if (missing.length === 0) return { type: 'Ready', status: 'True' };
  return { type: 'Ready', status: 'False', reason: 'ReadinessGatesNotReady', message: missing.join(', ') };
}

function gateProblem(pod: PodObject, gate: string): readonly string[] {
  const found = pod.status?.conditions?.find(({ type }) => type === gate);
  if (!found) return [`corresponding condition of pod readiness gate "${gate}" does not exist.`];
  if (found.status === 'True') return [];
  return [`the status of pod readiness gate "${gate}" is not "True", but ${found.status}`];
}
