import { index, stated } from '../claim.ts';
import type { GroupSystem } from '../system.ts';

const podSetLabel = 'stormservice.orchestration.aibrix.ai/podset-name';
const indexLabel = 'stormservice.orchestration.aibrix.ai/role-replica-index';

export const aibrix: GroupSystem = {
  name: 'AIBrix',
  claim: (labels) => {
    const podSet = labels[podSetLabel];
    if (podSet === undefined) return undefined;
    return { id: `aibrix/${podSet}`, display: podSet, ...stated('index', index(labels[indexLabel])) };
  },
  labels: [podSetLabel, indexLabel],
};
