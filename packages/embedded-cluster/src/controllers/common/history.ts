/** ControllerRevisions: the templates that a StatefulSet or DaemonSet had, kept so that it can go back. */

import type { Client } from '../../client.ts';
import { isApiError } from '../../errors.ts';
import type { JsonObject, KubeObject } from '../../objects.ts';
import type { View } from '../../view.ts';
import { canonicalJson, hashOf } from './hash.ts';
import { controllerOf, ownerReference } from './owners.ts';
import { createdAt } from './pods.ts';
import type { PodTemplate, RevisionObject } from './workloads.ts';

export const revisions = 'apps/controllerrevisions';
export const revisionHashLabel = 'controller-revision-hash';
/** The label that the revision itself carries its hash in. */
const hashLabels = { StatefulSet: 'controller.kubernetes.io/hash', DaemonSet: revisionHashLabel } as const;

const maxPrefix = 223;
/** Other hashes tried for a name that another object has. */
const maxCollisions = 100;

export type HistoryOwner = KubeObject & { kind: string; spec: { template: PodTemplate } };

/** The template as a patch that puts it back. Keys are in order, so that equal templates give equal bytes. */
function templatePatch(template: PodTemplate): JsonObject {
  return JSON.parse(canonicalJson({ spec: { template: { ...template, $patch: 'replace' } } })) as JsonObject;
}

/** The template that a revision holds. */
export function templateOf(revision: RevisionObject): PodTemplate {
  const data = revision.data as { spec?: { template?: PodTemplate & { $patch?: string } } } | undefined;
  const { $patch: _, ...template } = data?.spec?.template ?? {};
  return template;
}

export function newRevision(owner: HistoryOwner, number: number, collisions: number): RevisionObject {
  const data = templatePatch(owner.spec.template);
  const hash = hashOf(data, collisions);
  const label = owner.kind === 'DaemonSet' ? hashLabels.DaemonSet : hashLabels.StatefulSet;
  return {
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: {
      name: `${owner.metadata.name.slice(0, maxPrefix)}-${hash}`,
      namespace: owner.metadata.namespace ?? '',
      labels: { ...owner.spec.template.metadata?.labels, [label]: hash },
      annotations: { ...owner.metadata.annotations },
      ownerReferences: [ownerReference(owner)],
    },
    data,
    revision: number,
  };
}

export function sortRevisions(all: readonly RevisionObject[]): readonly RevisionObject[] {
  return [...all].sort(
    (left, right) =>
      left.revision - right.revision ||
      createdAt(left) - createdAt(right) ||
      (left.metadata.name < right.metadata.name ? -1 : 1),
  );
}

function sameData(left: RevisionObject, right: RevisionObject): boolean {
  return canonicalJson(left.data) === canonicalJson(right.data);
}

export type RevisionPlan =
  | { readonly kind: 'keep'; readonly revision: RevisionObject }
  /** Back to a template of the past: its revision becomes the newest. */
  | { readonly kind: 'raise'; readonly revision: RevisionObject }
  | { readonly kind: 'create'; readonly revision: RevisionObject };

export function planRevision(sorted: readonly RevisionObject[], owner: HistoryOwner, collisions: number): RevisionPlan {
  const newest = sorted.at(-1);
  const proposed = newRevision(owner, (newest?.revision ?? 0) + 1, collisions);
  const equal = sorted.findLast((revision) => sameData(revision, proposed));
  if (equal === undefined) return { kind: 'create', revision: proposed };
  if (newest !== undefined && sameData(newest, equal)) return { kind: 'keep', revision: newest };
  return { kind: 'raise', revision: { ...equal, revision: proposed.revision } };
}

export interface RevisionResult {
  readonly revision: RevisionObject;
  readonly collisions: number;
}

export async function executeRevision(
  client: Client,
  view: View,
  owner: HistoryOwner,
  plan: RevisionPlan,
  collisions: number,
): Promise<RevisionResult> {
  // What is made for an owner that is going is garbage at once, and an owner that waits for its garbage would never go.
  const going = owner.metadata.deletionTimestamp !== undefined;
  if (plan.kind === 'keep' || going) return { revision: plan.revision, collisions };
  if (plan.kind === 'raise') return { revision: await client.update(revisions, plan.revision), collisions };
  for (let count = collisions; count < collisions + maxCollisions; count += 1) {
    const revision = newRevision(owner, plan.revision.revision, count);
    const made = await createOrFind(client, view, revision);
    if (made !== undefined) return { revision: made, collisions: count };
  }
  throw new Error(`no free name for a revision of ${owner.kind} ${owner.metadata.name}`);
}

async function createOrFind(client: Client, view: View, revision: RevisionObject): Promise<RevisionObject | undefined> {
  try {
    return await client.create(revisions, revision);
  } catch (error) {
    if (!isApiError(error, 409)) throw error;
    const existing = view.get<RevisionObject>(revisions, revision.metadata.namespace ?? '', revision.metadata.name);
    const ours = existing && controllerOf(existing)?.uid === controllerOf(revision)?.uid;
    return ours && sameData(existing, revision) ? existing : undefined;
  }
}

/** The oldest revisions that nothing uses, beyond the number to keep. */
export function surplusRevisions(
  sorted: readonly RevisionObject[],
  isUsed: (revision: RevisionObject) => boolean,
  limit: number,
): readonly RevisionObject[] {
  const unused = sorted.filter((revision) => !isUsed(revision));
  return unused.slice(0, Math.max(0, unused.length - limit));
}

export async function deleteRevisions(client: Client, surplus: readonly RevisionObject[]): Promise<void> {
  for (const { metadata } of surplus) {
    try {
      await client.delete(
        revisions,
        metadata.namespace ?? '',
        metadata.name,
        metadata.uid ? { uid: metadata.uid } : {},
      );
    } catch (error) {
      if (!isApiError(error, 404)) throw error;
    }
  }
}
