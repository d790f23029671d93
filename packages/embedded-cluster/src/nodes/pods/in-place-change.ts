/** What a kubelet does about a changed spec of a container that runs. */

import { sameJson } from '@holdfast/base/json';
import type { Container } from 'kubernetes-types/core/v1.js';
import type { PodObject } from '../../controllers/common/workloads.ts';
import { annotationOf, durationOf, sim } from '../annotations.ts';
import { endedNow } from './container-end.ts';
import type { ContainerMachineContext } from './container-machine.ts';
import {
  type ContainerChange,
  type ContainerRecord,
  containerSpecOf,
  imageOf,
  type MachineSettings,
} from './pod-state.ts';

/** Why the node cannot give the pod what a resize asks for, now (`Deferred`) or ever (`Infeasible`). */
export type ResizeProblem = 'Deferred' | 'Infeasible';

export function resizeProblem(pod: PodObject): ResizeProblem | undefined {
  const told = annotationOf(pod, sim.resize);
  if (told === 'deferred') return 'Deferred';
  return told === 'infeasible' ? 'Infeasible' : undefined;
}

/** Whether the node keeps a container on other resources than its spec asks for. */
export function awaitsResize(pod: PodObject, record: ContainerRecord): boolean {
  if (record.role === 'init' || record.run.kind !== 'running' || record.change !== undefined) return false;
  const spec = containerSpecOf(pod, record.name);
  return spec !== undefined && !sameJson(spec.resources ?? {}, record.resources ?? {});
}

/**
 * A new image or, where the container asks for it, new resources mean a restart: the old container is told to stop, and runs on
 * until it has; else resources change in place. A kubelet finishes what it began before it looks at a newer spec.
 */
export function followSpec(
  record: ContainerRecord,
  startedMs: number,
  context: ContainerMachineContext,
): ContainerRecord {
  if (record.change !== undefined) return finish(record, record.change, startedMs, context);
  const spec = containerSpecOf(context.pod, record.name);
  if (spec === undefined || record.role === 'init' || context.busy) return record;
  const change = changeOf(record, spec, context);
  if (change === undefined) return record;
  if (change.kind === 'restart') {
    const message = `Container ${record.name} definition changed, will be restarted`;
    context.note({ type: 'Normal', reason: 'Killing', message });
  }
  return { ...record, change };
}

function changeOf(
  record: ContainerRecord,
  spec: Container,
  { pod, nowMs, settings }: ContainerMachineContext,
): ContainerChange | undefined {
  const resizes = resizeProblem(pod) === undefined && !sameJson(spec.resources ?? {}, record.resources ?? {});
  const restarts = imageOf(spec) !== record.image || (resizes && asksForRestart(record, spec));
  if (restarts) return { kind: 'restart', resizes, spec, doneMs: nowMs + stopDelayMs(pod, settings) / settings.speed };
  if (!resizes) return undefined;
  return { kind: 'resize', resizes, spec, doneMs: nowMs + durationOf(pod, sim.resize, 0) / settings.speed };
}

/** How long a container of the pod takes to stop. */
export function stopDelayMs(pod: PodObject, settings: MachineSettings): number {
  const sleeps = pod.spec.containers.map(({ lifecycle }) => (lifecycle?.preStop?.sleep?.seconds ?? 0) * 1000);
  return durationOf(pod, sim.stopDelay, settings.stopDelayMs) + Math.max(0, ...sleeps);
}

function finish(
  record: ContainerRecord,
  change: ContainerChange,
  startedMs: number,
  { pod, nowMs, settings }: ContainerMachineContext,
): ContainerRecord {
  if (nowMs < change.doneMs) return record;
  if (change.kind === 'resize') return { ...record, resources: change.spec.resources, change: undefined };
  const ended = endedNow(record, startedMs, nowMs, 0);
  // Only a pod that says so takes its time to start again.
  const retryMs = nowMs + durationOf(pod, sim.startDelay, 0) / settings.speed;
  return { ...record, run: { kind: 'ended', ended }, retryMs };
}

function asksForRestart(record: ContainerRecord, spec: Container): boolean {
  const amounts = (source: ContainerRecord['resources'], name: string) => [
    source?.requests?.[name],
    source?.limits?.[name],
  ];
  return (spec.resizePolicy ?? []).some(
    ({ resourceName, restartPolicy }) =>
      restartPolicy === 'RestartContainer' &&
      !sameJson(amounts(spec.resources, resourceName), amounts(record.resources, resourceName)),
  );
}
