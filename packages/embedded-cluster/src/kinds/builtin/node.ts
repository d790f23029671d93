import { type FieldError, forbidden, invalid, required } from '@holdfast/base/field-errors';
import { sameJson } from '@holdfast/base/json';
import type { JsonObject, KubeObject } from '../../objects.ts';
import type { Strategy } from '../strategy.ts';
import { duplicate } from './checks/field-checks.ts';
import { labelNameErrors } from './checks/labels.ts';
import { ensureObject, fillIn, isThere, listAt, objectAt, objectsAt, specOf, statusOf, textAt } from './checks/read.ts';
import { canonicalQuantities } from './checks/resource-lists.ts';
import { labelValueProblems } from './checks/syntax.ts';
import { taintEffectErrors } from './pods/scheduling-validation.ts';

function applyDefaults(node: KubeObject): void {
  ensureObject(node, 'spec');
  const status = ensureObject(node, 'status');
  if (status === undefined) return;
  canonicalQuantities(status, 'capacity');
  canonicalQuantities(status, 'allocatable');
  alwaysThere(status);
  const capacity = objectAt(status, 'capacity');
  if (!isThere(status['allocatable']) && capacity !== undefined) status['allocatable'] = { ...capacity };
}

const nodeInfo = [
  'architecture',
  'bootID',
  'containerRuntimeVersion',
  'kernelVersion',
  'kubeProxyVersion',
  'kubeletVersion',
  'machineID',
  'operatingSystem',
  'osImage',
  'systemUUID',
] as const;

/** Clients read these fields without asking whether they are there. */
function alwaysThere(status: JsonObject): void {
  const info = ensureObject(status, 'nodeInfo');
  if (info !== undefined) for (const key of nodeInfo) fillIn(info, key, '');
  const endpoints = ensureObject(status, 'daemonEndpoints');
  const kubelet = endpoints && ensureObject(endpoints, 'kubeletEndpoint');
  if (kubelet !== undefined) fillIn(kubelet, 'Port', 0);
}

/** The path of these errors starts at the metadata; the API server says it so. */
const taintsField = 'metadata.taints';

function taintErrors(taints: readonly JsonObject[]): readonly FieldError[] {
  const seen = new Set<string>();
  return taints.flatMap((taint, index) => {
    const path = `${taintsField}[${index}]`;
    const [key, value, effect] = [textAt(taint, 'key'), textAt(taint, 'value'), textAt(taint, 'effect')];
    const errors = [...labelNameErrors(key, `${path}.key`)];
    const problems = labelValueProblems(value);
    if (problems.length > 0) errors.push(invalid(`${path}.value`, value, problems.join(';')));
    errors.push(...(effect === '' ? [required(`${path}.effect`, '')] : taintEffectErrors(effect, `${path}.effect`)));
    if (seen.has(`${effect}/${key}`)) {
      errors.push({
        ...duplicate(path, { Key: key, Value: value, Effect: effect, TimeAdded: taint['timeAdded'] ?? null }),
        detail: 'taints must be unique by key and effect pair',
      });
    }
    seen.add(`${effect}/${key}`);
    return errors;
  });
}

function updateErrors(node: KubeObject, old: KubeObject): readonly FieldError[] {
  const [now, before] = [specOf(node), specOf(old)];
  const errors: FieldError[] = [];
  const cidrs = listAt(before, 'podCIDRs');
  if (cidrs.length > 0 && !sameJson(cidrs, listAt(now, 'podCIDRs'))) {
    const detail = 'node updates may not change podCIDR except from "" to valid';
    errors.push(forbidden('spec.podCIDRs', detail));
  }
  const [provider, oldProvider] = [textAt(now, 'providerID'), textAt(before, 'providerID')];
  if (oldProvider !== '' && provider !== oldProvider) {
    const verb = provider === '' ? 'cleared' : 'modified';
    errors.push(invalid('spec.providerID', null, `field cannot be ${verb} once set`));
  }
  return errors;
}

export const nodeStrategy: Strategy = {
  applyDefaults,
  validate: (node) => taintErrors(objectsAt(specOf(node), 'taints')),
  validateUpdate: updateErrors,
  validateSubresource(subresource, node) {
    if (subresource !== 'status') return [];
    const seen = new Set<string>();
    return objectsAt(statusOf(node), 'addresses').flatMap((address, index) => {
      const key = `${textAt(address, 'type')}/${textAt(address, 'address')}`;
      if (seen.has(key)) return [duplicate(`status.addresses[${index}]`, address)];
      seen.add(key);
      return [];
    });
  },
  selectableFields: (node) => ({ 'spec.unschedulable': String(specOf(node)['unschedulable'] === true) }),
};
