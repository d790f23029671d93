import type { KubeObject } from '../../src/cluster/objects.ts';

/** What the judge reads of a pod. */
export interface Labelled {
  readonly labels: Readonly<Record<string, string>>;
}

export interface SeenPod extends Labelled {
  readonly uid: string;
  readonly name: string;
  readonly ready: boolean;
  readonly phase: string;
  /** How many pods its group has by its own word. */
  readonly size: number;
  readonly object: KubeObject;
}

const lwsSize = 'leaderworkerset.sigs.k8s.io/size';

export function seen(object: KubeObject): SeenPod {
  const { uid = '', name, labels = {}, annotations = {} } = object.metadata;
  const status = (object['status'] ?? {}) as {
    readonly phase?: string;
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
  const ready = status.conditions?.some((one) => one.type === 'Ready' && one.status === 'True') === true;
  const size = Number(annotations[lwsSize] ?? '1');
  return { uid, name, labels, ready, phase: status.phase ?? 'Pending', size, object };
}
