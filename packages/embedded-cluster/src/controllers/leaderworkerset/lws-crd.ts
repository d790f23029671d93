import type { JsonObject, KubeObject } from '../../objects.ts';
import { lwsCrdName, lwsKind } from './lws-object.ts';

const count = (fallback?: number): JsonObject => ({
  type: 'integer',
  format: 'int32',
  ...(fallback === undefined ? {} : { default: fallback }),
});
const amount = (fallback: number): JsonObject => ({
  anyOf: [{ type: 'integer' }, { type: 'string' }],
  'x-kubernetes-int-or-string': true,
  default: fallback,
});
const choice = (values: readonly string[], fallback?: string): JsonObject => ({
  type: 'string',
  enum: [...values],
  ...(fallback === undefined ? {} : { default: fallback }),
});
const object = (properties: JsonObject, required: readonly string[] = []): JsonObject => ({
  type: 'object',
  properties,
  ...(required.length > 0 ? { required: [...required] } : {}),
});

/** What is inside is checked by those who get it: the StatefulSets that pods are made by. */
const open: JsonObject = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
const podTemplate = object({ metadata: open, spec: open });

const leaderWorkerTemplate = object(
  {
    leaderTemplate: podTemplate,
    workerTemplate: podTemplate,
    size: count(1),
    restartPolicy: choice(['Default', 'RecreateGroupOnPodRestart', 'None'], 'RecreateGroupOnPodRestart'),
    subGroupPolicy: object({
      subGroupPolicyType: choice(['LeaderWorker', 'LeaderExcluded'], 'LeaderWorker'),
      subGroupSize: count(),
    }),
    volumeClaimTemplates: { type: 'array', items: open },
    persistentVolumeClaimRetentionPolicy: object({ whenDeleted: { type: 'string' }, whenScaled: { type: 'string' } }),
  },
  ['workerTemplate'],
);

const rolloutStrategy = object(
  {
    type: choice(['RollingUpdate'], 'RollingUpdate'),
    rollingUpdateConfiguration: object({ partition: count(0), maxUnavailable: amount(1), maxSurge: amount(0) }),
  },
  ['type'],
);

const spec = object(
  {
    replicas: count(1),
    leaderWorkerTemplate,
    rolloutStrategy,
    startupPolicy: choice(['LeaderCreated', 'LeaderReady'], 'LeaderCreated'),
    networkConfig: object({ subdomainPolicy: choice(['Shared', 'UniquePerReplica']) }, ['subdomainPolicy']),
  },
  ['leaderWorkerTemplate'],
);

const text: JsonObject = { type: 'string' };
const condition = object(
  {
    type: text,
    status: choice(['True', 'False', 'Unknown']),
    reason: text,
    message: text,
    lastTransitionTime: { type: 'string', format: 'date-time' },
    observedGeneration: { type: 'integer', format: 'int64', minimum: 0 },
  },
  ['lastTransitionTime', 'message', 'reason', 'status', 'type'],
);
const status = object({
  conditions: { type: 'array', items: condition },
  replicas: count(),
  readyReplicas: count(),
  updatedReplicas: count(),
  hpaPodSelector: text,
});

const column = (name: string, jsonPath: string, description: string): JsonObject => ({
  name,
  type: 'integer',
  jsonPath,
  description,
});

/** The LeaderWorkerSet API. Where it is installed, its controller and its part in admission are at work. */
export const lwsCrd: KubeObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: lwsCrdName },
  spec: {
    group: 'leaderworkerset.x-k8s.io',
    names: {
      kind: lwsKind,
      listKind: `${lwsKind}List`,
      plural: 'leaderworkersets',
      singular: 'leaderworkerset',
      shortNames: ['lws'],
    },
    scope: 'Namespaced',
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: object({ apiVersion: text, kind: text, metadata: { type: 'object' }, spec, status }),
        },
        subresources: {
          status: {},
          scale: {
            specReplicasPath: '.spec.replicas',
            statusReplicasPath: '.status.replicas',
            labelSelectorPath: '.status.hpaPodSelector',
          },
        },
        additionalPrinterColumns: [
          column('Ready', '.status.readyReplicas', 'Number of ready replicas'),
          column('Desired', '.spec.replicas', 'Number of desired replicas'),
          column('Up-to-date', '.status.updatedReplicas', 'Number of up-to-date replicas'),
          { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
        ],
      },
    ],
  },
};
