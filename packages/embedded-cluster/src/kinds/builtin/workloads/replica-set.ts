import type { FieldError } from '@holdfast/base/field-errors';
import type { KubeObject } from '../../../objects.ts';
import type { Strategy } from '../../strategy.ts';
import { notNegativeFields, unchangedFields } from '../checks/field-checks.ts';
import { ensureObject, fillIn, numberAt, objectAt, specOf, statusOf } from '../checks/read.ts';
import {
  alwaysRunningErrors,
  applyTemplateDefaults,
  selectorMatchErrors,
  templateErrors,
} from '../pods/pod-template.ts';
import { replicaStatusErrors, workloadSelectorErrors } from './workload-checks.ts';

function validate(replicaSet: KubeObject): readonly FieldError[] {
  const spec = specOf(replicaSet);
  const template = objectAt(spec, 'template') ?? {};
  return [
    ...notNegativeFields(spec, 'spec', ['replicas', 'minReadySeconds']),
    // The API server has this text for ReplicaSets, too.
    ...workloadSelectorErrors(spec['selector'], 'deployment'),
    ...selectorMatchErrors(spec['selector'], template, 'spec.template'),
    ...templateErrors(template, 'spec.template'),
    ...alwaysRunningErrors(template, 'spec.template', 'ReplicaSet'),
  ];
}

const parts = ['fullyLabeledReplicas', 'readyReplicas', 'availableReplicas'] as const;
const counts = ['replicas', ...parts, 'observedGeneration', 'terminatingReplicas'] as const;

export const replicaSetStrategy: Strategy = {
  applyDefaults(replicaSet) {
    const spec = ensureObject(replicaSet, 'spec');
    if (spec === undefined) return;
    fillIn(spec, 'replicas', 1);
    applyTemplateDefaults(spec);
  },
  prepareForCreate(draft) {
    draft['status'] = { replicas: 0 };
  },
  validate,
  validateUpdate: (replicaSet, old) => unchangedFields(specOf(replicaSet), specOf(old), 'spec', ['selector']),
  validateSubresource: (subresource, replicaSet) =>
    subresource === 'status' ? replicaStatusErrors(statusOf(replicaSet), parts, counts, 'readyReplicas') : [],
  selectableFields: (replicaSet) => ({ 'status.replicas': String(numberAt(statusOf(replicaSet), 'replicas') ?? 0) }),
};
