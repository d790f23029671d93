import type { Pod, Toleration } from 'kubernetes-types/core/v1.js';
import type { KubeObject } from '../../objects.ts';
import type { Plugin } from './plugin.ts';

const tolerationSeconds = 300;
const taints = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'] as const;

/** Pods stay five minutes on a node that is lost, unless they say otherwise. */
export const defaultTolerations: Plugin = {
  admit({ type, subresource, operation }, draft) {
    if (type.key !== 'pods' || subresource !== '' || !draft) return;
    if (operation !== 'CREATE' && operation !== 'UPDATE') return;
    const pod = draft as KubeObject & Pod;
    if (!pod.spec) return;
    const given = pod.spec.tolerations ?? [];
    const missing = taints.filter((key) => !given.some((toleration) => covers(toleration, key)));
    if (missing.length === 0) return;
    pod.spec.tolerations = [...given, ...missing.map(tolerationFor)];
  },
};

function covers({ key, effect }: Toleration, taint: string): boolean {
  return (!key || key === taint) && (!effect || effect === 'NoExecute');
}

function tolerationFor(key: string): Toleration {
  return { key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds };
}
