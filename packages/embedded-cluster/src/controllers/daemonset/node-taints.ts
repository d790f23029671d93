import type { PodSpec, Taint, Toleration } from 'kubernetes-types/core/v1.js';
import type { NodeObject } from '../common/workloads.ts';

/** What every daemon pod puts up with: it belongs to the node, in good times and bad. */
const daemonTolerations: readonly Toleration[] = [
  ['not-ready', 'NoExecute'],
  ['unreachable', 'NoExecute'],
  ['disk-pressure', 'NoSchedule'],
  ['memory-pressure', 'NoSchedule'],
  ['pid-pressure', 'NoSchedule'],
  ['unschedulable', 'NoSchedule'],
].map(([key, effect]) => ({ key: `node.kubernetes.io/${key}`, operator: 'Exists', effect: effect as string }));

const hostNetworkToleration: Toleration = {
  key: 'node.kubernetes.io/network-unavailable',
  operator: 'Exists',
  effect: 'NoSchedule',
};

export function tolerationsOf(spec: PodSpec): readonly Toleration[] {
  const own = spec.tolerations ?? [];
  const automatic = spec.hostNetwork ? [...daemonTolerations, hostNetworkToleration] : daemonTolerations;
  return [...own, ...automatic.filter((one) => !own.some((other) => isSame(one, other)))];
}

function isSame(left: Toleration, right: Toleration): boolean {
  return (
    left.key === right.key &&
    left.operator === right.operator &&
    left.effect === right.effect &&
    right.value === undefined &&
    right.tolerationSeconds === undefined
  );
}

/** Taints that keep pods away and that none of the tolerations covers. */
export function untolerated(node: NodeObject, tolerations: readonly Toleration[]): readonly Taint[] {
  return (node.spec?.taints ?? []).filter(
    (taint) =>
      (taint.effect === 'NoSchedule' || taint.effect === 'NoExecute') &&
      !tolerations.some((toleration) => tolerates(toleration, taint)),
  );
}

export function tolerates(toleration: Toleration, taint: Taint): boolean {
  if (toleration.effect && toleration.effect !== taint.effect) return false;
  if (toleration.key && toleration.key !== taint.key) return false;
  if (toleration.operator === 'Exists') return true;
  return Boolean(toleration.key) && (toleration.value ?? '') === (taint.value ?? '');
}
