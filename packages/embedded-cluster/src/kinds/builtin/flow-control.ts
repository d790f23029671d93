/** Flow schemas and priority levels. They are kept, and nothing is queued by them: there is one process, and it answers at once. */

import { type FieldError, required } from '@holdfast/base/field-errors';
import type { JsonObject } from '../../objects.ts';
import type { Strategy } from '../strategy.ts';
import { oneOf } from './checks/field-checks.ts';
import { ensureObject, fillIn, fillInNumber, objectAt, specOf, textAt } from './checks/read.ts';
import { emptyStatus } from './workloads/workload-checks.ts';

export const flowSchemaStrategy: Strategy = {
  applyDefaults(schema) {
    const spec = ensureObject(schema, 'spec');
    if (spec !== undefined) fillInNumber(spec, 'matchingPrecedence', 1000);
  },
  prepareForCreate: emptyStatus,
  validate(schema) {
    const level = objectAt(specOf(schema), 'priorityLevelConfiguration');
    if (textAt(level, 'name') !== '') return [];
    return [required('spec.priorityLevelConfiguration.name', 'must reference a priority level')];
  },
};

function limitedDefaults(limited: JsonObject): void {
  fillIn(limited, 'nominalConcurrencyShares', 30);
  fillIn(limited, 'lendablePercent', 0);
  const queuing = objectAt(objectAt(limited, 'limitResponse'), 'queuing');
  if (queuing === undefined) return;
  fillInNumber(queuing, 'queues', 64);
  fillInNumber(queuing, 'handSize', 8);
  fillInNumber(queuing, 'queueLengthLimit', 50);
}

function levelErrors(spec: JsonObject): readonly FieldError[] {
  const errors = oneOf(spec, 'type', 'spec', ['Exempt', 'Limited']);
  if (errors.length > 0 || textAt(spec, 'type') === 'Exempt') return errors;
  const limited = objectAt(spec, 'limited');
  if (limited === undefined) return [required('spec.limited', '')];
  const response = objectAt(limited, 'limitResponse') ?? {};
  const unqueued = textAt(response, 'type') === 'Queue' && objectAt(response, 'queuing') === undefined;
  if (unqueued) return [required('spec.limited.limitResponse.queuing', '')];
  return oneOf(response, 'type', 'spec.limited.limitResponse', ['Queue', 'Reject']);
}

export const priorityLevelStrategy: Strategy = {
  applyDefaults(level) {
    const spec = ensureObject(level, 'spec');
    if (spec === undefined) return;
    const exempt = textAt(spec, 'type') === 'Exempt' ? ensureObject(spec, 'exempt') : undefined;
    if (exempt !== undefined) {
      fillIn(exempt, 'nominalConcurrencyShares', 0);
      fillIn(exempt, 'lendablePercent', 0);
    }
    const limited = objectAt(spec, 'limited');
    if (limited !== undefined) limitedDefaults(limited);
  },
  prepareForCreate: emptyStatus,
  validate: (level) => levelErrors(specOf(level)),
};
