/** Taints that follow from a node's conditions, and from being cordoned. */

import type { Taint } from 'kubernetes-types/core/v1.js';
import { timestamp } from '../../time/clock.ts';
import { findCondition } from '../common/conditions.ts';
import type { NodeObject } from '../common/workloads.ts';

const notReady = 'node.kubernetes.io/not-ready';
const unreachable = 'node.kubernetes.io/unreachable';
const unschedulable = 'node.kubernetes.io/unschedulable';

const byCondition: ReadonlyMap<string, Readonly<Record<string, string>>> = new Map([
  ['Ready', { False: notReady, Unknown: unreachable }],
  ['MemoryPressure', { True: 'node.kubernetes.io/memory-pressure' }],
  ['DiskPressure', { True: 'node.kubernetes.io/disk-pressure' }],
  ['NetworkUnavailable', { True: 'node.kubernetes.io/network-unavailable' }],
  ['PIDPressure', { True: 'node.kubernetes.io/pid-pressure' }],
]);

const ownedNoSchedule = new Set([unschedulable, ...[...byCondition.values()].flatMap((keys) => Object.values(keys))]);
const ownedNoExecute = new Set([notReady, unreachable]);

/** The taints that the node should have; undefined when it has them. Taints of others stay. */
export function taintsFor(node: NodeObject, nowMs: number): readonly Taint[] | undefined {
  const before = node.spec?.taints ?? [];
  const wanted = wantedTaints(node);
  const kept = before.filter((taint) => !isOwned(taint) || wanted.some((one) => isSame(one, taint)));
  const added = wanted.filter((taint) => !before.some((one) => isSame(one, taint)));
  if (added.length === 0 && kept.length === before.length) return undefined;
  return [...kept, ...added.map((taint) => ({ ...taint, timeAdded: timestamp(nowMs) }))];
}

function wantedTaints({ spec, status }: NodeObject): readonly Taint[] {
  const wanted: Taint[] = [];
  for (const { type, status: state } of status?.conditions ?? []) {
    const key = byCondition.get(type)?.[state];
    if (key !== undefined) wanted.push({ key, effect: 'NoSchedule' });
  }
  if (spec?.unschedulable === true) wanted.push({ key: unschedulable, effect: 'NoSchedule' });
  const ready = findCondition(status?.conditions, 'Ready')?.status;
  const fatal = ready === undefined ? undefined : byCondition.get('Ready')?.[ready];
  if (fatal !== undefined) wanted.push({ key: fatal, effect: 'NoExecute' });
  return wanted;
}

function isOwned({ key, effect }: Taint): boolean {
  return effect === 'NoExecute' ? ownedNoExecute.has(key) : effect === 'NoSchedule' && ownedNoSchedule.has(key);
}

function isSame(left: Taint, right: Taint): boolean {
  return left.key === right.key && left.effect === right.effect;
}
