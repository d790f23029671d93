import type { KubeObject } from '../../packages/embedded-cluster/src/objects.ts';
import { updateGate } from './objects.ts';

/** Updates of a pod that take it away for a while, or for good, and when each is over. From what is stored alone. */
export type PodUpdate =
  /** The kubelet stops the container and starts another. */
  | { readonly kind: 'restart'; readonly restarts: number }
  /** A controller takes the pod out of service, and will say when it is back. */
  | { readonly kind: 'announcement' }
  /** None of its owners exists: garbage collection deletes it. */
  | { readonly kind: 'abandoned' };

interface ContainerParts {
  readonly image?: string;
  readonly resources?: { readonly requests?: { readonly memory?: string } };
}

interface PodParts {
  readonly spec?: { readonly containers?: readonly ContainerParts[] };
  readonly status?: {
    readonly phase?: string;
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
    readonly containerStatuses?: readonly { readonly restartCount?: number }[];
  };
}

/** What a write does to a pod that stays. Undefined: nothing that takes it away. */
export function updateOf(before: KubeObject, after: KubeObject): PodUpdate | undefined {
  // A container that does not run yet starts with what the spec has by then.
  const runs = (before as PodParts).status?.phase === 'Running';
  if (demandOf(before) !== demandOf(after)) return runs ? { kind: 'restart', restarts: restartsOf(before) } : undefined;
  if (gateOf(before) !== 'False' && gateOf(after) === 'False') return { kind: 'announcement' };
  const [was, is] = [before, after].map((one) => one.metadata.ownerReferences?.find(({ controller }) => controller));
  return was !== undefined && is !== undefined && was.uid !== is.uid ? { kind: 'abandoned' } : undefined;
}

/** Whether a pod that an update took away is back. One that was abandoned does not come back. */
export function isBack(update: PodUpdate, pod: KubeObject): boolean {
  switch (update.kind) {
    case 'restart':
      return restartsOf(pod) > update.restarts && isReady(pod);
    case 'announcement':
      return gateOf(pod) !== 'False';
    case 'abandoned':
      return false;
  }
}

export function gateOf(pod: KubeObject): string | undefined {
  return (pod as PodParts).status?.conditions?.find(({ type }) => type === updateGate)?.status;
}

/** What its container is asked to be: another image, or in these scenarios other memory, restarts it. A resize that restarts nothing (C1) takes nothing away. */
function demandOf(pod: KubeObject): string {
  const containers = (pod as PodParts).spec?.containers ?? [];
  return JSON.stringify(containers.map(({ image, resources }) => [image, resources?.requests?.memory]));
}

function restartsOf(pod: KubeObject): number {
  const statuses = (pod as PodParts).status?.containerStatuses ?? [];
  return statuses.reduce((sum, { restartCount = 0 }) => sum + restartCount, 0);
}

function isReady(pod: KubeObject): boolean {
  return (pod as PodParts).status?.conditions?.some((one) => one.type === 'Ready' && one.status === 'True') === true;
}
