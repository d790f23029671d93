import { isAvailable, isReady, nextAvailableInMs } from '../common/pods.ts';
import { omitZeros } from '../common/status-writer.ts';
import type { DaemonSetObject, PodObject } from '../common/workloads.ts';
import type { DaemonSetInput } from './daemon-input.ts';
import { fitOn, isUpdated, oldestFirst } from './daemon-pods.ts';
import { podsByNode } from './plan-daemon-set.ts';

export type DaemonSetStatus = NonNullable<DaemonSetObject['status']>;

export function computeDaemonSetStatus(input: Omit<DaemonSetInput, 'backoffMs'>, collisions: number): DaemonSetStatus {
  const { set, nodes, hash, nowMs } = input;
  const byNode = podsByNode(input.pods);
  const fits = nodes.map((node) => ({ node: node.metadata.name, shouldRun: fitOn(set, node).shouldRun }));
  const desired = fits.filter(({ shouldRun }) => shouldRun);
  const first = ({ node }: { node: string }): PodObject[] =>
    [...(byNode.get(node) ?? [])].sort(oldestFirst).slice(0, 1);
  const scheduled = desired.flatMap(first);
  const available = scheduled.filter((pod) => isAvailable(pod, set.spec.minReadySeconds ?? 0, nowMs)).length;
  const { conditions, collisionCount } = set.status ?? {};
  return omitZeros<DaemonSetStatus>(
    {
      currentNumberScheduled: scheduled.length,
      numberMisscheduled: fits.filter(({ node, shouldRun }) => !shouldRun && byNode.has(node)).length,
      desiredNumberScheduled: desired.length,
      numberReady: scheduled.filter(isReady).length,
      observedGeneration: set.metadata.generation ?? 0,
      updatedNumberScheduled: scheduled.filter((pod) => isUpdated(set, pod, hash)).length,
      numberAvailable: available,
      numberUnavailable: desired.length - available,
      ...(collisions > 0 || collisionCount !== undefined ? { collisionCount: collisions } : {}),
      ...(conditions && conditions.length > 0 ? { conditions } : {}),
    },
    ['currentNumberScheduled', 'numberMisscheduled', 'desiredNumberScheduled', 'numberReady', 'collisionCount'],
  );
}

export function nextDaemonSetCheckMs({ set, pods, nowMs }: Omit<DaemonSetInput, 'backoffMs'>): number | undefined {
  const seconds = set.spec.minReadySeconds ?? 0;
  return seconds === 0 ? undefined : nextAvailableInMs(pods, seconds, nowMs);
}
