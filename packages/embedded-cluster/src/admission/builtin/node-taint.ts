import type { Node } from 'kubernetes-types/core/v1.js';
import type { KubeObject } from '../../objects.ts';
import type { Plugin } from './plugin.ts';

const key = 'node.kubernetes.io/not-ready';
const effect = 'NoSchedule';

/** A new node takes no pods until the node lifecycle controller has seen it ready. */
export const nodeTaint: Plugin = {
  admit({ type, subresource, operation }, draft) {
    if (type.key !== 'nodes' || subresource !== '' || operation !== 'CREATE' || !draft) return;
    const node = draft as KubeObject & Node;
    const taints = node.spec?.taints ?? [];
    if (taints.some((taint) => taint.key === key && taint.effect === effect)) return;
    node.spec = { ...node.spec, taints: [...taints, { key, effect }] };
  },
};
