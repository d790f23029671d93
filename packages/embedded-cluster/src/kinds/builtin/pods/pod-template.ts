import { type FieldError, forbidden, invalid, notSupported } from '@holdfast/base/field-errors';
import { matches, parseSelector } from '@holdfast/base/labels/label-selector';
import type { JsonObject } from '../../../objects.ts';
import { isJsonObject } from '../../../schema/json-values.ts';
import { labelErrors } from '../checks/labels.ts';
import { annotationErrors } from '../checks/metadata.ts';
import { ensureObject, isThere, listAt, objectAt, pairsAt, textAt } from '../checks/read.ts';
import { applyPodSpecDefaults } from './pod-defaults.ts';
import { podSpecErrors } from './pod-spec-validation.ts';

/** Fills in the template at `spec.template`, or wherever `parent` has it. */
export function applyTemplateDefaults(parent: JsonObject): void {
  const template = ensureObject(parent, 'template');
  if (template === undefined) return;
  ensureObject(template, 'metadata');
  const spec = ensureObject(template, 'spec');
  if (spec !== undefined) applyPodSpecDefaults(spec);
}

export function templateErrors(
  template: JsonObject,
  path: string,
  moreVolumes: readonly string[] = [],
): readonly FieldError[] {
  const metadata = objectAt(template, 'metadata');
  const spec = objectAt(template, 'spec') ?? {};
  const errors = [
    ...labelErrors(metadata, 'labels', `${path}.labels`),
    ...annotationErrors(metadata, `${path}.annotations`),
    ...podSpecErrors(spec, `${path}.spec`, 'template', moreVolumes),
  ];
  if (listAt(spec, 'ephemeralContainers').length > 0) {
    errors.push(forbidden(`${path}.spec.ephemeralContainers`, 'ephemeral containers not allowed in pod template'));
  }
  return errors;
}

/** The labels of the template, printed when the selector misses them. */
function labelsOf(template: JsonObject): Readonly<Record<string, string>> {
  return Object.fromEntries(pairsAt(objectAt(template, 'metadata'), 'labels'));
}

/** The pods that a workload makes must be the ones it finds again. No selector at all finds nothing. */
export function selectorMatchErrors(selector: unknown, template: JsonObject, path: string): readonly FieldError[] {
  const labels = labelsOf(template);
  if (isJsonObject(selector)) {
    const parsed = parseSelector(selector, path);
    if (!parsed.ok || matches(parsed.value, labels)) return [];
  }
  const printed = Object.keys(labels).length === 0 ? null : labels;
  return [invalid(`${path}.metadata.labels`, printed, '`selector` does not match template `labels`')];
}

/** Pods that are replaced when they end must be made to run on. */
export function alwaysRunningErrors(template: JsonObject, path: string, kind: string): readonly FieldError[] {
  const spec = objectAt(template, 'spec');
  const errors: FieldError[] = [];
  const restartPolicy = textAt(spec, 'restartPolicy');
  if (restartPolicy !== 'Always') {
    errors.push(notSupported(`${path}.spec.restartPolicy`, restartPolicy, ['Always']));
  }
  if (isThere(spec?.['activeDeadlineSeconds'])) {
    errors.push(forbidden(`${path}.spec.activeDeadlineSeconds`, `activeDeadlineSeconds in ${kind} is not Supported`));
  }
  return errors;
}
