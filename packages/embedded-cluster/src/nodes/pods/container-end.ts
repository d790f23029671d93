/** When and how a running container ends by itself. */

import type { PodObject } from '../../controllers/common/workloads.ts';
import { annotationOf, durationOf, sim } from '../annotations.ts';
import type { ContainerRecord, Ended, MachineSettings } from './pod-state.ts';

export interface Exit {
  readonly atMs: number;
  readonly exitCode: number;
}

/** How long a container runs that is told to crash again and again. */
const crashAfterMs = 1000;
const initRunMs = 100;

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
  // Where Jobs run on, so do those that sleep: when they began is not known there.
  const byItself = Number.isFinite(settings.jobRunMs) ? sleepMs(pod, record) : undefined;
  const runMs = durationOf(pod, sim.runSeconds, byItself ?? settings.jobRunMs);
  return Number.isFinite(runMs) ? { atMs: after(runMs), exitCode: told ?? 0 } : undefined;
}

/** Nothing runs in a container, but what `sleep 300` would do is known. */
function sleepMs(pod: PodObject, { name }: ContainerRecord): number | undefined {
  const container = pod.spec.containers.find((one) => one.name === name);
  const [program, time, ...more] = [...(container?.command ?? []), ...(container?.args ?? [])];
  const [, amount, unit = 's'] = /^(\d{1,7}(?:\.\d+)?)([smhd])?$/.exec(time ?? '') ?? [];
  if (amount === undefined || more.length > 0 || !/^(?:\/(?:usr\/)?bin\/)?sleep$/.test(program ?? '')) return undefined;
  return Number(amount) * (unitMs[unit] ?? 0);
}

const unitMs: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

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

export function endedNow(record: ContainerRecord, startedMs: number, nowMs: number, exitCode: number): Ended {
  return {
    exitCode,
    reason: exitCode === 0 ? 'Completed' : 'Error',
    startedMs,
    finishedMs: nowMs,
    run: record.restarts,
  };
}
