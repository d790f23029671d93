import { formatFieldErrors } from '@holdfast/base/field-errors';
import { annotation } from '../../api/names.ts';
import { enforcedRollingUpdate } from './opt-in.ts';
import type { CondemnedState, RolloutState } from './state.ts';

/** An annotation is read in a terminal: a few lines at most, and two budget messages still fit beside the longest names. */
export const maxRolloutStateLength = 2_000;
const maxMessage = 400;

/** One line. The same state gives the same text, so that a state that lasts is written once: moments, never durations. */
export function formatRolloutState(state: RolloutState): string {
  const text = describe(state);
  const condemned =
    'condemned' in state && state.condemned !== undefined ? `; ${describeCondemned(state.condemned)}` : '';
  return shorten(`${text}${condemned}`, maxRolloutStateLength);
}

function describe(state: RolloutState): string {
  switch (state.kind) {
    case 'off':
      return describeOff(state);
    case 'invalid':
      return `invalid: ${oneLine(formatFieldErrors(state.errors))}`;
    case 'deleting':
      return 'idle: the StatefulSet is being deleted';
    case 'unobserved':
      return `waiting for Kubernetes to observe generation ${state.generation} (has seen ${state.observedGeneration})`;
    case 'noUpdateRevision':
      return 'waiting for Kubernetes to name the update revision';
    case 'idle':
      return describeIdle(state.why);
    case 'waiting':
      return describeWaiting(state);
    case 'replacing':
      return `deleted ${state.pod}: it was not ready on ${state.from === '' ? 'no known revision' : `revision ${state.from}`}, and its replacement has revision ${state.to}`;
    case 'blocked':
      return describeBlocked(state);
  }
}

function describeOff(state: Extract<RolloutState, { kind: 'off' }>): string {
  switch (state.why) {
    case 'notAsked':
      return `off: annotate with ${annotation.updateStrategy}: ${enforcedRollingUpdate} to opt in`;
    case 'otherStrategy':
      return `off: update strategy ${oneLine(state.strategy)} replaces pods by its own rules`;
    case 'parallel':
      return 'off: with podManagementPolicy Parallel, Kubernetes does not wait for broken pods';
    case 'stopped':
      return `off: stopped by the annotation ${annotation.rolloutStop}`;
  }
}

function describeIdle(why: Extract<RolloutState, { kind: 'idle' }>['why']): string {
  switch (why) {
    case 'noReplicas':
      return 'idle: spec.replicas is 0';
    case 'upToDate':
      return 'idle: every replica is healthy and on the update revision';
    case 'rolling':
      return 'idle: every replica is healthy; Kubernetes rolls the rest from the highest down';
    case 'heldByPartition':
      return 'idle: every replica is healthy; the partition holds back the rest';
  }
}

function describeWaiting({ why, pod, until }: Extract<RolloutState, { kind: 'waiting' }>): string {
  const moment = until === undefined ? undefined : printTime(until);
  switch (why) {
    case 'missing':
      return `waiting for ${pod}: Kubernetes has not created it yet`;
    case 'terminating':
      return `waiting for ${pod}: it is terminating`;
    case 'finished':
      return `waiting for ${pod}: it has finished, and Kubernetes recreates it`;
    case 'warmingUp':
      return `waiting for ${pod}: ready, but not yet available${moment === undefined ? '' : ` (minReadySeconds end at ${moment})`}`;
    case 'unsteady':
      return `waiting for ${pod}: ready, but restarted a moment ago${moment === undefined ? '' : ` (trusted at ${moment})`}`;
    case 'starting':
      return `waiting for ${pod}: not ready yet${moment === undefined ? '' : ` (counts as broken at ${moment})`}`;
    case 'settling':
      return `waiting for ${pod}: not ready and on an old revision, to be replaced ${moment === undefined ? 'once its status says since when' : `at ${moment}`}`;
    case 'duplicate':
      return `waiting for ${pod}: two pods of that name are in view`;
  }
}

function describeBlocked(state: Extract<RolloutState, { kind: 'blocked' }>): string {
  switch (state.why) {
    case 'brokenOnUpdateRevision':
      return `blocked by ${state.pod}: not ready on the update revision ${state.revision}; fix the pod or apply another template`;
    case 'belowPartition':
      return `blocked by ${state.pod}: not ready, and the partition updates ordinals from ${state.firstUpdatedOrdinal} only; lower the partition or fix the pod`;
    case 'comesBackOld':
      return `blocked by ${state.pod}: Kubernetes would bring it back on its old revision ${state.revision}; set spec.updateStrategy.rollingUpdate.partition, such as to 0`;
    case 'refused':
      return `blocked by ${state.pod}: its deletion is refused: ${oneLine(state.message)}`;
  }
}

function describeCondemned(state: CondemnedState): string {
  switch (state.kind) {
    case 'leftToKubernetes':
      return `scale-down: Kubernetes deletes ${state.pod} next`;
    case 'terminating':
      return `scale-down: ${state.pod} is terminating`;
    case 'after':
      return `scale-down: ${state.pod} is deleted after ${state.other}`;
    case 'removing':
      return `scale-down: deleted ${state.pod} without waiting for ${state.behind}`;
    case 'refused':
      return `scale-down: the deletion of ${state.pod} is refused: ${oneLine(state.message)}`;
  }
}

/** What others wrote: no line breaks or control characters, and not longer than what it is quoted in. */
function oneLine(text: string): string {
  return shorten(text.replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ').trim(), maxMessage);
}

function shorten(text: string, limit: number): string {
  if (text.length <= limit) return text;
  // Half of a surrogate pair is no character, and an API server may refuse it.
  return `${text.slice(0, limit - 3).replace(/[\uD800-\uDBFF]$/, '')}...`;
}

const lastPrintableTime = 8.64e15;

function printTime(time: number): string {
  return new Date(Math.min(time, lastPrintableTime)).toISOString();
}
