/** The StatefulSets that make a LeaderWorkerSet's pods: one for all leaders, and one for the workers of each group. */

import { clone, type KubeObject } from '../../objects.ts';
import { scaled } from '../common/amounts.ts';
import { ownerReference } from '../common/owners.ts';
import type { PodObject, PodTemplate, StatefulSetObject } from '../common/workloads.ts';
import * as keys from './keys.ts';
import { groupsOf, isSharedSubdomain, type LwsObject, rollingUpdateOf, sizeOf } from './lws-object.ts';
import { revisionKeyOf } from './revision.ts';

type Spec = StatefulSetObject['spec'];
type Texts = Record<string, string>;

export interface LeaderSize {
  readonly partition: number;
  readonly replicas: number;
}

export function leaderStatefulSet(
  lws: LwsObject,
  { partition, replicas }: LeaderSize,
  revision: string,
): StatefulSetObject {
  const { name, namespace = '' } = lws.metadata;
  const { leaderTemplate, workerTemplate } = lws.spec.leaderWorkerTemplate;
  const own = { [keys.setName]: name, [keys.workerIndex]: '0' };
  return {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: {
      name,
      namespace,
      labels: { [keys.setName]: name, [keys.revisionHash]: revision },
      annotations: { [keys.replicas]: String(groupsOf(lws)) },
      ownerReferences: [ownerReference(lws)],
    },
    spec: {
      serviceName: name,
      replicas,
      podManagementPolicy: 'Parallel',
      template: marked(
        leaderTemplate ?? workerTemplate,
        { ...own, [keys.revisionHash]: revision },
        leaderAnnotations(lws),
      ),
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition, ...maxUnavailable(lws) } },
      selector: { matchLabels: own },
      ...storage(lws),
    },
  };
}

/** A StatefulSet may not say zero, which a LeaderWorkerSet with a surge may; its partition holds it back all the same. */
function maxUnavailable(lws: LwsObject): { maxUnavailable?: number | string } {
  const { maxUnavailable } = rollingUpdateOf(lws);
  return scaled(maxUnavailable, 100, 'down') === 0 ? {} : { maxUnavailable };
}

function leaderAnnotations(lws: LwsObject): Texts {
  const { subGroupPolicy } = lws.spec.leaderWorkerTemplate;
  return {
    ...groupAnnotations(lws),
    ...(subGroupPolicy ? { [keys.subGroupPolicyType]: subGroupPolicy.subGroupPolicyType ?? 'LeaderWorker' } : {}),
    ...(isSharedSubdomain(lws) ? {} : { [keys.subdomainPolicy]: 'UniquePerReplica' }),
  };
}

function groupAnnotations(lws: LwsObject): Texts {
  const { subGroupPolicy } = lws.spec.leaderWorkerTemplate;
  const handedOn = subGroupPolicy ? [keys.exclusiveTopology, keys.subGroupExclusiveTopology] : [keys.exclusiveTopology];
  const annotations: Texts = { [keys.size]: String(sizeOf(lws)) };
  if (subGroupPolicy) annotations[keys.subGroupSize] = String(subGroupPolicy.subGroupSize ?? 0);
  for (const key of handedOn) {
    const value = lws.metadata.annotations?.[key];
    if (value) annotations[key] = value;
  }
  return annotations;
}

export interface WorkerInput {
  readonly lws: LwsObject;
  readonly leader: PodObject;
  /** Of the leader's revision. */
  readonly template: PodTemplate;
  readonly nodeSelector: Texts | undefined;
}

export function workerStatefulSet({ lws, leader, template, nodeSelector }: WorkerInput): StatefulSetObject {
  const { name, namespace = '', labels: leaderLabels = {} } = leader.metadata;
  const group = {
    [keys.setName]: lws.metadata.name,
    [keys.groupIndex]: leaderLabels[keys.groupIndex] ?? '',
    [keys.groupKey]: leaderLabels[keys.groupKey] ?? '',
  };
  const labels = { ...group, [keys.revisionHash]: revisionKeyOf(leader) };
  const pods = marked(template, labels, { ...groupAnnotations(lws), [keys.leaderName]: name });
  if (nodeSelector && pods.spec) pods.spec.nodeSelector = { ...pods.spec.nodeSelector, ...nodeSelector };
  return {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { name, namespace, labels, ownerReferences: [ownerReference(leader)] },
    spec: {
      serviceName: isSharedSubdomain(lws) ? lws.metadata.name : name,
      replicas: sizeOf(lws) - 1,
      podManagementPolicy: 'Parallel',
      template: pods,
      ordinals: { start: 1 },
      selector: { matchLabels: group },
      ...storage(lws),
    },
  };
}

function marked(template: PodTemplate, labels: Texts, annotations: Texts): PodTemplate {
  const copy = clone(template);
  return {
    ...copy,
    metadata: {
      ...copy.metadata,
      labels: { ...copy.metadata?.labels, ...labels },
      annotations: { ...copy.metadata?.annotations, ...annotations },
    },
  };
}

function storage(lws: LwsObject): Pick<Spec, 'volumeClaimTemplates' | 'persistentVolumeClaimRetentionPolicy'> {
  const { volumeClaimTemplates = [], persistentVolumeClaimRetentionPolicy } = lws.spec.leaderWorkerTemplate;
  return {
    ...(volumeClaimTemplates.length > 0 ? { volumeClaimTemplates: clone(volumeClaimTemplates) } : {}),
    ...(persistentVolumeClaimRetentionPolicy ? { persistentVolumeClaimRetentionPolicy } : {}),
  };
}

/** Puts what is wanted into what is there. What cannot be changed and what others have said stays. */
export function overlay(current: StatefulSetObject, wanted: StatefulSetObject): StatefulSetObject {
  const { replicas, template, updateStrategy, persistentVolumeClaimRetentionPolicy } = wanted.spec;
  const owners = wanted.metadata.ownerReferences ?? [];
  const others = (current.metadata.ownerReferences ?? []).filter(({ uid }) => owners.every((own) => own.uid !== uid));
  return {
    ...current,
    metadata: {
      ...current.metadata,
      labels: { ...current.metadata.labels, ...wanted.metadata.labels },
      annotations: { ...current.metadata.annotations, ...wanted.metadata.annotations },
      ownerReferences: [...others, ...owners],
    },
    spec: {
      ...current.spec,
      template,
      ...(replicas === undefined ? {} : { replicas }),
      ...(updateStrategy ? { updateStrategy } : {}),
      ...(persistentVolumeClaimRetentionPolicy ? { persistentVolumeClaimRetentionPolicy } : {}),
    },
  };
}

export interface ServiceInput {
  readonly lws: LwsObject;
  readonly name: string;
  readonly selector: Texts;
  readonly owner: KubeObject;
}

/** Gives the pods their names in DNS, also before they are ready. */
export function headlessService({ lws, name, selector, owner }: ServiceInput): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: {
      name,
      namespace: lws.metadata.namespace ?? '',
      labels: { [keys.setName]: lws.metadata.name },
      ownerReferences: [ownerReference(owner)],
    },
    spec: { clusterIP: 'None', selector, publishNotReadyAddresses: true },
  };
}
