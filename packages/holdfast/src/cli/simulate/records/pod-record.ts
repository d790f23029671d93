import { type KubeObject, sim } from '@holdfast/embedded-cluster/objects';
import type { PodPlace } from '../simulation-result.ts';

/** As much of a stored pod as is looked at. */
interface StoredPod extends KubeObject {
  readonly spec?: { readonly nodeName?: string };
  readonly status?: {
    readonly phase?: string;
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly reason?: string;
      readonly message?: string;
    }[];
  };
}

/** What a pod was at a moment, as far as a simulation tells of it. */
export interface PodMoment {
  readonly uid: string;
  readonly place: PodPlace;
  readonly ready: boolean;
  readonly going: boolean;
  readonly finished: boolean;
  /** It is on its way to being ready, or to being gone. */
  readonly moving: boolean;
  /** What the scheduler said, if it found no node. */
  readonly unschedulable: string | undefined;
}

export function momentOf(object: KubeObject): PodMoment {
  // Safe: the store holds only pods that were checked against their schema.
  const { metadata, spec, status } = object as StoredPod;
  const { namespace = '', name, uid = '' } = metadata;
  const conditions = status?.conditions ?? [];
  const scheduled = conditions.find(({ type }) => type === 'PodScheduled');
  const going = metadata.deletionTimestamp !== undefined;
  const finished = status?.phase === 'Succeeded' || status?.phase === 'Failed';
  const ready = conditions.some(({ type, status: is }) => type === 'Ready' && is === 'True');
  const isStarting = !ready && !finished && Boolean(spec?.nodeName) && metadata.annotations?.[sim.ready] !== 'false';
  return {
    uid,
    place: { namespace, name, ...(spec?.nodeName ? { node: spec.nodeName } : {}) },
    ready,
    going,
    finished,
    moving: going || isStarting,
    unschedulable: scheduled?.status === 'False' ? (scheduled.message ?? scheduled.reason ?? '') : undefined,
  };
}

/** Whether something happened that a drain could wait for. */
export function isProgress(before: PodMoment | undefined, now: PodMoment): boolean {
  return (
    before === undefined ||
    before.ready !== now.ready ||
    before.going !== now.going ||
    before.finished !== now.finished ||
    before.place.node !== now.place.node
  );
}
