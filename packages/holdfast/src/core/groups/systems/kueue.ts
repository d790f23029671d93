import { positiveInteger, stated } from '../claim.ts';
import type { GroupSystem } from '../system.ts';

const nameLabel = 'kueue.x-k8s.io/pod-group-name';
const sizeAnnotation = 'kueue.x-k8s.io/pod-group-total-count';

export const kueue: GroupSystem = {
  name: 'Kueue',
  claim: (labels, annotations) => {
    const name = labels[nameLabel];
    if (name === undefined) return undefined;
    return { id: `kueue/${name}`, display: name, ...stated('size', positiveInteger(annotations[sizeAnnotation])) };
  },
  labels: [nameLabel],
  annotations: [sizeAnnotation],
};
