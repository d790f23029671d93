/** Whether a node still gives signs of life, and what its conditions say when it does not. */

import type { NodeCondition } from 'kubernetes-types/core/v1.js';
import { timestamp } from '../../time/clock.ts';
import { findCondition } from '../common/conditions.ts';
import { createdAt } from '../common/pods.ts';
import type { NodeObject } from '../common/workloads.ts';

export interface GracePeriods {
  readonly runningMs: number;
  /** For a node that has not said anything yet. */
  readonly startupMs: number;
}

/** What was last seen of a node, and when by our own clock: clocks of nodes are not trusted. */
export interface NodeSighting {
  readonly hadReady: boolean;
  readonly heartbeat: string | undefined;
  readonly renewTime: string | undefined;
  readonly aliveAtMs: number;
}

export interface Judgement {
  readonly sighting: NodeSighting;
  /** The conditions of a node that has gone silent; undefined: leave them. */
  readonly conditions: readonly NodeCondition[] | undefined;
  /** It was ready until now. */
  readonly lost: boolean;
}

export function judgeNode(
  node: NodeObject,
  renewTime: string | undefined,
  last: NodeSighting | undefined,
  grace: GracePeriods,
  nowMs: number,
): Judgement {
  const ready = findCondition(node.status?.conditions, 'Ready');
  const sighting = lookAt(node, ready, renewTime, last, nowMs);
  const silentFor = nowMs - sighting.aliveAtMs;
  if (silentFor <= (ready === undefined ? grace.startupMs : grace.runningMs)) {
    return { sighting, conditions: undefined, lost: false };
  }
  const conditions = silentConditions(node, nowMs);
  const changes = ready?.status !== 'Unknown';
  return { sighting, conditions: changes ? conditions : undefined, lost: ready?.status === 'True' };
}

function lookAt(
  node: NodeObject,
  ready: NodeCondition | undefined,
  renewTime: string | undefined,
  last: NodeSighting | undefined,
  nowMs: number,
): NodeSighting {
  const now = { hadReady: ready !== undefined, heartbeat: ready?.lastHeartbeatTime, renewTime };
  if (last === undefined) {
    const silent = ready === undefined && renewTime === undefined;
    return { ...now, aliveAtMs: silent ? createdAt(node) : nowMs };
  }
  const beat = last.hadReady !== now.hadReady || last.heartbeat !== now.heartbeat;
  const renewed = renewTime !== undefined && renewTime !== last.renewTime;
  return { ...now, aliveAtMs: beat || renewed ? nowMs : last.aliveAtMs };
}

const kubeletConditions = ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure'] as const;

function silentConditions(node: NodeObject, nowMs: number): readonly NodeCondition[] {
  const now = timestamp(nowMs);
  const before = node.status?.conditions ?? [];
  const known = before.map((condition) =>
    kubeletConditions.some((type) => type === condition.type) && condition.status !== 'Unknown'
      ? {
          ...condition,
          status: 'Unknown',
          reason: 'NodeStatusUnknown',
          message: 'Kubelet stopped posting node status.',
          lastTransitionTime: now,
        }
      : condition,
  );
  const missing = kubeletConditions.filter((type) => findCondition(before, type) === undefined);
  return [
    ...known,
    ...missing.map((type) => ({
      type,
      status: 'Unknown',
      reason: 'NodeStatusNeverUpdated',
      message: 'Kubelet never posted node status.',
      ...(node.metadata.creationTimestamp ? { lastHeartbeatTime: node.metadata.creationTimestamp } : {}),
      lastTransitionTime: now,
    })),
  ];
}
