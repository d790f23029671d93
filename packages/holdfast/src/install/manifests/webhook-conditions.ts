import type { MatchCondition } from 'kubernetes-types/admissionregistration/v1.js';
import { operatorUser } from '../../api/installation-names.ts';
import { annotation, condition } from '../../api/names.ts';
import { takeoverPropagation } from '../../api/takeover.ts';
import { podPlaces } from './pod-places.ts';

/**
 * What can never matter is not even sent, so that it goes on while the webhook is down. An expression that fails refuses the
 * request: every field that may be missing is asked for with has() before it is read.
 */

const enforced = 'EnforcedRollingUpdate';

/** A pod that is going has been judged, and does not come back. */
const notTerminating: MatchCondition = {
  name: 'not-terminating',
  expression: 'oldObject == null || !has(oldObject.metadata.deletionTimestamp)',
};

const notFinished: MatchCondition = {
  name: 'not-finished',
  expression:
    'oldObject == null || !has(oldObject.status) || !has(oldObject.status.phase) || !(oldObject.status.phase in ["Succeeded", "Failed"])',
};

/** The kubelet of the pod's own node says that it is over; no other node's may. */
const notByKubelet: MatchCondition = {
  name: 'not-by-the-kubelet',
  expression:
    '!has(request.userInfo.username) || !has(request.userInfo.groups) || !("system:nodes" in request.userInfo.groups) || ' +
    'oldObject == null || !has(oldObject.spec.nodeName) || request.userInfo.username != "system:node:" + oldObject.spec.nodeName',
};

/** These remove what has lost its owner, its node or its namespace. */
const notByCollectors: MatchCondition = {
  name: 'not-by-garbage-collection',
  expression:
    '!has(request.userInfo.username) || !(request.userInfo.username in [' +
    '"system:serviceaccount:kube-system:generic-garbage-collector", ' +
    '"system:serviceaccount:kube-system:pod-garbage-collector", ' +
    '"system:serviceaccount:kube-system:namespace-controller"])',
};

/** It takes owner references off the pods of an owner that was deleted and leaves them; it changes nothing else of a pod. */
const notByGarbageCollector: MatchCondition = {
  name: 'not-by-the-garbage-collector',
  expression:
    '!has(request.userInfo.username) || ' +
    'request.userInfo.username != "system:serviceaccount:kube-system:generic-garbage-collector"',
};

/**
 * The scheduler deletes pods to make room for one of higher priority. While no replica of the operator runs on a full cluster,
 * that is the only way in which one of them gets a node.
 */
const notByScheduler: MatchCondition = {
  name: 'not-by-the-scheduler',
  expression: '!has(request.userInfo.username) || request.userInfo.username != "system:kube-scheduler"',
};

/**
 * The deletion with which we complete an eviction was judged with it. API servers keep few idle connections to a webhook: a call
 * within a call costs them a new one, and both of us its handshake.
 *
 * @param namespace the operator's own
 */
function notATakeover(namespace: string): MatchCondition {
  return {
    name: 'not-a-takeover',
    expression:
      `!has(request.userInfo.username) || request.userInfo.username != "${operatorUser(namespace)}" || ` +
      `!has(request.options) || request.options == null || !has(request.options.propagationPolicy) || ` +
      `request.options.propagationPolicy != "${takeoverPropagation}"`,
  };
}

/** A change of anything else neither takes the pod away nor moves it to another budget. */
const podChanges: MatchCondition = {
  name: 'spec-or-membership-changes',
  expression: ['oldObject == null', ...['spec', 'metadata.labels', 'metadata.ownerReferences'].map(differs)].join(
    ' || ',
  ),
};

/** Nodes report the state of their pods, and disrupt nothing by it. Most writes of statuses are theirs. */
const notByNodes: MatchCondition = {
  name: 'not-by-nodes',
  expression:
    '!has(request.userInfo.username) || !has(request.userInfo.groups) || !("system:nodes" in request.userInfo.groups) || ' +
    '!request.userInfo.username.startsWith("system:node:")',
};

/** A controller takes the pod out of service for an update in place; no other change of a status is asked about. */
const announcesUpdate: MatchCondition = {
  name: 'announces-an-update-in-place',
  expression: [
    'oldObject != null',
    'has(object.spec.readinessGates)',
    `object.spec.readinessGates.exists(gate, gate.conditionType == "${condition.inPlaceUpdateReady}")`,
    gateIsFalse('object'),
    `!(${gateIsFalse('oldObject')})`,
  ].join(' && '),
};

function gateIsFalse(pod: string): string {
  return (
    `has(${pod}.status) && has(${pod}.status.conditions) && ` +
    `${pod}.status.conditions.exists(one, one.type == "${condition.inPlaceUpdateReady}" && one.status == "False")`
  );
}

const budgetChanges: MatchCondition = {
  name: 'budget-changes',
  expression: ['oldObject == null', differs('spec'), differs('metadata.annotations')].join(' || '),
};

const objectStays: MatchCondition = {
  name: 'not-terminating',
  expression: '!has(object.metadata.deletionTimestamp)',
};

const key = `"${annotation.updateStrategy}"`;

/** Only sets that ask for it: all others never depend on us. What is stored already does only where it says what it asks for. */
const asksForEnforcement: MatchCondition = {
  name: 'asks-for-enforcement',
  expression:
    // However it is spelt: the API server's own refusal would not name the word that was meant.
    `(has(object.spec.updateStrategy) && has(object.spec.updateStrategy.type) && object.spec.updateStrategy.type.lowerAscii() == "${enforced.toLowerCase()}") || ` +
    `(has(object.metadata.annotations) && ${key} in object.metadata.annotations && (` +
    ['oldObject == null', differs('metadata.annotations'), differs('spec.updateStrategy')].join(' || ') +
    '))',
};

/** Only what carries a probe: the creation of all other pods never depends on us. */
const carriesProbe: MatchCondition = {
  name: 'carries-a-probe',
  expression: ['', ...podPlaces].map((place) => `(${carries(place, annotation.disruptionProbe)})`).join(' || '),
};

const probeMayChange: MatchCondition = {
  name: 'probe-may-change',
  expression: ['oldObject == null', differs('metadata.annotations'), differs('spec')].join(' || '),
};

/** The client says by uid, or holdfast did before, which pod it means. */
const namesNoUid: MatchCondition = {
  name: 'names-no-uid',
  expression:
    '!has(object.deleteOptions) || !has(object.deleteOptions.preconditions) || !has(object.deleteOptions.preconditions.uid)',
};

/** @param namespace the operator's own */
export function conditionsOf(namespace: string) {
  return {
    deletion: [notTerminating, notFinished, notByKubelet, notByCollectors, notByScheduler, notATakeover(namespace)],
    update: [notTerminating, notByGarbageCollector, podChanges],
    announcement: [notTerminating, notByNodes, announcesUpdate],
    budget: [objectStays, budgetChanges],
    statefulSet: [objectStays, asksForEnforcement],
    probes: [carriesProbe, probeMayChange],
    pinning: [namesNoUid],
  } as const;
}

/** @param place of something with metadata, such as `spec.template`; empty: the object itself */
function carries(place: string, key: string): string {
  const steps = [...(place === '' ? [] : place.split('.')), 'metadata', 'annotations'];
  const paths = steps.map((_, index) => `object.${steps.slice(0, index + 1).join('.')}`);
  return [...paths.map((path) => `has(${path})`), `"${key}" in ${paths.at(-1)}`].join(' && ');
}

function differs(path: string): string {
  const [before, after] = [`oldObject.${path}`, `object.${path}`];
  return `has(${before}) != has(${after}) || (has(${after}) && ${before} != ${after})`;
}
