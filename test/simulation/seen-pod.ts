import type { KubeObject } from '../../packages/embedded-cluster/src/objects.ts';
import { sizeAnnotation, updateGate } from './objects.ts';

/** What the judge reads of a pod. */
export interface Labelled {
  readonly labels: Readonly<Record<string, string>>;
}

export interface SeenPod extends Labelled {
  readonly uid: string;
  readonly name: string;
  /** For Kubernetes' own rule. */
  readonly ready: boolean;
  /** For PDBs that Holdfast judges (H1, H2): what its probe says, or else that it is Ready. */
  readonly healthy: boolean;
  /** For PUBs, which judge announced updates (H6): what its probe says, or else that it is Ready, or only out of service for such an update. */
  readonly healthyForPub: boolean;
  readonly probed: boolean;
  readonly phase: string;
  /** How many pods its group has. */
  readonly size: number;
  /** It is of a gang with several replicas, and says nothing of which. */
  readonly undivided: boolean;
  readonly object: KubeObject;
}

const lwsSize = 'leaderworkerset.sigs.k8s.io/size';

/** @param vouched pods, by uid, that the agent of their node confirms to be disruptable */
export function seen(object: KubeObject, vouched: ReadonlySet<string> = new Set()): SeenPod {
  const { uid = '', name, labels = {}, annotations = {} } = object.metadata;
  const status = (object['status'] ?? {}) as {
    readonly phase?: string;
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
  const is = (type: string) => status.conditions?.some((one) => one.type === type && one.status === 'True') === true;
  const ready = is('Ready');
  const isAnnounced =
    status.conditions?.some((one) => one.type === updateGate && one.status === 'False') === true &&
    is('ContainersReady');
  const probed = annotations['holdfast.dev/disruption-probe'] !== undefined;
  const isDisruptable = is('Disruptable') && vouched.has(uid);
  const size = Number(annotations[sizeAnnotation] ?? annotations[lwsSize] ?? '1');
  const spec = object['spec'] as { readonly workloadRef?: { readonly podGroupReplicaKey?: string } } | undefined;
  return {
    uid,
    name,
    labels,
    ready,
    healthy: probed ? isDisruptable : ready,
    healthyForPub: probed ? isDisruptable : ready || isAnnounced,
    probed,
    phase: status.phase ?? 'Pending',
    size,
    undivided: spec?.workloadRef !== undefined && spec.workloadRef.podGroupReplicaKey === undefined,
    object,
  };
}
