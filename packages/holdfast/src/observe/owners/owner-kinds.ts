import { systemOwners } from '../../core/groups/system-lists.ts';
import { kruiseGroup } from '../../core/owner.ts';

/** The kinds that own pods in most clusters, and that the operator may list and watch. A kind that a cluster does not have costs nothing. */

export interface OwnerKind {
  /** Empty: the core group. */
  readonly group: string;
  readonly kind: string;
}

export interface WatchedKind extends OwnerKind {
  /**
   * Whether `spec.replicas` is a scale. A DaemonSet's or a Job's pods are not counted by one number of theirs, and the server offers
   * no scale of them. Kinds that own only such owners are here for the end of the chain.
   */
  readonly scaled: boolean;
}

export const watchedKinds: readonly WatchedKind[] = [
  { group: 'apps', kind: 'Deployment', scaled: true },
  { group: 'apps', kind: 'ReplicaSet', scaled: true },
  { group: 'apps', kind: 'StatefulSet', scaled: true },
  { group: 'apps', kind: 'DaemonSet', scaled: false },
  { group: '', kind: 'ReplicationController', scaled: true },
  { group: 'batch', kind: 'Job', scaled: false },
  { group: 'batch', kind: 'CronJob', scaled: false },
  ...systemOwners.map(({ group, kind, scale }) => ({ group, kind, scaled: scale !== 'none' })),
  { group: kruiseGroup, kind: 'CloneSet', scaled: true },
  { group: kruiseGroup, kind: 'StatefulSet', scaled: true },
  { group: kruiseGroup, kind: 'DaemonSet', scaled: false },
  { group: 'argoproj.io', kind: 'Rollout', scaled: true },
];

export function kindKeyOf({ group, kind }: OwnerKind): string {
  return `${group}/${kind}`;
}
