import { podName, workloadOfPod } from './fleet.ts';
import { podObject } from './fleet-objects.ts';
import type { Review } from './messages.ts';

/** Calls to the webhook, byte for byte as an API server would make them. */

const userInfo = {
  username: 'system:serviceaccount:kube-system:cluster-autoscaler',
  uid: '0b7d1f9e-5f0a-4c55-9d0e-0d9b4c1d2e3f',
  groups: ['system:serviceaccounts', 'system:serviceaccounts:kube-system', 'system:authenticated'],
};
const podResource = { group: '', version: 'v1', resource: 'pods' };

export function evictionReview(pod: number, dryRun: boolean): Review {
  return evictionReviewOf({ number: pod, namespace: workloadOfPod(pod).namespace, name: podName(pod) }, dryRun);
}

/** A pod that a review is about. */
export interface Subject {
  /** Another one for each. */
  readonly number: number;
  readonly namespace: string;
  readonly name: string;
}

export function evictionReviewOf(subject: Subject, dryRun: boolean): Review {
  const { namespace, name } = subject;
  const kind = { group: 'policy', version: 'v1', kind: 'Eviction' };
  const object = { kind: 'Eviction', apiVersion: 'policy/v1', metadata: { name, namespace, creationTimestamp: null } };
  const options = { kind: 'CreateOptions', apiVersion: 'meta.k8s.io/v1', ...(dryRun ? { dryRun: ['All'] } : {}) };
  return reviewOf(subject, {
    kind,
    resource: podResource,
    subResource: 'eviction',
    requestKind: kind,
    requestResource: podResource,
    requestSubResource: 'eviction',
    name,
    namespace,
    operation: 'CREATE',
    userInfo,
    object,
    oldObject: null,
    dryRun,
    options,
  });
}

/** It carries the whole pod. */
export function deletionReview(pod: number, dryRun: boolean): Review {
  const kind = { group: '', version: 'v1', kind: 'Pod' };
  const old = { kind: 'Pod', apiVersion: 'v1', ...podObject(pod, { ready: true, version: 1_000 + pod, life: 0 }) };
  const { namespace } = workloadOfPod(pod);
  const name = podName(pod);
  return reviewOf(
    { number: pod, namespace, name },
    {
      kind,
      resource: podResource,
      requestKind: kind,
      requestResource: podResource,
      name,
      namespace,
      operation: 'DELETE',
      userInfo,
      object: null,
      oldObject: old,
      dryRun,
      options: { kind: 'DeleteOptions', apiVersion: 'meta.k8s.io/v1', ...(dryRun ? { dryRun: ['All'] } : {}) },
    },
  );
}

function reviewOf({ number, namespace, name }: Subject, request: object): Review {
  const uid = `${number.toString(16).padStart(8, '0')}-9f1c-4a0e-8f42-5e1d2c3b4a59`;
  const body = JSON.stringify({
    kind: 'AdmissionReview',
    apiVersion: 'admission.k8s.io/v1',
    request: { uid, ...request },
  });
  const head = [
    'POST /pods?timeout=10s HTTP/1.1',
    'host: 127.0.0.1',
    'user-agent: kube-apiserver-admission',
    'accept: application/json, */*',
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
  ];
  const path = `/api/v1/namespaces/${namespace}/pods/${name}`;
  return { bytes: Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`).toString('base64'), pod: path };
}
