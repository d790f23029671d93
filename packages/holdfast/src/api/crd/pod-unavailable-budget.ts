import { protectOperations, pubGroup } from '../pub/pub.ts';
import {
  age,
  type CrdVersion,
  type CustomResourceDefinition,
  conditions,
  count,
  intOrPercent,
  labelSelector,
  type PrinterColumn,
  rootSchema,
  type Schema,
  timesByName,
} from './schema.ts';

const targetRef: Schema = {
  type: 'object',
  description: 'The workload whose pods are protected. Cannot be changed later. Give this or selector.',
  required: ['apiVersion', 'kind', 'name'],
  properties: {
    apiVersion: { type: 'string', description: 'Group and version of the workload, such as apps/v1.' },
    kind: { type: 'string', description: 'Kind of the workload, such as Deployment.' },
    name: { type: 'string', description: 'Name of the workload, in the namespace of the budget.' },
  },
};

const podGroupPolicy: Schema = {
  type: 'object',
  description: 'Makes the budget count groups of pods that serve together, instead of single pods.',
  required: ['groupLabelKey'],
  properties: {
    groupLabelKey: {
      type: 'string',
      minLength: 1,
      description:
        'The label that names the group of a pod. Pods of one workload with the same value are one group; a pod without the label is protected by itself.',
    },
    minReadyReplicas: {
      type: 'integer',
      format: 'int32',
      minimum: 1,
      default: 1,
      description: 'How many pods of a group must be healthy for the group to count as available.',
    },
  },
};

const spec: Schema = {
  type: 'object',
  description: 'Which pods are protected, from what, and how many of them must stay.',
  properties: {
    selector: labelSelector(
      'The pods that are protected, by their labels. Cannot be changed later. Give this or targetRef.',
    ),
    targetRef,
    maxUnavailable: intOrPercent(
      'How many pods (or groups) may be unavailable at the same time: a number, or a percentage of all of them, rounded up. Give this or minAvailable; with podGroupPolicy both may be given, and both hold.',
    ),
    minAvailable: intOrPercent(
      'How many pods (or groups) must stay available: a number, or a percentage of all of them, rounded up. Give this or maxUnavailable; with podGroupPolicy both may be given, and both hold.',
    ),
    protectOperations: {
      type: 'array',
      description:
        'The requests that are judged. When empty: DELETE, UPDATE and EVICT. An in-place resize that restarts a container counts as UPDATE, any other as RESIZE.',
      items: { type: 'string', enum: protectOperations },
    },
    protectTotalReplicas: {
      type: 'integer',
      format: 'int32',
      minimum: 1,
      description: 'How many pods (or groups) there should be. When not given, the workloads of the pods say so.',
    },
    ignoredPodSelector: labelSelector('Pods that this budget neither protects nor counts, by their labels.'),
    podGroupPolicy,
  },
};

const status: Schema = {
  type: 'object',
  description:
    'What the operator found when it last reconciled the budget. With podGroupPolicy the numbers are groups.',
  properties: {
    observedGeneration: {
      type: 'integer',
      format: 'int64',
      description: 'The generation of the spec that this status is about. While it is behind, requests are refused.',
    },
    unavailableAllowed: count('How many more may become unavailable now.'),
    currentAvailable: count('How many are available now.'),
    desiredAvailable: count('How many must stay available.'),
    totalReplicas: count('How many there should be.'),
    unavailableReplicas: count('How many of those that should be there are not available.'),
    disruptedPods: timesByName(
      'Pods whose eviction or deletion was allowed and has not been seen yet, and since when.',
    ),
    unavailablePods: timesByName('Pods whose update or resize was allowed and is not finished yet, and since when.'),
    unavailablePodGroups: timesByName('Groups that are not available, and since when.'),
    conditions: conditions('Whether the budget is enforced, and what is wrong with it.'),
  },
};

/** The first four are Kruise's, in its order, so that what people see and what scripts cut out stays the same. */
const columns: readonly PrinterColumn[] = [
  {
    name: 'Allowed',
    type: 'integer',
    jsonPath: '.status.unavailableAllowed',
    description: 'How many more may become unavailable now',
  },
  { name: 'Current', type: 'integer', jsonPath: '.status.currentAvailable', description: 'How many are available now' },
  {
    name: 'Desired',
    type: 'integer',
    jsonPath: '.status.desiredAvailable',
    description: 'How many must stay available',
  },
  { name: 'Total', type: 'integer', jsonPath: '.status.totalReplicas', description: 'How many there should be' },
  age,
];

function version(name: string, storage: boolean): CrdVersion {
  const description = 'Limits how many pods, or groups of pods, voluntary disruptions may take away at the same time.';
  return {
    name,
    served: true,
    storage,
    subresources: { status: {} },
    additionalPrinterColumns: columns,
    schema: { openAPIV3Schema: rootSchema(description, { spec, status }) },
  };
}

export const podUnavailableBudgetCrd: CustomResourceDefinition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `podunavailablebudgets.${pubGroup}` },
  spec: {
    group: pubGroup,
    names: {
      kind: 'PodUnavailableBudget',
      listKind: 'PodUnavailableBudgetList',
      plural: 'podunavailablebudgets',
      singular: 'podunavailablebudget',
      shortNames: ['pub'],
    },
    scope: 'Namespaced',
    // Both versions have the same schema, and every reader of a budget understands both spellings, so only the apiVersion
    // has to change. A conversion webhook would make every budget unreadable while it is down.
    conversion: { strategy: 'None' },
    versions: [version('v1alpha1', false), version('v1beta1', true)],
  },
};
