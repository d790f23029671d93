import type { StatefulSet } from '../../api/statefulset.ts';
import { formatRolloutState } from '../../core/rollout/format.ts';
import type { Removal, RolloutState } from '../../core/rollout/state.ts';
import type { EventNote, EventSubject } from '../../kube/events/recorder.ts';

/** What is told on the set and on its pod when a pod was removed. */
export function removalNotes(set: StatefulSet, removal: Removal, state: RolloutState): readonly EventNote[] {
  const { namespace = '' } = set.metadata;
  const broken = removal.why === 'broken';
  const reason = broken ? 'RolloutPodReplaced' : 'RolloutPodRemoved';
  const said = { type: 'Normal', reason, message: removalMessage(set, removal, state) } as const;
  const pod = { apiVersion: 'v1', kind: 'Pod', namespace, name: removal.pod, uid: removal.uid };
  return [
    { ...said, subject: subjectOf(set) },
    { ...said, subject: pod },
  ];
}

function removalMessage({ metadata: { name } }: StatefulSet, { why, pod }: Removal, state: RolloutState): string {
  if (why === 'broken' && state.kind === 'replacing') {
    const from = state.from === '' ? 'no known revision' : `the old revision ${state.from}`;
    return `deleted pod ${pod}, which was not ready on ${from} and blocked the rollout of StatefulSet ${name}; its replacement has revision ${state.to}`;
  }
  const condemned = 'condemned' in state ? state.condemned : undefined;
  const behind = condemned?.kind === 'removing' ? `, although ${condemned.behind} is not ready` : '';
  return `deleted pod ${pod}, which is beyond the replicas of StatefulSet ${name}${behind}`;
}

/** Something that a person has to look at. */
export function blockedNotes(set: StatefulSet, state: RolloutState): readonly EventNote[] {
  const message = formatRolloutState(state);
  return isBlocked(state) ? [{ subject: subjectOf(set), type: 'Warning', reason: 'RolloutBlocked', message }] : [];
}

function isBlocked(state: RolloutState): boolean {
  if (state.kind === 'blocked' || state.kind === 'invalid') return true;
  return 'condemned' in state && state.condemned?.kind === 'refused';
}

function subjectOf({ metadata: { namespace = '', name, uid } }: StatefulSet): EventSubject {
  return { apiVersion: 'apps/v1', kind: 'StatefulSet', namespace, name, ...(uid === undefined ? {} : { uid }) };
}
