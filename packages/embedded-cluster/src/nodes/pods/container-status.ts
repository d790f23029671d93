import { createHash } from 'node:crypto';
import type { ContainerState, ContainerStatus } from 'kubernetes-types/core/v1.js';
import type { PodObject } from '../../controllers/common/workloads.ts';
import { timestamp } from '../../time/clock.ts';
import { isContainerReady } from './pod-conditions.ts';
import { isStarted } from './pod-machine.ts';
import { type ContainerRecord, type Ended, hasEverRun } from './pod-state.ts';

export function containerStatus(pod: PodObject, record: ContainerRecord): ContainerStatus {
  const { uid = '' } = pod.metadata;
  const ran = hasEverRun(record);
  return {
    ...(ran ? { containerID: containerId(uid, record.name, shownRun(record)) } : {}),
    image: record.image,
    imageID: ran ? imageId(record.image) : '',
    lastState: record.last && record.last !== endedOf(record) ? ended(uid, record.name, record.last) : {},
    name: record.name,
    ready: isContainerReady(pod, record),
    restartCount: record.restarts,
    started: isStarted(pod, record),
    state: stateOf(uid, record),
    ...actuated(record),
  };
}

function endedOf(record: ContainerRecord): Ended | undefined {
  return record.run.kind === 'ended' ? record.run.ended : undefined;
}

/** While a container waits to be started again, it is known by its last run. */
function shownRun(record: ContainerRecord): number {
  return record.run.kind === 'waiting' ? (record.last?.run ?? record.restarts) : record.restarts;
}

/** What the container runs with, which a resize changes. */
function actuated({
  role,
  run,
  resources,
}: ContainerRecord): Pick<ContainerStatus, 'resources' | 'allocatedResources'> {
  if (role === 'init' || run.kind !== 'running' || !resources) return {};
  const { requests } = resources;
  return { ...(requests ? { allocatedResources: { ...requests } } : {}), resources };
}

function stateOf(uid: string, { name, run }: ContainerRecord): ContainerState {
  if (run.kind === 'running') return { running: { startedAt: timestamp(run.startedMs) } };
  if (run.kind === 'ended') return ended(uid, name, run.ended);
  return { waiting: { reason: run.reason, ...(run.message === undefined ? {} : { message: run.message }) } };
}

function ended(uid: string, name: string, end: Ended): ContainerState {
  const { exitCode, reason, message, startedMs, finishedMs, run } = end;
  return {
    terminated: {
      ...(startedMs === undefined ? {} : { containerID: containerId(uid, name, run) }),
      exitCode,
      finishedAt: timestamp(finishedMs),
      ...(message === undefined ? {} : { message }),
      reason,
      startedAt: startedMs === undefined ? timestamp(finishedMs) : timestamp(startedMs),
    },
  };
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function containerId(uid: string, name: string, run: number): string {
  return `holdfast-sim://${digest(`${uid}/${name}/${run}`)}`;
}

/** The same image always has the same digest, here as in a registry. */
function imageId(image: string): string {
  return `${image.replace(/@sha256:[0-9a-f]{64}$/, '').replace(/:[^/:]+$/, '')}@sha256:${digest(image)}`;
}
