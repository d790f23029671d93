import type { Taint, Toleration } from 'kubernetes-types/core/v1.js';
import { tolerates } from '../daemonset/node-taints.ts';

/** How long a pod may stay on a node with these taints: not at all, for some time, or as long as it likes. */
export type Stay =
  | { readonly kind: 'none' }
  | { readonly kind: 'limited'; readonly ms: number }
  | { readonly kind: 'unlimited' };

/** Each taint has to be tolerated; the first toleration that does so has the word, and the shortest of those counts. */
export function stayOf(taints: readonly Taint[], tolerations: readonly Toleration[]): Stay {
  let shortest: number | undefined;
  for (const taint of taints) {
    if (taint.effect !== 'NoExecute') continue;
    const toleration = tolerations.find((one) => tolerates(one, taint));
    if (toleration === undefined) return { kind: 'none' };
    const seconds = toleration.tolerationSeconds;
    if (seconds === undefined || seconds === null) continue;
    if (seconds <= 0) return { kind: 'none' };
    if (shortest === undefined || seconds < shortest) shortest = seconds;
  }
  return shortest === undefined ? { kind: 'unlimited' } : { kind: 'limited', ms: shortest * 1000 };
}
