/** Finds, makes and annotates the replica set that belongs to the Deployment's template of now. */

import { clone } from '../../objects.ts';
import { canonicalJson, hashOf } from '../common/hash.ts';
import { ownerReference } from '../common/owners.ts';
import type { DeploymentObject, PodTemplate, ReplicaSetObject } from '../common/workloads.ts';
import {
  type DesiredState,
  desiredReplicasAnnotation,
  hashLabel,
  maxReplicasAnnotation,
  revisionAnnotation,
  revisionHistoryAnnotation,
} from './deployment-fields.ts';
import {
  byCreation,
  draftOf,
  noteSizes,
  type ReplicaSetDraft,
  replicaSetRevisionOf,
  sumReplicas,
} from './replica-set-draft.ts';

const notCopied = new Set([
  'kubectl.kubernetes.io/last-applied-configuration',
  revisionAnnotation,
  revisionHistoryAnnotation,
  desiredReplicasAnnotation,
  maxReplicasAnnotation,
  'deprecated.deployment.rollback.to',
]);

const maxName = 253;
const maxHistoryLength = 2000;

/** Templates are equal when they differ in the hash label alone. */
export function sameTemplate(left: PodTemplate | undefined, right: PodTemplate | undefined): boolean {
  return canonicalJson(withoutHash(left)) === canonicalJson(withoutHash(right));
}

function withoutHash(template: PodTemplate | undefined): PodTemplate {
  const { [hashLabel]: _, ...labels } = template?.metadata?.labels ?? {};
  const { labels: __, ...metadata } = template?.metadata ?? {};
  return { ...template, metadata: { ...metadata, ...(Object.keys(labels).length > 0 ? { labels } : {}) } };
}

/** The oldest one, in case there are several. */
export function findNew(deployment: DeploymentObject, drafts: readonly ReplicaSetDraft[]): ReplicaSetDraft | undefined {
  return [...drafts]
    .sort(byCreation)
    .find((draft) => sameTemplate(draft.original.spec.template, deployment.spec.template));
}

/** How large the new replica set may be now. */
export function newSize(target: DesiredState, all: readonly ReplicaSetDraft[], newReplicas: number): number {
  if (target.recreate) return target.replicas;
  const room = target.replicas + target.maxSurge - sumReplicas(all);
  if (room <= 0) return newReplicas;
  return newReplicas + Math.min(room, target.replicas - newReplicas);
}

export function makeNew(
  deployment: DeploymentObject,
  target: DesiredState,
  old: readonly ReplicaSetDraft[],
): ReplicaSetDraft {
  const { template, selector } = deployment.spec;
  const hash = hashOf(template, deployment.status?.collisionCount);
  const labels = { ...template.metadata?.labels, [hashLabel]: hash };
  const prefix = deployment.metadata.name.slice(0, maxName - 1 - hash.length);
  const replicaSet: ReplicaSetObject = {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: {
      name: `${prefix}-${hash}`,
      namespace: deployment.metadata.namespace ?? '',
      labels,
      ownerReferences: [ownerReference(deployment)],
    },
    spec: {
      replicas: newSize(target, old, 0),
      ...(target.minReadySeconds > 0 ? { minReadySeconds: target.minReadySeconds } : {}),
      selector: { ...clone(selector), matchLabels: { ...selector.matchLabels, [hashLabel]: hash } },
      template: { ...clone(template), metadata: { ...clone(template.metadata), labels } },
    },
  };
  const draft = draftOf(replicaSet, true);
  annotateNew(draft, deployment, old);
  noteSizes(draft, target);
  return draft;
}

/** Carries over the Deployment's annotations, and raises the revision above all old ones. */
export function annotateNew(
  draft: ReplicaSetDraft,
  deployment: DeploymentObject,
  old: readonly ReplicaSetDraft[],
): void {
  const revision = old.map(replicaSetRevisionOf).reduce((highest, of) => (of > highest ? of : highest), 0n) + 1n;
  const copied = Object.entries(deployment.metadata.annotations ?? {}).filter(
    ([key, value]) => !notCopied.has(key) && draft.annotations[key] !== value,
  );
  if (copied.length > 0) draft.annotations = { ...draft.annotations, ...Object.fromEntries(copied) };
  const before = draft.annotations[revisionAnnotation];
  if (before !== undefined && before !== '' && !/^[0-9]+$/.test(before)) return;
  if (replicaSetRevisionOf(draft) >= revision) return;
  const history = before ? { [revisionHistoryAnnotation]: longerHistory(draft, before) } : {};
  draft.annotations = { ...draft.annotations, ...history, [revisionAnnotation]: String(revision) };
}

function longerHistory(draft: ReplicaSetDraft, before: string): string {
  const known = draft.annotations[revisionHistoryAnnotation];
  const revisions = known ? [...known.split(','), before] : [before];
  while (revisions.length > 1 && revisions.join(',').length > maxHistoryLength) revisions.shift();
  return revisions.join(',');
}
