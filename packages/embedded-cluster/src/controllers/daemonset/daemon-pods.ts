/** Daemon pods: which node each is meant for, of which revision it is, and how a new one looks. */

import { revisionHashLabel } from '../common/history.ts';
import { generatedName, podFromTemplate } from '../common/pod-template.ts';
import { createdAt } from '../common/pods.ts';
import type { DaemonSetObject, NodeObject, PodObject } from '../common/workloads.ts';
import { meetsNodeRequirements } from './node-affinity.ts';
import { tolerationsOf, untolerated } from './node-taints.ts';

const generationAnnotation = 'deprecated.daemonset.template.generation';
const generationLabel = 'pod-template-generation';

export interface Fit {
  readonly shouldRun: boolean;
  /** A pod that is already there may stay, although a new one would not be put there. */
  readonly mayStay: boolean;
}

export function fitOn(set: DaemonSetObject, node: NodeObject): Fit {
  const spec = set.spec.template.spec ?? { containers: [] };
  const named = !spec.nodeName || spec.nodeName === node.metadata.name;
  if (!named || !meetsNodeRequirements(spec, node)) return { shouldRun: false, mayStay: false };
  const taints = untolerated(node, tolerationsOf(spec));
  return { shouldRun: taints.length === 0, mayStay: taints.every(({ effect }) => effect !== 'NoExecute') };
}

/** Where the pod runs, or where it is bound to go. */
export function targetNode(pod: PodObject): string | undefined {
  if (pod.spec.nodeName) return pod.spec.nodeName;
  const terms = pod.spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  for (const term of terms ?? []) {
    const field = term.matchFields?.find(({ key, operator }) => key === 'metadata.name' && operator === 'In');
    if (field?.values?.[0] !== undefined) return field.values[0];
  }
  return undefined;
}

export function isUpdated(set: DaemonSetObject, pod: PodObject, hash: string): boolean {
  const label = pod.metadata.labels?.[revisionHashLabel];
  if (label !== undefined) return label === hash;
  const generation = set.metadata.annotations?.[generationAnnotation];
  return generation !== undefined && pod.metadata.labels?.[generationLabel] === generation;
}

/** Pods on a node before those that are not there yet, older before younger. */
export function oldestFirst(left: PodObject, right: PodObject): number {
  const placed = Number(Boolean(right.spec.nodeName)) - Number(Boolean(left.spec.nodeName));
  if (placed !== 0) return placed;
  return createdAt(left) - createdAt(right) || (left.metadata.name < right.metadata.name ? -1 : 1);
}

/** Bound to its node by affinity; the scheduler still has the last word. */
export function newDaemonPod(set: DaemonSetObject, node: string, hash: string): PodObject {
  const generation = set.metadata.annotations?.[generationAnnotation];
  const labels = {
    [revisionHashLabel]: hash,
    ...(generation === undefined ? {} : { [generationLabel]: generation }),
  };
  const pod = podFromTemplate(set.spec.template, set, { ...generatedName(set.metadata.name), labels });
  const { affinity } = pod.spec;
  const term = { matchFields: [{ key: 'metadata.name', operator: 'In', values: [node] }] };
  pod.spec.tolerations = [...tolerationsOf(pod.spec)];
  pod.spec.affinity = {
    ...affinity,
    nodeAffinity: {
      ...affinity?.nodeAffinity,
      requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [term] },
    },
  };
  return pod;
}
