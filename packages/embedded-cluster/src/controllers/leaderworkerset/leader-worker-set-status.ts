import { type Condition, findCondition } from '../common/conditions.ts';
import { omitZeros } from '../common/status-writer.ts';
import type { Group } from './groups.ts';
import * as keys from './keys.ts';
import { groupsOf, type LwsObject, type LwsStatus, rollingUpdateOf } from './lws-object.ts';

export interface LwsStatusInput {
  readonly lws: LwsObject;
  /** Leaders that exist. */
  readonly leaders: number;
  readonly groups: Iterable<Group>;
  readonly now: string;
}

export interface StatusResult {
  readonly status: LwsStatus;
  /** All groups are of the newest revision, and ready. */
  readonly updateDone: boolean;
  /** Something to tell, when a condition has changed. */
  readonly event: { readonly reason: string; readonly message: string } | undefined;
}

const truths = {
  available: { type: 'Available', reason: 'AllGroupsReady', message: 'All replicas are ready' },
  updating: { type: 'UpdateInProgress', reason: 'GroupsUpdating', message: 'Rolling Upgrade is in progress' },
  progressing: { type: 'Progressing', reason: 'GroupsProgressing', message: 'Replicas are progressing' },
} as const;

type Truth = (typeof truths)[keyof typeof truths];

export function computeLwsStatus({ lws, leaders, groups, now }: LwsStatusInput): StatusResult {
  const all = [...groups];
  const wanted = groupsOf(lws);
  const { partition } = rollingUpdateOf(lws);
  const own = all.filter(({ index }) => index < wanted);
  const rolling = own.filter(({ index }) => index >= partition);
  const done = rolling.filter(({ ready, updated }) => ready && updated).length;
  const readyReplicas = all.filter(({ ready }) => ready).length;
  const allReady = own.filter(({ ready }) => ready).length === wanted && done === rolling.length;
  const [first, ...more] = truthsFor(
    rolling.some(({ updated }) => !updated),
    allReady,
  );
  const before = lws.status?.conditions ?? [];
  const conditions = [first, ...more].reduce<readonly Condition[]>(
    (list, truth) => withTruth(list, truth, now),
    before,
  );
  const changed = conditions !== before;
  return {
    status: {
      ...omitZeros({
        replicas: leaders,
        readyReplicas,
        updatedReplicas: all.filter(({ updated }) => updated).length,
      }),
      hpaPodSelector: lws.status?.hpaPodSelector || `${keys.setName}=${lws.metadata.name},${keys.workerIndex}=0`,
      conditions: [...conditions],
    },
    updateDone: partition === 0 && done === wanted,
    event: changed
      ? {
          reason: first.reason,
          message: `${first.message}, with ${readyReplicas} groups ready of total ${wanted} groups`,
        }
      : undefined,
  };
}

function truthsFor(updating: boolean, allReady: boolean): readonly [Truth, ...Truth[]] {
  if (updating) return [truths.updating, truths.progressing];
  return [allReady ? truths.available : truths.progressing];
}

/** The list itself where nothing changes. Being available excludes the two others, and they exclude it. */
function withTruth(conditions: readonly Condition[], truth: Truth, now: string): readonly Condition[] {
  const isExcluded = ({ type, status }: Condition): boolean =>
    status === 'True' && type !== truth.type && (type === 'Available' || truth.type === 'Available');
  const known = findCondition(conditions, truth.type);
  if (known?.status === 'True' && !conditions.some(isExcluded)) return conditions;
  const next: Condition = { ...truth, status: 'True', lastTransitionTime: now };
  const list = conditions.map((condition) => {
    if (condition.type === truth.type) return condition.status === 'True' ? condition : next;
    return isExcluded(condition) ? { ...condition, status: 'False' } : condition;
  });
  return known === undefined ? [...list, next] : list;
}
