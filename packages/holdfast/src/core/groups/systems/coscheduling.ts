import { positiveInteger, stated } from '../claim.ts';
import type { GroupSystem } from '../system.ts';

const group = 'scheduling.x-k8s.io';
const nameLabel = 'scheduling.x-k8s.io/pod-group';
const formerNameLabel = 'pod-group.scheduling.x-k8s.io/name';
const minimumLabel = 'pod-group.scheduling.x-k8s.io/min-available';

export const coscheduling: GroupSystem = {
  name: 'Coscheduling',
  claim: (labels) => {
    const name = labels[nameLabel] ?? labels[formerNameLabel];
    if (name === undefined) return undefined;
    return {
      id: `coscheduling/${name}`,
      display: name,
      ...stated('minimum', positiveInteger(labels[minimumLabel])),
      object: { apiGroup: group, name },
    };
  },
  labels: [nameLabel, formerNameLabel, minimumLabel],
  groupObjects: [{ group, kind: 'PodGroup', resource: 'podgroups' }],
};
