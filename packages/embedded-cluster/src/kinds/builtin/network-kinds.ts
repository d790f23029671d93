/** NetworkPolicies, Ingresses and IngressClasses. */

import { type FieldError, invalid, notSupported, required } from '@holdfast/base/field-errors';
import type { JsonObject, KubeObject } from '../../objects.ts';
import type { Strategy } from '../strategy.ts';
import { selectorErrors } from './checks/labels.ts';
import { ensureObject, fillInText, isThere, listAt, objectAt, objectsAt, specOf, textAt } from './checks/read.ts';

function policyDefaults(policy: KubeObject): void {
  const spec = ensureObject(policy, 'spec');
  if (spec === undefined) return;
  for (const direction of ['ingress', 'egress']) {
    for (const rule of objectsAt(spec, direction)) {
      for (const port of objectsAt(rule, 'ports')) fillInText(port, 'protocol', 'TCP');
    }
  }
  if (listAt(spec, 'policyTypes').length > 0) return;
  spec['policyTypes'] = listAt(spec, 'egress').length > 0 ? ['Ingress', 'Egress'] : ['Ingress'];
}

function policyErrors(policy: KubeObject): readonly FieldError[] {
  const spec = specOf(policy);
  return [
    ...selectorErrors(spec['podSelector'], 'spec.podSelector'),
    ...listAt(spec, 'policyTypes').flatMap((type, index) =>
      type === 'Ingress' || type === 'Egress'
        ? []
        : [notSupported(`spec.policyTypes[${index}]`, type, ['Egress', 'Ingress'])],
    ),
  ];
}

export const networkPolicyStrategy: Strategy = {
  applyDefaults: policyDefaults,
  validate: policyErrors,
};

const pathTypes = ['Exact', 'ImplementationSpecific', 'Prefix'] as const;

function pathErrors(path: JsonObject, at: string): readonly FieldError[] {
  const type = textAt(path, 'pathType');
  if (type === '') return [required(`${at}.pathType`, 'pathType must be specified')];
  if (!(pathTypes as readonly string[]).includes(type)) return [notSupported(`${at}.pathType`, type, pathTypes)];
  const value = textAt(path, 'path');
  const errors: FieldError[] = [];
  if (type !== 'ImplementationSpecific' && !value.startsWith('/')) {
    errors.push(invalid(`${at}.path`, value, 'must be an absolute path'));
  }
  return [...errors, ...backendErrors(objectAt(path, 'backend'), `${at}.backend`)];
}

function backendErrors(backend: JsonObject | undefined, at: string): readonly FieldError[] {
  const service = objectAt(backend, 'service');
  if (service === undefined) {
    if (isThere(backend?.['resource'])) return [];
    return [invalid(at, '', 'resource or service backend is required')];
  }
  return textAt(service, 'name') === '' ? [required(`${at}.service.name`, '')] : [];
}

function ingressErrors(ingress: KubeObject): readonly FieldError[] {
  const spec = specOf(ingress);
  const rules = objectsAt(spec, 'rules');
  const backend = objectAt(spec, 'defaultBackend');
  if (rules.length === 0 && backend === undefined) {
    return [invalid('spec', null, 'either `defaultBackend` or `rules` must be specified')];
  }
  return [
    ...(backend === undefined ? [] : backendErrors(backend, 'spec.defaultBackend')),
    ...rules.flatMap((rule, index) =>
      objectsAt(objectAt(rule, 'http'), 'paths').flatMap((path, pathIndex) =>
        pathErrors(path, `spec.rules[${index}].http.paths[${pathIndex}]`),
      ),
    ),
  ];
}

export const ingressStrategy: Strategy = {
  prepareForCreate(draft) {
    draft['status'] = { loadBalancer: {} };
  },
  validate: ingressErrors,
};
