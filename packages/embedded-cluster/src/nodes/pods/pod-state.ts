/** What a node knows of a pod that runs on it. Times are milliseconds since 1970. */

import type { Container, ResourceRequirements } from 'kubernetes-types/core/v1.js';
import type { PodObject } from '../../controllers/common/workloads.ts';

/** `init` containers end before the next begins; `sidecar`s go on beside the `main` ones. */
export type Role = 'init' | 'sidecar' | 'main';

/** A run of a container that is over. */
export interface Ended {
  readonly exitCode: number;
  readonly reason: string;
  readonly message?: string;
  readonly startedMs: number | undefined;
  readonly finishedMs: number;
  /** Which run of the container it was, from 0. */
  readonly run: number;
}

export type Run =
  | { readonly kind: 'waiting'; readonly reason: string; readonly message?: string }
  | { readonly kind: 'running'; readonly startedMs: number }
  | { readonly kind: 'ended'; readonly ended: Ended };

export interface ContainerRecord {
  readonly name: string;
  readonly role: Role;
  /** What it runs with; the spec may already say something else. */
  readonly image: string;
  readonly resources: ResourceRequirements | undefined;
  readonly run: Run;
  readonly last: Ended | undefined;
  readonly restarts: number;
  /** In a row; they decide how long the next start is put off. */
  readonly crashes: number;
  readonly failedPulls: number;
  /** When a container that does not run is tried again. */
  readonly retryMs: number | undefined;
  /** What its probes found, for this run. */
  readonly startupPassed: boolean;
  readonly readinessPassed: boolean;
  /** What its kubelet is doing about a change of its spec. */
  readonly change: ContainerChange | undefined;
}

/**
 * A change of a container's spec that its kubelet has begun to carry out. A restart stops the old container first, which runs on
 * meanwhile as if nothing were the matter.
 */
export interface ContainerChange {
  readonly kind: 'restart' | 'resize';
  readonly resizes: boolean;
  /** The container as it was asked for when this began: what was asked for since comes after it. */
  readonly spec: Container;
  /** When the old container has stopped, or the resize is done. */
  readonly doneMs: number;
}

export interface PodState {
  readonly uid: string;
  readonly seenMs: number;
  /** The generation that the kubelet works on: it takes up the next one when it is done with all that this one asked for. */
  readonly observedGeneration: number | undefined;
  /** Before this nothing runs. */
  readonly startMs: number;
  readonly containers: readonly ContainerRecord[];
  /** The pod is being deleted, and this is when its containers have ended. */
  readonly stop: { readonly sinceMs: number; readonly delayMs: number } | undefined;
  /** All that will ever run has run. */
  readonly over: boolean;
  /** Why the pod as a whole has failed, whatever its containers say. */
  readonly failure: { readonly reason: string; readonly message: string } | undefined;
  /** The crash that the annotation asked for has happened. */
  readonly crashed: boolean;
}

export interface MachineSettings {
  readonly speed: number;
  /** Unless the pod's annotation says otherwise. */
  readonly startDelayMs: number | ((pod: PodObject) => number);
  readonly stopDelayMs: number;
  /** How long pods of Jobs run, unless their annotation says otherwise. Infinity: until they are deleted. */
  readonly jobRunMs: number;
}

/** Something that people see in the events of the pod. */
export interface Note {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

export function containerRoleOf(container: Container, isInit: boolean): Role {
  if (!isInit) return 'main';
  return container.restartPolicy === 'Always' ? 'sidecar' : 'init';
}

export function containerSpecOf(pod: PodObject, name: string): Container | undefined {
  return [...(pod.spec.initContainers ?? []), ...pod.spec.containers].find((container) => container.name === name);
}

export function imageOf(container: Container | undefined): string {
  return container?.image ?? '';
}

export function hasEverRun(record: ContainerRecord): boolean {
  return record.run.kind !== 'waiting' || record.last !== undefined;
}
