/** Which nodes get a pod of the new revision now, and which old pods give way. */

import { scaled } from '../common/amounts.ts';
import { isTerminating } from '../common/pods.ts';
import type { PodObject } from '../common/workloads.ts';
import { type DaemonSetInput, isServing, type NodePods, surgeOf } from './daemon-input.ts';
import { isUpdated } from './daemon-pods.ts';

interface Pair {
  readonly node: NodePods;
  readonly newPod: PodObject | undefined;
  readonly oldPod: PodObject | undefined;
  /** More than one of a kind: the node is tidied up first. */
  readonly excess: boolean;
}

function pairOf(input: DaemonSetInput, node: NodePods): Pair {
  const staying = node.pods.filter((pod) => !isTerminating(pod));
  const updated = staying.filter((pod) => isUpdated(input.set, pod, input.hash));
  const old = staying.filter((pod) => !updated.includes(pod));
  return { node, newPod: updated[0], oldPod: old[0], excess: updated.length > 1 || old.length > 1 };
}

export function planUpdate(
  input: DaemonSetInput,
  nodes: readonly NodePods[],
): { create: string[]; remove: PodObject[] } {
  const desired = nodes.filter(({ fit }) => fit.shouldRun).length;
  const pairs = nodes.filter(({ fit, pods }) => fit.shouldRun || pods.length > 0).map((node) => pairOf(input, node));
  const surge = surgeOf(input.set, desired);
  const share = scaled(input.set.spec.updateStrategy?.rollingUpdate?.maxUnavailable ?? 1, desired, 'up');
  if (surge > 0) return planSurge(input, pairs, surge, desired);
  return { create: [], remove: planReplacement(input, pairs, Math.max(1, share)) };
}

/** Old pods that are unavailable are deleted at once; of the others as many as may be unavailable. */
function planReplacement(input: DaemonSetInput, pairs: readonly Pair[], maxUnavailable: number): PodObject[] {
  const broken: PodObject[] = [];
  const serving: PodObject[] = [];
  let unavailable = 0;
  for (const { newPod, oldPod, excess } of pairs) {
    if (!excess && oldPod && !newPod) {
      if (isServing(input, oldPod)) {
        serving.push(oldPod);
        continue;
      }
      broken.push(oldPod);
    } else if (!excess && newPod && !oldPod && isServing(input, newPod)) continue;
    unavailable += 1;
  }
  return [...broken, ...serving.slice(0, Math.max(0, maxUnavailable - unavailable))];
}

/** New pods join old ones first, and old ones leave when the new ones serve. */
function planSurge(
  input: DaemonSetInput,
  pairs: readonly Pair[],
  maxSurge: number,
  desired: number,
): { create: string[]; remove: PodObject[] } {
  const remove: PodObject[] = [];
  const unwanted: PodObject[] = [];
  const allowed: string[] = [];
  const candidates: string[] = [];
  let surging = 0;
  let available = 0;
  for (const { node, newPod, oldPod, excess } of pairs) {
    if (excess) {
      surging += 1;
      continue;
    }
    const counted = oldPod ?? newPod;
    if (counted && isServing(input, counted)) available += 1;
    if (!oldPod) continue;
    if (newPod) {
      if (isServing(input, newPod)) remove.push(oldPod);
      else surging += 1;
    } else if (!node.fit.shouldRun) (isServing(input, oldPod) ? unwanted : remove).push(oldPod);
    else (isServing(input, oldPod) ? candidates : allowed).push(node.name);
  }
  return {
    create: [...allowed, ...candidates.slice(0, Math.max(0, maxSurge - surging))],
    remove: [...remove, ...unwanted.slice(0, Math.max(0, available - desired))],
  };
}
