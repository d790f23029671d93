/** Workloads and PodGroups: pods that are scheduled and disrupted together. Older shapes of these kinds pass as they are. */

import { type FieldError, forbidden, invalid, required } from '@holdfast/base/field-errors';
import { sameJson } from '@holdfast/base/json';
import type { JsonObject, KubeObject } from '../../../objects.ts';
import { isJsonObject } from '../../../schema/json-values.ts';
import type { Strategy } from '../../strategy.ts';
import { duplicate, isImmutable, problemsOf, requiredText, tooMany } from '../checks/field-checks.ts';
import { ensureObject, isThere, numberAt, objectAt, objectsAt, specOf, textAt } from '../checks/read.ts';
import { dnsLabelProblems, dnsSubdomainProblems } from '../checks/syntax.ts';

const maxTemplates = 8;

/** Exactly one of these; what is given, is named. */
function unionErrors(parent: JsonObject | undefined, members: readonly string[], path: string): readonly FieldError[] {
  const given = members.filter((key) => isThere(parent?.[key]));
  if (given.length === 1) return [];
  const list = members.map((member) => `\`${member}\``).join(', ');
  if (given.length === 0) return [invalid(path, '', `must specify one of: ${list}`)];
  return [invalid(path, `{${given.join(', ')}}`, `must specify exactly one of: ${list}`)];
}

function policyErrors(policy: JsonObject | undefined, path: string): readonly FieldError[] {
  const errors = [...unionErrors(policy, ['basic', 'gang'], path)];
  const gang = objectAt(policy, 'gang');
  if (gang === undefined) return errors;
  const field = `${path}.gang.minCount`;
  const count = numberAt(gang, 'minCount') ?? 0;
  if (count === 0) errors.push(required(field, ''));
  else if (count < 1) errors.push(invalid(field, count, 'must be greater than or equal to 1'));
  return errors;
}

/** Older versions have a word here, and their own rules. */
function modeErrors(mode: unknown, path: string): readonly FieldError[] {
  return isJsonObject(mode) ? unionErrors(mode, ['single', 'all'], path) : [];
}

function templateErrors(template: JsonObject, path: string): readonly FieldError[] {
  return [
    ...requiredText(template, 'name', path, dnsLabelProblems),
    ...policyErrors(objectAt(template, 'schedulingPolicy'), `${path}.schedulingPolicy`),
    ...modeErrors(template['disruptionMode'], `${path}.disruptionMode`),
  ];
}

function isOlderShape(spec: JsonObject): boolean {
  return isThere(spec['podGroups']);
}

function workloadErrors(workload: KubeObject): readonly FieldError[] {
  const spec = specOf(workload);
  if (isOlderShape(spec)) return [];
  const path = 'spec.podGroupTemplates';
  const templates = objectsAt(spec, 'podGroupTemplates');
  const composite = objectsAt(spec, 'compositePodGroupTemplates');
  if (templates.length === 0 && composite.length === 0) {
    const detail = 'must specify one of: `podGroupTemplates`, `compositePodGroupTemplates`';
    return [...controllerErrors(spec), invalid('spec', '', detail)];
  }
  if (templates.length > maxTemplates) return [tooMany(path, templates.length, maxTemplates)];
  const names = new Set<string>();
  const repeated = templates.flatMap((template, index) => {
    const name = textAt(template, 'name');
    if (!names.has(name)) {
      names.add(name);
      return [];
    }
    return [duplicate(`${path}[${index}]`, template)];
  });
  return [
    ...controllerErrors(spec),
    ...repeated,
    ...templates.flatMap((template, index) => templateErrors(template, `${path}[${index}]`)),
  ];
}

function controllerErrors(spec: JsonObject): readonly FieldError[] {
  const reference = objectAt(spec, 'controllerRef');
  if (reference === undefined) return [];
  return ['kind', 'name'].flatMap((key) => requiredText(reference, key, 'spec.controllerRef'));
}

/** Structures are not printed in these refusals. */
function fixedErrors(
  now: JsonObject,
  before: JsonObject,
  keys: readonly string[],
  path: string,
): readonly FieldError[] {
  return keys
    .filter((key) => !sameJson(now[key], before[key]))
    .map((key) => invalid(`${path}.${key}`, null, isImmutable));
}

/** A gang may change its size, but nothing becomes a gang or stops being one. */
function policyUpdateErrors(now: JsonObject, before: JsonObject, path: string): readonly FieldError[] {
  const policy = objectAt(now, 'schedulingPolicy');
  const old = objectAt(before, 'schedulingPolicy');
  return ['basic', 'gang'].flatMap((key) => {
    if (isThere(policy?.[key]) === isThere(old?.[key])) return [];
    const detail = isThere(policy?.[key]) ? isImmutable : 'field cannot be cleared once set';
    return [invalid(`${path}.schedulingPolicy.${key}`, null, detail)];
  });
}

const fixedInTemplate = ['disruptionMode', 'schedulingConstraints', 'resourceClaims', 'priorityClassName'] as const;

/** Templates are known by their names, and neither come nor go. */
function templateUpdateErrors(now: JsonObject, before: JsonObject): readonly FieldError[] {
  const path = 'spec.podGroupTemplates';
  const old = new Map(objectsAt(before, 'podGroupTemplates').map((template) => [textAt(template, 'name'), template]));
  const errors: FieldError[] = [];
  for (const [index, template] of objectsAt(now, 'podGroupTemplates').entries()) {
    const field = `${path}[${index}]`;
    const previous = old.get(textAt(template, 'name'));
    old.delete(textAt(template, 'name'));
    if (previous === undefined) errors.push(forbidden(field, 'item may not be added'));
    else
      errors.push(
        ...policyUpdateErrors(template, previous, field),
        ...fixedErrors(template, previous, fixedInTemplate, field),
      );
  }
  return [...errors, ...[...old].map(() => forbidden(path, 'item may not be removed'))];
}

export const workloadStrategy: Strategy = {
  requiresResourceVersion: true,
  validate: workloadErrors,
  validateUpdate: (workload, old) => [
    ...fixedErrors(specOf(workload), specOf(old), ['controllerRef'], 'spec'),
    ...templateUpdateErrors(specOf(workload), specOf(old)),
  ],
};

function podGroupErrors(group: KubeObject): readonly FieldError[] {
  const spec = specOf(group);
  const reference = objectAt(spec, 'workloadRef');
  return [
    ...(reference === undefined ? [] : referenceErrors(reference, 'spec.workloadRef')),
    ...policyErrors(objectAt(spec, 'schedulingPolicy'), 'spec.schedulingPolicy'),
    ...modeErrors(spec['disruptionMode'], 'spec.disruptionMode'),
    ...(isThere(spec['parentCompositePodGroupName']) && reference === undefined
      ? [required('spec.workloadRef', 'must be set when parentCompositePodGroupName is set')]
      : []),
  ];
}

function referenceErrors(reference: JsonObject, path: string): readonly FieldError[] {
  const template = textAt(reference, 'templateName');
  return [
    ...requiredText(reference, 'workloadName', path, dnsSubdomainProblems),
    ...(template === ''
      ? [required(`${path}.templateName`, '')]
      : problemsOf(`${path}.templateName`, template, dnsLabelProblems)),
  ];
}

const fixed = ['workloadRef', 'podGroupTemplateRef', 'disruptionMode', 'parentCompositePodGroupName'] as const;

export const podGroupStrategy: Strategy = {
  requiresResourceVersion: true,
  applyDefaults(group) {
    const spec = ensureObject(group, 'spec');
    // Version v1alpha2 says it with a word.
    const single = group.apiVersion.endsWith('/v1alpha2') ? 'Pod' : { single: {} };
    if (spec !== undefined && !isThere(spec['disruptionMode'])) spec['disruptionMode'] = single;
  },
  prepareForCreate(draft) {
    draft['status'] = {};
  },
  validate: podGroupErrors,
  validateUpdate: (group, old) => [
    ...fixedErrors(specOf(group), specOf(old), fixed, 'spec'),
    ...policyUpdateErrors(specOf(group), specOf(old), 'spec'),
  ],
};
