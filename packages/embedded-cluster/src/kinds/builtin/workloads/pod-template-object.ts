import type { Strategy } from '../../strategy.ts';
import { objectAt } from '../checks/read.ts';
import { applyTemplateDefaults, templateErrors } from '../pods/pod-template.ts';

/** The kind PodTemplate: a template that stands alone. */
export const podTemplateStrategy: Strategy = {
  applyDefaults: applyTemplateDefaults,
  validate: (object) => templateErrors(objectAt(object, 'template') ?? {}, 'template'),
};
