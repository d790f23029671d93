/** When and how a running container ends by itself. */

import type { PodObject } from '../controllers/common/workloads.ts';
import { annotationOf, durationOf, sim } from './annotations.ts';
import type { ContainerRecord, MachineSettings } from './pod-state.ts';

export interface Exit {
  readonly atMs: number;
  readonly exitCode: number;
}

/** How long a container runs that is told to crash again and again. */
const crashAfterMs = 1000;
const initRunMs = 100;
const defaultRunMs = 3000;

export function exitOf(
  pod: PodObject,
  record: ContainerRecord,
  startedMs: number,
  settings: MachineSettings,
): Exit | undefined {
  const after = (ms: number): number => startedMs + ms / settings.speed;
  if (record.role === 'init') return { atMs: after(initRunMs), exitCode: 0 };
  if (record.role === 'sidecar') return undefined;
  if (annotationOf(pod, sim.crash) === 'loop' && isFirstMain(pod, record)) {
    return { atMs: after(crashAfterMs), exitCode: 1 };
  }
  const told = toldExitCode(pod);
  if (!runsToCompletion(pod)) return told === undefined ? undefined : { atMs: after(crashAfterMs), exitCode: told };
  return { atMs: after(durationOf(pod, sim.runSeconds, defaultRunMs)), exitCode: told ?? 0 };
}

/** What a crash is about, where the pod has several containers. */
export function isFirstMain(pod: PodObject, record: ContainerRecord): boolean {
  return pod.spec.containers[0]?.name === record.name;
}

function toldExitCode(pod: PodObject): number | undefined {
  const text = annotationOf(pod, sim.exit);
  return text !== undefined && /^[0-9]{1,3}$/.test(text) ? Number(text) & 0xff : undefined;
}

function runsToCompletion(pod: PodObject): boolean {
  if (annotationOf(pod, sim.runSeconds) !== undefined) return true;
  if ((pod.spec.restartPolicy ?? 'Always') === 'Always') return false;
  return (pod.metadata.ownerReferences ?? []).some(({ kind, controller }) => kind === 'Job' && controller === true);
}

/** Whether a container that ended like this is started again. */
export function isRestarted(pod: PodObject, record: ContainerRecord, exitCode: number): boolean {
  const policy = pod.spec.restartPolicy ?? 'Always';
  if (record.role === 'sidecar') return true;
  if (record.role === 'init') return exitCode !== 0 && policy !== 'Never';
  return policy === 'Always' || (policy === 'OnFailure' && exitCode !== 0);
}
