import type { NodeDetailPod } from '../../model.ts';

/** What holds the node up first. */
export function podOrder(pods: readonly NodeDetailPod[]): readonly NodeDetailPod[] {
  return pods.toSorted((a, b) => (b.round ?? Number.MAX_SAFE_INTEGER) - (a.round ?? Number.MAX_SAFE_INTEGER));
}
