/** A pod that was marked as about to be disrupted and lives on, loses the mark after a while. */

import type { PodCondition } from 'kubernetes-types/core/v1.js';
import type { Client } from '../../client.ts';
import { splitKey } from '../../objects.ts';
import { timestamp } from '../../time/clock.ts';
import { findCondition } from '../common/conditions.ts';
import { isFinishedPod, isTerminating, millis } from '../common/pods.ts';
import type { PodObject } from '../common/workloads.ts';
import { type ControllerContext, Reconciler, type Requeue } from '../controller.ts';

const staleAfterMs = 120_000;

/** How long until the mark is stale, 0: it is; undefined: there is none that could be. */
export function staleTargetInMs(pod: PodObject, nowMs: number): number | undefined {
  if (isTerminating(pod) || isFinishedPod(pod)) return undefined;
  const condition = findCondition(pod.status?.conditions, 'DisruptionTarget');
  // The kubelet takes its time, and is never wrong about what it terminates.
  if (condition?.status !== 'True' || condition.reason === 'TerminationByKubelet') return undefined;
  return Math.max(0, (millis(condition.lastTransitionTime) ?? 0) + staleAfterMs - nowMs);
}

export function createStaleTargets(context: ControllerContext, client: Client): Reconciler {
  return new Reconciler(context, {
    name: 'disruption-controller',
    async reconcile(key): Promise<Requeue | undefined> {
      const { namespace, name } = splitKey(key);
      const pod = context.view.get<PodObject>('pods', namespace, name);
      const wait = pod && staleTargetInMs(pod, context.clock.now());
      if (wait === undefined) return undefined;
      if (wait > 0) return { afterMs: wait };
      await client.modify<PodObject>('pods', namespace, name, (draft) => unmarked(draft, context.clock.now()), {
        subresource: 'status',
      });
      return undefined;
    },
  });
}

/** Newer than the published types. */
type SeenCondition = PodCondition & { observedGeneration?: number };

function unmarked(pod: PodObject, nowMs: number): PodObject | undefined {
  if (staleTargetInMs(pod, nowMs) !== 0) return undefined;
  const { generation } = pod.metadata;
  const cleared: SeenCondition = {
    type: 'DisruptionTarget',
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    status: 'False',
    lastTransitionTime: timestamp(nowMs),
  };
  const conditions = pod.status?.conditions?.map((one) => (one.type === cleared.type ? cleared : one));
  return { ...pod, status: { ...pod.status, conditions: conditions ?? [] } };
}
