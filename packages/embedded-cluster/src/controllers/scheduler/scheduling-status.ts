/** What the scheduler writes down: why a pod has no node yet, and how a group fares. */

import type { PodCondition } from 'kubernetes-types/core/v1.js';
import type { Condition } from 'kubernetes-types/meta/v1.js';
import type { Client } from '../../client.ts';
import type { KubeObject } from '../../objects.ts';
import { timestamp } from '../../time/clock.ts';
import { findCondition, withoutCondition } from '../common/conditions.ts';
import type { PodObject } from '../common/workloads.ts';
import { podGroups } from '../workload/pod-group.ts';

/** Newer than the published types. */
type PodConditionSeen = PodCondition & { observedGeneration?: number };

export async function writeUnschedulable(
  client: Client,
  { metadata }: PodObject,
  message: string,
  nowMs: number,
): Promise<void> {
  const change = (draft: PodObject): PodObject | undefined => {
    if (draft.metadata.uid !== metadata.uid || draft.spec.nodeName) return undefined;
    const conditions = draft.status?.conditions;
    const before = findCondition(conditions, 'PodScheduled');
    if (before?.status === 'False' && before.reason === 'Unschedulable' && before.message === message) return undefined;
    const since = before?.status === 'False' ? before.lastTransitionTime : undefined;
    const next: PodConditionSeen = {
      type: 'PodScheduled',
      ...(draft.metadata.generation === undefined ? {} : { observedGeneration: draft.metadata.generation }),
      status: 'False',
      lastTransitionTime: since ?? timestamp(nowMs),
      reason: 'Unschedulable',
      message,
    };
    return {
      ...draft,
      status: { ...draft.status, conditions: [...withoutCondition(conditions, 'PodScheduled'), next] },
    };
  };
  await client.modify('pods', metadata.namespace ?? '', metadata.name, change, { subresource: 'status' });
}

export type GroupProgress =
  | { readonly kind: 'scheduled' }
  | { readonly kind: 'unschedulable'; readonly message: string };

type GroupObject = KubeObject & { status?: { conditions?: Condition[] } };

const initiallyScheduled = 'PodGroupInitiallyScheduled';

/** Once true it stays true, whatever becomes of the pods. Undefined: nothing to write. */
export function groupConditions(
  before: readonly Condition[] | undefined,
  progress: GroupProgress,
  generation: number | undefined,
  nowMs: number,
): Condition[] | undefined {
  const current = findCondition(before, initiallyScheduled);
  if (current?.status === 'True') return undefined;
  const scheduled = progress.kind === 'scheduled';
  const message = progress.kind === 'unschedulable' ? progress.message : '';
  if (!scheduled && current?.reason === 'Unschedulable' && current.message === message) return undefined;
  const next: Condition = {
    type: initiallyScheduled,
    status: scheduled ? 'True' : 'False',
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    lastTransitionTime: scheduled || current === undefined ? timestamp(nowMs) : current.lastTransitionTime,
    reason: scheduled ? 'Scheduled' : 'Unschedulable',
    message,
  };
  return [...withoutCondition(before, initiallyScheduled), next];
}

export async function writeGroupProgress(
  client: Client,
  namespace: string,
  name: string,
  progress: GroupProgress,
  nowMs: number,
): Promise<void> {
  const change = (draft: GroupObject): GroupObject | undefined => {
    const conditions = groupConditions(draft.status?.conditions, progress, draft.metadata.generation, nowMs);
    return conditions === undefined ? undefined : { ...draft, status: { ...draft.status, conditions } };
  };
  await client.modify(podGroups, namespace, name, change, { subresource: 'status' });
}
