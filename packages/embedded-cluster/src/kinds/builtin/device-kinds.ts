/** Claims for devices and what they are made from. They are kept, and nothing allocates devices: there are none. */

import type { JsonObject, KubeObject } from '../../objects.ts';
import type { Strategy } from '../strategy.ts';
import { unchanged, unchangedFields } from './checks/field-checks.ts';
import { fillInNumber, fillInText, objectAt, objectsAt, specOf, textAt } from './checks/read.ts';
import { emptyStatus } from './workloads/workload-checks.ts';

/** A request that does not say how many wants one. */
function requestDefaults(request: JsonObject | undefined): void {
  if (request === undefined) return;
  fillInText(request, 'allocationMode', 'ExactCount');
  if (textAt(request, 'allocationMode') === 'ExactCount') fillInNumber(request, 'count', 1);
}

function claimDefaults(spec: JsonObject | undefined): void {
  for (const request of objectsAt(objectAt(spec, 'devices'), 'requests')) {
    requestDefaults(objectAt(request, 'exactly'));
    for (const choice of objectsAt(request, 'firstAvailable')) requestDefaults(choice);
  }
}

export const resourceClaimStrategy: Strategy = {
  applyDefaults: (claim) => claimDefaults(objectAt(claim, 'spec')),
  prepareForCreate: emptyStatus,
  validateUpdate: (claim, old) => unchanged('spec', claim['spec'], old['spec']),
};

export const resourceClaimTemplateStrategy: Strategy = {
  applyDefaults: (template) => claimDefaults(objectAt(objectAt(template, 'spec'), 'spec')),
  validateUpdate: (template, old) => unchanged('spec', template['spec'], old['spec']),
};

function poolOf(slice: KubeObject): string {
  return textAt(objectAt(specOf(slice), 'pool'), 'name');
}

export const resourceSliceStrategy: Strategy = {
  validateUpdate: (slice, old) => [
    ...unchanged('spec.pool.name', poolOf(slice), poolOf(old)),
    ...unchangedFields(specOf(slice), specOf(old), 'spec', ['driver', 'nodeName']),
  ],
};
