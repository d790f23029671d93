import { condition } from '../../api/names.ts';
import { timestamp } from '../../kube/time/clock.ts';
import type { ProbedPodState } from '../pods/probed-pods.ts';

export const fieldManager = 'holdfast-agent';

export interface DesiredCondition {
  readonly type: typeof condition.disruptable;
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
  readonly lastTransitionTime: string;
}

/** The condition to write, or undefined when what stands there will do. */
export function planCondition(
  { verdict, decided, present }: ProbedPodState,
  now: number,
): DesiredCondition | undefined {
  // Until this agent has asked, the last word stands; it counts for nothing, since no lease lists the pod.
  if (!decided && verdict.reason === 'ProbePending' && present !== undefined) return undefined;
  const status = verdict.disruptable ? 'True' : 'False';
  const sameStatus = present?.status === status;
  // What a failing application puts out may differ each time; that alone is no news.
  const sameMessage = verdict.reason === 'ProbeFailing' || present?.message === verdict.message;
  if (sameStatus && present.reason === verdict.reason && sameMessage) return undefined;
  const kept = sameStatus ? present.lastTransitionTime : undefined;
  return {
    type: condition.disruptable,
    status,
    reason: verdict.reason,
    message: verdict.message,
    lastTransitionTime: kept ?? timestamp(now),
  };
}

/** With its uid: the API server then refuses to write to another pod of the same name. */
export function appliedPod({ name, namespace, uid }: ProbedPodState['metadata'], desired: DesiredCondition): object {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace, uid },
    status: { conditions: [desired] },
  };
}
