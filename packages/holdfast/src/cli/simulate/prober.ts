import type { View } from '@holdfast/embedded-cluster';
import type { KubeObject } from '@holdfast/embedded-cluster/objects';
import { type Prober, probeFailed, probeSucceeded } from '../../agent/index.ts';

interface PodLike extends KubeObject {
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

/**
 * Answers disruption probes for pods that do not exist. A pod of the snapshot keeps its answer from there: what would
 * change it is unknown. A new pod can be lost as soon as it serves.
 */
export function simulatedProber(view: View, vetoes: ReadonlySet<string>, old: ReadonlySet<string>): Prober {
  return async ({ namespace, pod: name }) => {
    const pod = view.get<PodLike>('pods', namespace, name);
    const uid = pod?.metadata.uid ?? '';
    if (pod === undefined) return probeFailed('the pod is gone');
    if (vetoes.has(uid)) return probeFailed('it said so in the snapshot');
    if (old.has(uid) || isReady(pod)) return probeSucceeded('ok');
    return probeFailed('it is not ready yet');
  };
}

function isReady({ status }: PodLike): boolean {
  return status?.conditions?.some((one) => one.type === 'Ready' && one.status === 'True') === true;
}
