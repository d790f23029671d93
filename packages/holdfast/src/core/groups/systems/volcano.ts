import { isObject } from '@holdfast/base/json';
import { positiveInteger, stated } from '../claim.ts';
import { type PodMaker, whole } from '../pod-maker.ts';
import type { GroupSystem } from '../system.ts';

const group = 'scheduling.volcano.sh';
const nameAnnotation = 'scheduling.k8s.io/group-name';
const ownNameAnnotation = 'scheduling.volcano.sh/group-name';
const minimumAnnotation = 'scheduling.volcano.sh/group-min-member';

/** A Job of Volcano is one gang: its controller makes a PodGroup, which every pod names. */
const podMaker: PodMaker = {
  group: 'batch.volcano.sh',
  kinds: ['Job'],
  podSet: (object, { around: [task = {}] }) => ({
    count: whole(task['replicas']) ?? 1,
    mark: () => ({
      labels: { 'volcano.sh/job-name': object.metadata.name, 'volcano.sh/task-spec': String(task['name'] ?? '') },
      annotations: { [nameAnnotation]: object.metadata.name },
    }),
  }),
  podGroup: ({ metadata, spec }, pods) => ({
    apiVersion: `${group}/v1beta1`,
    name: metadata.name,
    minMember: (isObject(spec) ? whole(spec['minAvailable']) : undefined) ?? pods,
  }),
};

export const volcano: GroupSystem = {
  name: 'Volcano',
  claim: (_labels, annotations) => {
    const name = annotations[nameAnnotation] ?? annotations[ownNameAnnotation];
    if (name === undefined) return undefined;
    return {
      id: `volcano/${name}`,
      display: name,
      ...stated('minimum', positiveInteger(annotations[minimumAnnotation])),
      object: { apiGroup: group, name },
    };
  },
  annotations: [nameAnnotation, ownNameAnnotation, minimumAnnotation],
  groupObjects: [{ group, kind: 'PodGroup', resource: 'podgroups' }],
  podMakers: [podMaker],
};
