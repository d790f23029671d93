import { type FieldError, invalid, required } from '@holdfast/base/field-errors';
import type { KubeObject } from '../../../objects.ts';
import type { Strategy } from '../../strategy.ts';
import { notNegativeFields } from '../checks/field-checks.ts';
import { labelErrors } from '../checks/labels.ts';
import { ensureObject, fillIn, isThere, numberAt, objectAt, pairsAt, specOf, statusOf } from '../checks/read.ts';
import {
  alwaysRunningErrors,
  applyTemplateDefaults,
  selectorMatchErrors,
  templateErrors,
} from '../pods/pod-template.ts';
import { replicaStatusErrors } from './workload-checks.ts';

/** Selector and labels come from the template, when the client left them out. */
function applyDefaults(controller: KubeObject): void {
  const spec = ensureObject(controller, 'spec');
  if (spec === undefined) return;
  fillIn(spec, 'replicas', 1);
  if (!isThere(spec['template'])) return;
  applyTemplateDefaults(spec);
  const labels = Object.fromEntries(pairsAt(objectAt(objectAt(spec, 'template'), 'metadata'), 'labels'));
  if (Object.keys(labels).length === 0) return;
  if (pairsAt(spec, 'selector').length === 0) spec['selector'] = labels;
  if (Object.keys(controller.metadata.labels ?? {}).length === 0) controller.metadata.labels = { ...labels };
}

function validate(controller: KubeObject): readonly FieldError[] {
  const spec = specOf(controller);
  const template = objectAt(spec, 'template');
  const selector = objectAt(spec, 'selector');
  const replicas = numberAt(spec, 'replicas');
  return [
    ...notNegativeFields(spec, 'spec', ['minReadySeconds']),
    ...(pairsAt(spec, 'selector').length === 0 ? [required('spec.selector', '')] : []),
    ...labelErrors(spec, 'selector', 'spec.selector'),
    ...(replicas !== undefined && replicas < 0
      ? [invalid('spec.replicas', replicas, 'must be greater than or equal to 0')]
      : []),
    ...(template === undefined
      ? [required('spec.template', '')]
      : [
          ...selectorMatchErrors({ matchLabels: selector }, template, 'spec.template'),
          ...templateErrors(template, 'spec.template'),
          ...alwaysRunningErrors(template, 'spec.template', 'ReplicationController'),
        ]),
  ];
}

const parts = ['fullyLabeledReplicas', 'readyReplicas', 'availableReplicas'] as const;

export const replicationControllerStrategy: Strategy = {
  applyDefaults,
  prepareForCreate(draft) {
    draft['status'] = { replicas: 0 };
  },
  validate,
  validateSubresource: (subresource, controller) =>
    subresource === 'status'
      ? replicaStatusErrors(statusOf(controller), parts, ['replicas', ...parts, 'observedGeneration'], 'readyReplicas')
      : [],
  selectableFields: (controller) => ({ 'status.replicas': String(numberAt(statusOf(controller), 'replicas') ?? 0) }),
  defaultPropagation: 'Orphan',
};
