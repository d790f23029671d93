import type { PodDisruptionBudget } from '../../../src/api/pdb.ts';
import type { Pod } from '../../../src/api/pod.ts';
import type { PodUnavailableBudget } from '../../../src/api/pub/pub.ts';
import type { OwnerState } from '../../../src/core/owner.ts';
import type { DisruptionRequest } from '../../../src/core/request.ts';
import type { BudgetRef } from '../../../src/core/verdict.ts';
import { type Event, happen, type Moment } from './events.ts';
import { emptyState, naiveDecide } from './model.ts';

/** Short words for the hand-made worlds of the naive model's own tests. */

export const namespace = 'a';

/** The world after these events. */
export function worldOf(...events: readonly Event[]): Moment {
  return events.reduce(happen, { state: emptyState(), now: 0 });
}

export interface PodParts {
  readonly labels?: Record<string, string>;
  readonly annotations?: Record<string, string>;
  readonly spec?: NonNullable<Pod['spec']>;
  readonly ready?: boolean;
  readonly owner?: OwnerState;
  readonly leaving?: boolean;
}

export function pod(name: string, parts: PodParts = {}): Event {
  const { labels = {}, annotations = {}, spec = {}, ready = true, owner, leaving = false } = parts;
  const controller = owner && { ...reference(owner), controller: true };
  return {
    kind: 'upsertPod',
    pod: {
      metadata: {
        ...{ name, namespace, uid: `uid-${name}`, resourceVersion: '1', labels: { app: 'x', ...labels }, annotations },
        ...(controller === undefined ? {} : { ownerReferences: [controller] }),
        ...(leaving ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}),
      },
      spec: { nodeName: 'n1', ...spec },
      status: { phase: 'Running', conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }] },
    },
  };
}

function reference({ apiVersion, kind, name, uid }: OwnerState) {
  return { apiVersion, kind, name, uid };
}

export function owner(kind: string, name: string, replicas?: number, controller?: OwnerState): OwnerState {
  const apiVersion = kind === 'LeaderWorkerSet' ? 'leaderworkerset.x-k8s.io/v1' : 'apps/v1';
  return {
    ...{ apiVersion, kind, name, namespace, uid: `uid-${kind}-${name}` },
    ...(replicas === undefined ? {} : { replicas }),
    ...(controller === undefined ? {} : { controller: { ...reference(controller), controller: true } }),
  };
}

export function know(...owners: readonly OwnerState[]): readonly Event[] {
  return owners.map((one) => ({ kind: 'setOwner', owner: one }));
}

type PdbSpec = NonNullable<PodDisruptionBudget['spec']>;

export function pdb(name: string, spec: PdbSpec, annotations: Record<string, string> = {}): Event {
  const selector = { matchLabels: { app: 'x' } };
  return { kind: 'upsertPdb', pdb: { metadata: { name, namespace, annotations }, spec: { selector, ...spec } } };
}

export function pub(name: string, spec: NonNullable<PodUnavailableBudget['spec']>): Event {
  const selector = { matchLabels: { app: 'x' } };
  const metadata = { name, namespace, generation: 1 };
  return { kind: 'upsertPub', pub: { metadata, spec: { selector, ...spec }, status: { observedGeneration: 1 } } };
}

export function ask(moment: Moment, name: string, operation: DisruptionRequest['operation'] = 'EVICT') {
  return naiveDecide(moment.state, { operation, namespace, pod: name }, moment.now);
}

export function reserve(name: string): Event {
  return { kind: 'reserve', namespace, name, operation: 'EVICT' };
}

function ref(kind: BudgetRef['kind'], name: string): BudgetRef {
  return { kind, namespace, name };
}

export const pdbRef = (name: string) => ref('PodDisruptionBudget', name);
export const pubRef = (name: string) => ref('PodUnavailableBudget', name);
