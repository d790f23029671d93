import type { ContainerStatus, Pod, PodPhase } from '../../../src/api/pod.ts';
import type { StatefulSet } from '../../../src/api/statefulset.ts';

/** Noon: every table counts its seconds from here. */
export const noon = Date.parse('2026-03-01T12:00:00Z');

export const at = (seconds: number): number => noon + seconds * 1000;
export const iso = (seconds: number): string => new Date(at(seconds)).toISOString();

export interface SetShape {
  readonly name?: string;
  readonly replicas?: number;
  readonly start?: number;
  readonly partition?: number;
  /** False: the strategy is but a type, without `rollingUpdate`. */
  readonly rolling?: boolean;
  readonly maxUnavailable?: number | string;
  readonly minReadySeconds?: number;
  readonly policy?: string;
  readonly strategy?: string;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly claims?: readonly string[];
  readonly generation?: number;
  readonly observed?: number;
  readonly current?: string;
  readonly update?: string;
  readonly deleted?: boolean;
}

const optedIn = { 'holdfast.dev/update-strategy': 'EnforcedRollingUpdate' };

/** An opted-in StatefulSet `web` of three, whose update revision is `new`. */
export function statefulSet(shape: SetShape = {}): StatefulSet {
  const { name = 'web', replicas = 3, generation = 2, update = 'new', strategy = 'RollingUpdate' } = shape;
  return {
    metadata: {
      name,
      namespace: 'shop',
      uid: `${name}-uid`,
      generation,
      annotations: shape.annotations ?? optedIn,
      ...(shape.deleted === true ? { deletionTimestamp: iso(0) } : {}),
    },
    spec: {
      replicas,
      minReadySeconds: shape.minReadySeconds ?? 0,
      podManagementPolicy: shape.policy ?? 'OrderedReady',
      volumeClaimTemplates: (shape.claims ?? []).map((claim) => ({ metadata: { name: claim } })),
      ...(shape.start === undefined ? {} : { ordinals: { start: shape.start } }),
      updateStrategy: { type: strategy, ...(shape.rolling === false ? {} : { rollingUpdate: rollingOf(shape) }) },
    },
    status: {
      observedGeneration: shape.observed ?? generation,
      currentRevision: shape.current ?? 'old',
      updateRevision: update,
    },
  };
}

function rollingOf({ partition = 0, maxUnavailable }: SetShape) {
  return { partition, ...(maxUnavailable === undefined ? {} : { maxUnavailable }) };
}

export interface PodShape {
  readonly revision?: string;
  readonly phase?: PodPhase;
  /** Seconds from noon. */
  readonly created?: number;
  readonly ready?: 'True' | 'False' | 'Unknown';
  readonly changed?: number;
  readonly gone?: number;
  readonly owner?: string;
  /** How often its container was restarted, and when that was the last time. */
  readonly restarts?: number;
  readonly restarted?: number;
}

/** A pod of `web`, ready for an hour on the new revision unless said otherwise. */
export function pod(name: string, shape: PodShape = {}): Pod {
  const {
    revision = 'new',
    phase = 'Running',
    created = -7200,
    ready = 'True',
    changed = -3600,
    owner = 'web-uid',
  } = shape;
  return {
    metadata: {
      name,
      namespace: 'shop',
      uid: `uid-of-${name}`,
      resourceVersion: '7',
      creationTimestamp: iso(created),
      labels: revision === '' ? {} : { 'controller-revision-hash': revision },
      ownerReferences: [{ apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'web', uid: owner, controller: true }],
      ...(shape.gone === undefined ? {} : { deletionTimestamp: iso(shape.gone) }),
    },
    status: {
      phase,
      conditions: [{ type: 'Ready', status: ready, lastTransitionTime: iso(changed) }],
      ...(shape.restarts === undefined ? {} : { containerStatuses: [restarted(shape.restarts, shape.restarted)] }),
    },
  };
}

function restarted(restartCount: number, at: number | undefined): ContainerStatus {
  return { name: 'main', restartCount, state: at === undefined ? {} : { running: { startedAt: iso(at) } } };
}

export const healthy = (name: string, revision = 'new'): Pod => pod(name, { revision });
export const broken = (name: string, revision = 'old', shape: PodShape = {}): Pod =>
  pod(name, { revision, ready: 'False', changed: -600, ...shape });
export const terminating = (name: string, revision = 'old'): Pod => pod(name, { revision, gone: 20 });

/** Pending, with no condition at all: no scheduler or kubelet has seen it yet. */
export function bare(name: string, revision: string, created: number): Pod {
  const { metadata } = pod(name, { revision, created });
  return { metadata, status: { phase: 'Pending' } };
}
