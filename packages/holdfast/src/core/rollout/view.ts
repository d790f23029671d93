import { controllerOf } from '@holdfast/base/meta';
import { label } from '../../api/names.ts';
import type { Pod } from '../../api/pod.ts';
import type { StatefulSet } from '../../api/statefulset.ts';
import { steadyMs } from './restarts.ts';
import { assessReplica, type HealthTerms, type ReplicaHealth } from './rollout-health.ts';

export interface Member {
  readonly pod: Pod;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly ordinal: number;
  /** Empty when the pod has no revision label; the built-in controller, too, takes that for an old revision. */
  readonly revision: string;
  readonly health: ReplicaHealth;
}

/** A StatefulSet and its pods, in the order in which decisions are made. */
export interface RolloutView {
  readonly setName: string;
  readonly updateRevision: string;
  readonly settleMs: number;
  readonly now: number;
  readonly firstOrdinal: number;
  readonly endOrdinal: number;
  /** The built-in controller counts the partition from the first ordinal, not from 0: `start: 5, partition: 1` begins at 6. */
  readonly firstUpdatedOrdinal: number;
  /**
   * The revision that pods are made from instead of the update revision, for as many ordinals as there are pods on it: that is what
   * the built-in controller makes of a strategy without `rollingUpdate`.
   */
  readonly keptRevision: string | undefined;
  /** Lowest first. */
  readonly replicas: readonly Member[];
  /** Highest first: pods whose ordinal the set no longer has. */
  readonly condemned: readonly Member[];
}

export interface ViewOptions {
  readonly set: StatefulSet;
  readonly pods: readonly Pod[];
  readonly updateRevision: string;
  readonly settleSeconds: number;
  readonly now: number;
}

export function viewRollout({ set, pods, updateRevision, settleSeconds, now }: ViewOptions): RolloutView {
  const firstOrdinal = set.spec?.ordinals?.start ?? 0;
  const endOrdinal = firstOrdinal + (set.spec?.replicas ?? 1);
  const settleMs = settleSeconds * 1000;
  const terms = { minReadySeconds: set.spec?.minReadySeconds ?? 0, steadyMs: steadyMs(settleMs), now };
  const members = pods.flatMap((pod) => memberOf(set, pod, terms)).sort((a, b) => a.ordinal - b.ordinal);
  const inRange = (member: Member) => member.ordinal >= firstOrdinal && member.ordinal < endOrdinal;
  return {
    setName: set.metadata.name,
    updateRevision,
    settleMs,
    now,
    firstOrdinal,
    endOrdinal,
    firstUpdatedOrdinal: firstOrdinal + (set.spec?.updateStrategy?.rollingUpdate?.partition ?? 0),
    keptRevision: set.spec?.updateStrategy?.rollingUpdate == null ? set.status?.currentRevision : undefined,
    replicas: members.filter(inRange),
    condemned: members.filter((member) => !inRange(member)).reverse(),
  };
}

/** A pod without uid and resourceVersion could not be removed under preconditions, so it is none of ours. */
function memberOf(set: StatefulSet, pod: Pod, terms: HealthTerms): Member[] {
  const { name, uid, resourceVersion } = pod.metadata;
  const ordinal = ordinalOf(set.metadata.name, name);
  if (ordinal === undefined || uid === undefined || resourceVersion === undefined || !controls(set, pod)) return [];
  const revision = pod.metadata.labels?.[label.controllerRevisionHash] ?? '';
  const health = assessReplica(pod, terms);
  return [{ pod, name, uid, resourceVersion, ordinal, revision, health }];
}

function controls(set: StatefulSet, pod: Pod): boolean {
  const uid = set.metadata.uid;
  return uid !== undefined && controllerOf(pod.metadata)?.uid === uid;
}

const maxOrdinal = 2_147_483_647;

/** Only names that the built-in controller itself would give: `web-1` is pod 1 of `web`; `web-01` and `web-1-2` are not. */
export function ordinalOf(setName: string, podName: string): number | undefined {
  if (!podName.startsWith(`${setName}-`)) return undefined;
  const digits = podName.slice(setName.length + 1);
  if (!/^(0|[1-9][0-9]{0,9})$/.test(digits)) return undefined;
  const ordinal = Number(digits);
  return ordinal <= maxOrdinal ? ordinal : undefined;
}

/** Of all pods of the set: nothing more is removed before it is gone. */
export function firstLeaving({ replicas, condemned }: RolloutView): Member | undefined {
  return [...replicas, ...condemned].find(({ health }) => health.kind === 'terminating');
}

/** When what began at `since` has lasted for the settle time; infinity when we cannot tell, unless any time is enough. */
export function settledAt(view: RolloutView, since: number | undefined): number {
  if (since !== undefined) return since + view.settleMs;
  return view.settleMs === 0 ? view.now : Number.POSITIVE_INFINITY;
}
