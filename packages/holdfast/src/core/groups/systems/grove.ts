import { index, stated } from '../claim.ts';
import type { GroupSystem } from '../system.ts';

const gangLabel = 'grove.io/podgang';
const indexLabel = 'grove.io/podcliqueset-replica-index';

export const grove: GroupSystem = {
  name: 'Grove',
  claim: (labels) => {
    const gang = labels[gangLabel];
    if (gang === undefined) return undefined;
    return { id: `grove/${gang}`, display: gang, ...stated('index', index(labels[indexLabel])) };
  },
  labels: [gangLabel, indexLabel],
};
