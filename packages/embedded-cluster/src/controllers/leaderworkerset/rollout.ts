/** How far a rolling update may go now: the leaders' StatefulSet gets its partition and its size from here. */

import { scaled } from '../common/amounts.ts';
import type { RollingUpdateConfiguration } from './lws-object.ts';

export interface GroupState {
  /** Leader and workers are up. */
  readonly ready: boolean;
  /** Leader and workers are of the newest revision. */
  readonly updated: boolean;
}

/** The leaders' StatefulSet as it is. */
export interface LeaderState {
  readonly replicas: number;
  readonly partition: number;
  /** What was asked for when it was last written. */
  readonly askedReplicas: number;
}

export interface RolloutInput {
  readonly replicas: number;
  readonly limits: Required<RollingUpdateConfiguration>;
  readonly leader: LeaderState | undefined;
  /** The template has just changed. */
  readonly changed: boolean;
  /** By index, one for each replica of the leaders' StatefulSet. Only asked while an update is under way. */
  readonly states: () => readonly GroupState[];
}

export interface Rollout {
  readonly partition: number;
  readonly replicas: number;
  /** Groups above the number asked for have begun to go. */
  readonly releasesSurge: boolean;
}

export function planRollout(input: RolloutInput): Rollout {
  const { replicas, limits, leader } = input;
  const plan = leader === undefined ? { partition: 0, replicas, releasesSurge: false } : planUpdate(input, leader);
  return { ...plan, partition: Math.max(plan.partition, limits.partition) };
}

function planUpdate(input: RolloutInput, leader: LeaderState): Rollout {
  const { replicas, limits, changed } = input;
  const surge = Math.min(scaled(limits.maxSurge, replicas, 'up'), replicas);
  // Scaling comes first, the update with the next look.
  if (changed) return { partition: Math.min(replicas, leader.replicas), ...withSurge(replicas, surge, replicas) };
  if (leader.partition === 0 && leader.replicas === replicas) return { partition: 0, replicas, releasesSurge: false };
  const states = input.states();
  const size = withSurge(replicas, surge, waitingGroups(states, replicas));
  if (leader.askedReplicas !== replicas) return { partition: Math.min(leader.partition, replicas + surge), ...size };
  // A group of the surge that is still there stands in for one more that is down.
  const step = scaled(limits.maxUnavailable, replicas, 'down') + leader.replicas - replicas;
  return { partition: nextPartition(states, leader, step), ...size };
}

/**
 * As long as more groups wait than the surge can stand in for, it stays whole; then it shrinks with them, and is one ahead: the last
 * of the surge goes when the last old group does, as it does in LeaderWorkerSet 0.8.
 */
function withSurge(replicas: number, surge: number, waiting: number): Omit<Rollout, 'partition'> {
  if (waiting > surge) return { replicas: replicas + surge, releasesSurge: false };
  return { replicas: replicas + Math.max(0, waiting - 1), releasesSurge: true };
}

function isDone({ ready, updated }: GroupState): boolean {
  return ready && updated;
}

function waitingGroups(states: readonly GroupState[], replicas: number): number {
  const done = states.slice(0, replicas).filter(isDone).length;
  return replicas - done;
}

/** Never goes back up. */
export function nextPartition(states: readonly GroupState[], leader: LeaderState, step: number): number {
  const last = states.findLastIndex((state) => !isDone(state));
  const doneAtTop = states.length - 1 - last;
  const lowest = Math.max(0, leader.replicas - doneAtTop - step);
  // Groups below that are down without us take their share of what may be down.
  let partition = lowest + states.slice(0, lowest).filter(({ ready }) => !ready).length;
  // What is down anyway, or done, costs nothing, and waiting for it could take forever.
  for (let index = Math.min(partition, leader.replicas - 1); index >= lowest; index -= 1) {
    const state = states[index];
    if (state === undefined || (state.ready && !state.updated)) break;
    partition = index;
  }
  return Math.min(partition, leader.partition);
}
