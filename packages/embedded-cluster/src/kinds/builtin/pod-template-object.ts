import type { Strategy } from '../strategy.ts';
import { applyTemplateDefaults, templateErrors } from './pod-template.ts';
import { objectAt } from './read.ts';

/** The kind PodTemplate: a template that stands alone. */
export const podTemplateStrategy: Strategy = {
  applyDefaults: applyTemplateDefaults,
  validate: (object) => templateErrors(objectAt(object, 'template') ?? {}, 'template'),
};
