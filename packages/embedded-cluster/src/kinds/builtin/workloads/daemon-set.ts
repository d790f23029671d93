import { type FieldError, invalid, notSupported, required } from '@holdfast/base/field-errors';
import { sameJson } from '@holdfast/base/json';
import type { JsonObject, KubeObject } from '../../../objects.ts';
import { isJsonObject } from '../../../schema/json-values.ts';
import type { Strategy } from '../../strategy.ts';
import { amountErrors, amountNumber, atMostAll, notNegativeFields, unchangedFields } from '../checks/field-checks.ts';
import { selectorErrors } from '../checks/labels.ts';
import { ensureObject, fillIn, fillInText, objectAt, specOf, statusOf, textAt } from '../checks/read.ts';
import {
  alwaysRunningErrors,
  applyTemplateDefaults,
  selectorMatchErrors,
  templateErrors,
} from '../pods/pod-template.ts';
import { collisionErrors, emptySelectorErrors } from './workload-checks.ts';

function applyDefaults(set: KubeObject): void {
  const spec = ensureObject(set, 'spec');
  if (spec === undefined) return;
  fillIn(spec, 'revisionHistoryLimit', 10);
  const strategy = ensureObject(spec, 'updateStrategy');
  if (strategy !== undefined) strategyDefaults(strategy);
  applyTemplateDefaults(spec);
}

function strategyDefaults(strategy: JsonObject): void {
  fillInText(strategy, 'type', 'RollingUpdate');
  if (strategy['type'] !== 'RollingUpdate') return;
  const rolling = ensureObject(strategy, 'rollingUpdate');
  if (rolling === undefined) return;
  fillIn(rolling, 'maxUnavailable', 1);
  fillIn(rolling, 'maxSurge', 0);
}

/** Counts the templates; an annotation because the field itself is gone from the API. */
const templateGeneration = 'deprecated.daemonset.template.generation';

function setTemplateGeneration(set: KubeObject, generation: number): void {
  set.metadata.annotations = { ...set.metadata.annotations, [templateGeneration]: String(generation) };
}

function templateGenerationOf(set: KubeObject): number {
  return Number(set.metadata.annotations?.[templateGeneration] ?? '0') || 0;
}

function strategyErrors(strategy: JsonObject | undefined, path: string): readonly FieldError[] {
  const rolling = objectAt(strategy, 'rollingUpdate');
  switch (textAt(strategy, 'type')) {
    case 'OnDelete':
      return [];
    case 'RollingUpdate':
      return rolling === undefined
        ? [required(`${path}.rollingUpdate`, '')]
        : rollingErrors(rolling, `${path}.rollingUpdate`);
    default: {
      const shown = { Type: strategy?.['type'] ?? '', RollingUpdate: rolling ?? null };
      return [notSupported(path, shown, ['RollingUpdate', 'OnDelete'])];
    }
  }
}

function rollingErrors(rolling: JsonObject, path: string): readonly FieldError[] {
  const { maxUnavailable, maxSurge } = rolling;
  const errors = [
    ...amountErrors(maxUnavailable, `${path}.maxUnavailable`),
    ...amountErrors(maxSurge, `${path}.maxSurge`),
    ...atMostAll(maxUnavailable, `${path}.maxUnavailable`),
    ...atMostAll(maxSurge, `${path}.maxSurge`),
  ];
  const unavailable = amountNumber(maxUnavailable) !== 0;
  const surge = amountNumber(maxSurge) !== 0;
  if (unavailable && surge) {
    errors.push(invalid(`${path}.maxSurge`, maxSurge, 'may not be set when maxUnavailable is non-zero'));
  } else if (!unavailable && !surge) {
    errors.push(required(`${path}.maxUnavailable`, 'cannot be 0 when maxSurge is 0'));
  }
  return errors;
}

function validate(set: KubeObject): readonly FieldError[] {
  const spec = specOf(set);
  const { selector } = spec;
  const template = objectAt(spec, 'template') ?? {};
  return [
    ...selectorErrors(selector, 'spec.selector'),
    ...selectorMatchErrors(selector, template, 'spec.template'),
    ...(isJsonObject(selector) ? emptySelectorErrors(selector, 'daemonset') : []),
    ...templateErrors(template, 'spec.template'),
    ...alwaysRunningErrors(template, 'spec.template', 'DaemonSet'),
    ...notNegativeFields(spec, 'spec', ['minReadySeconds']),
    ...strategyErrors(objectAt(spec, 'updateStrategy'), 'spec.updateStrategy'),
    ...notNegativeFields(spec, 'spec', ['revisionHistoryLimit']),
  ];
}

const counts = [
  'currentNumberScheduled',
  'numberMisscheduled',
  'desiredNumberScheduled',
  'numberReady',
  'observedGeneration',
  'updatedNumberScheduled',
  'numberAvailable',
  'numberUnavailable',
  'collisionCount',
] as const;

export const daemonSetStrategy: Strategy = {
  applyDefaults,
  prepareForCreate(draft) {
    draft['status'] = { currentNumberScheduled: 0, desiredNumberScheduled: 0, numberMisscheduled: 0, numberReady: 0 };
    setTemplateGeneration(draft, Math.max(1, templateGenerationOf(draft)));
  },
  prepareForUpdate(draft, old) {
    const same = sameJson(specOf(draft)['template'], specOf(old)['template']);
    setTemplateGeneration(draft, templateGenerationOf(old) + (same ? 0 : 1));
  },
  validate,
  validateUpdate: (set, old) => unchangedFields(specOf(set), specOf(old), 'spec', ['selector']),
  validateSubresource(subresource, set, old) {
    if (subresource !== 'status') return [];
    const status = statusOf(set);
    return [...notNegativeFields(status, 'status', counts), ...collisionErrors(status, statusOf(old))];
  },
};
