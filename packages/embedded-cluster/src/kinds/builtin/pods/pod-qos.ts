import type { JsonObject } from '../../../objects.ts';
import { parseQuantity } from '../../quantity.ts';
import { objectAt, objectsAt } from '../checks/read.ts';

export type QosClass = 'Guaranteed' | 'Burstable' | 'BestEffort';

/** Counts for the class of service; other resources do not. */
const counted = ['cpu', 'memory'] as const;

export function podQosClass(spec: JsonObject): QosClass {
  let any = false;
  let allLimited = true;
  let allEqual = true;
  for (const key of ['containers', 'initContainers']) {
    for (const container of objectsAt(spec, key)) {
      const resources = objectAt(container, 'resources');
      for (const name of counted) {
        const request = amount(objectAt(resources, 'requests'), name);
        const limit = amount(objectAt(resources, 'limits'), name);
        if (request !== 0n || limit !== 0n) any = true;
        if (limit === 0n) allLimited = false;
        if (request !== limit) allEqual = false;
      }
    }
  }
  if (!any) return 'BestEffort';
  return allLimited && allEqual ? 'Guaranteed' : 'Burstable';
}

function amount(list: JsonObject | undefined, name: string): bigint {
  return list === undefined ? 0n : (parseQuantity(list[name])?.nanos ?? 0n);
}
