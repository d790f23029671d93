import { index, positiveInteger, stated } from '../claim.ts';
import type { GroupSystem } from '../system.ts';

const label = {
  instance: 'rbg.workloads.x-k8s.io/role-instance-name',
  index: 'rbg.workloads.x-k8s.io/role-instance-index',
  group: 'rbg.workloads.x-k8s.io/group-name',
  role: 'rbg.workloads.x-k8s.io/role-name',
} as const;
/** It counts instances. The label `component-size` is of one component of an instance, and so not the size of a group. */
const instancesAnnotation = 'rbg.workloads.x-k8s.io/role-size';

export const roleBasedGroup: GroupSystem = {
  name: 'RoleBasedGroup',
  claim: (labels, annotations) => {
    const instance = labels[label.instance];
    if (instance === undefined) return undefined;
    return {
      id: `rbg/${instance}`,
      display: instance,
      parent: `rbg/${labels[label.group] ?? ''}/${labels[label.role] ?? ''}`,
      ...stated('index', index(labels[label.index])),
      ...stated('expected', positiveInteger(annotations[instancesAnnotation])),
    };
  },
  labels: Object.values(label),
  annotations: [instancesAnnotation],
};
