import { type FieldError, forbidden, invalid, required } from '@holdfast/base/field-errors';
import type { JsonObject, KubeObject } from '../../objects.ts';
import type { Strategy } from '../strategy.ts';
import { duplicate, oneOf, portErrors, problemsOf } from './checks/field-checks.ts';
import { labelErrors } from './checks/labels.ts';
import { dnsLabelName } from './checks/object-names.ts';
import {
  ensureObject,
  fillIn,
  fillInText,
  isThere,
  listAt,
  numberAt,
  objectAt,
  objectsAt,
  specOf,
  textAt,
} from './checks/read.ts';
import { dnsLabelProblems, dnsSubdomainProblems } from './checks/syntax.ts';

const affinitySeconds = 10_800;
const maxAffinitySeconds = 86_400;

function applyDefaults(service: KubeObject): void {
  const spec = ensureObject(service, 'spec');
  if (spec === undefined) return;
  fillInText(spec, 'sessionAffinity', 'None');
  affinityDefaults(spec);
  fillInText(spec, 'type', 'ClusterIP');
  for (const port of objectsAt(spec, 'ports')) portDefaults(port);
  const { type } = spec;
  const outside = type === 'NodePort' || type === 'LoadBalancer';
  if (outside || (type === 'ClusterIP' && listAt(spec, 'externalIPs').length > 0)) {
    fillInText(spec, 'externalTrafficPolicy', 'Cluster');
  }
  if (type !== 'ExternalName') fillIn(spec, 'internalTrafficPolicy', 'Cluster');
  if (type === 'LoadBalancer') fillIn(spec, 'allocateLoadBalancerNodePorts', true);
}

function affinityDefaults(spec: JsonObject): void {
  if (spec['sessionAffinity'] === 'None') delete spec['sessionAffinityConfig'];
  if (spec['sessionAffinity'] !== 'ClientIP') return;
  const config = ensureObject(spec, 'sessionAffinityConfig');
  const client = config && ensureObject(config, 'clientIP');
  if (client !== undefined) fillIn(client, 'timeoutSeconds', affinitySeconds);
}

function portDefaults(port: JsonObject): void {
  fillInText(port, 'protocol', 'TCP');
  const target = port['targetPort'];
  const unset = !isThere(target) || target === 0 || target === '';
  if (unset && target !== port['port']) port['targetPort'] = port['port'];
}

/** This cluster has one address family. Addresses themselves are handed out by the allocator. */
function familyDefaults(spec: JsonObject): void {
  if (spec['type'] === 'ExternalName') return;
  if (listAt(spec, 'ipFamilies').length === 0) spec['ipFamilies'] = ['IPv4'];
  fillInText(spec, 'ipFamilyPolicy', 'SingleStack');
  const ip = textAt(spec, 'clusterIP');
  if (ip !== '' && listAt(spec, 'clusterIPs').length === 0) spec['clusterIPs'] = [ip];
}

function isHeadless(spec: JsonObject): boolean {
  return textAt(spec, 'clusterIP') === 'None';
}

const protocols = ['SCTP', 'TCP', 'UDP'] as const;
const types = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'] as const;

function portsErrors(spec: JsonObject): readonly FieldError[] {
  const ports = objectsAt(spec, 'ports');
  if (ports.length === 0) {
    return isHeadless(spec) || spec['type'] === 'ExternalName' ? [] : [required('spec.ports', '')];
  }
  const names = new Set<string>();
  return ports.flatMap((port, index) => {
    const path = `spec.ports[${index}]`;
    return [
      ...portNameErrors(textAt(port, 'name'), path, ports.length > 1, names),
      ...portErrors(port['port'], `${path}.port`),
      ...oneOf(port, 'protocol', path, protocols),
      ...portErrors(port['targetPort'], `${path}.targetPort`),
    ];
  });
}

function portNameErrors(name: string, path: string, needed: boolean, names: Set<string>): readonly FieldError[] {
  const field = `${path}.name`;
  if (name === '') return needed ? [required(field, '')] : [];
  const errors = [...problemsOf(field, name, dnsLabelProblems)];
  if (names.has(name)) errors.push(duplicate(field, name));
  names.add(name);
  return errors;
}

function typeErrors(spec: JsonObject): readonly FieldError[] {
  const { type } = spec;
  if (isHeadless(spec) && (type === 'LoadBalancer' || type === 'NodePort')) {
    return [invalid('spec.clusterIPs[0]', 'None', `may not be set to 'None' for ${type} services`)];
  }
  if (type !== 'ExternalName') return [];
  const errors: FieldError[] = ['clusterIPs', 'ipFamilies', 'ipFamilyPolicy']
    .filter((key) => isThere(spec[key]) && listAt(spec, key).length + textAt(spec, key).length > 0)
    .map((key) => forbidden(`spec.${key}`, 'may not be set for ExternalName services'));
  const name = textAt(spec, 'externalName').replace(/\.$/, '');
  if (name === '') return [...errors, required('spec.externalName', '')];
  return [...errors, ...problemsOf('spec.externalName', name, dnsSubdomainProblems)];
}

function affinityErrors(spec: JsonObject): readonly FieldError[] {
  const errors = oneOf(spec, 'sessionAffinity', 'spec', ['ClientIP', 'None']);
  if (spec['sessionAffinity'] !== 'ClientIP') return errors;
  const seconds = numberAt(objectAt(objectAt(spec, 'sessionAffinityConfig'), 'clientIP'), 'timeoutSeconds') ?? 0;
  if (seconds > 0 && seconds <= maxAffinitySeconds) return errors;
  const field = 'spec.sessionAffinityConfig.clientIP.timeoutSeconds';
  return [...errors, invalid(field, seconds, `must be between 0 and ${maxAffinitySeconds}`)];
}

function portClashes(spec: JsonObject): readonly FieldError[] {
  const seen = new Set<string>();
  return objectsAt(spec, 'ports').flatMap((port, index) => {
    const errors: FieldError[] = [];
    const path = `spec.ports[${index}]`;
    if (spec['type'] === 'ClusterIP' && (numberAt(port, 'nodePort') ?? 0) !== 0) {
      errors.push(forbidden(`${path}.nodePort`, "may not be used when `type` is 'ClusterIP'"));
    }
    const protocol = textAt(port, 'protocol');
    const key = `${protocol}/${port['port']}`;
    if (seen.has(key)) {
      const shown = { Name: '', Protocol: protocol, AppProtocol: null, Port: port['port'], TargetPort: 0, NodePort: 0 };
      errors.push(duplicate(path, shown));
    }
    seen.add(key);
    return errors;
  });
}

function validate(service: KubeObject): readonly FieldError[] {
  const spec = specOf(service);
  return [
    ...typeErrors(spec),
    ...portsErrors(spec),
    ...labelErrors(spec, 'selector', 'spec.selector'),
    ...affinityErrors(spec),
    ...oneOf(spec, 'type', 'spec', types),
    ...portClashes(spec),
  ];
}

/** A service keeps its address, unless it becomes or was one that has none. */
function addressErrors(spec: JsonObject, before: JsonObject): readonly FieldError[] {
  const [now, old] = [textAt(spec, 'clusterIP'), textAt(before, 'clusterIP')];
  if (spec['type'] === 'ExternalName' || before['type'] === 'ExternalName' || old === '' || now === old) return [];
  return [invalid('spec.clusterIPs[0]', listAt(spec, 'clusterIPs'), 'may not change once set')];
}

/** A client that leaves the address out keeps the one there is. */
function keepAddress(draft: KubeObject, old: KubeObject): void {
  const spec = ensureObject(draft, 'spec');
  const before = specOf(old);
  if (spec === undefined || spec['type'] === 'ExternalName' || before['type'] === 'ExternalName') return;
  if (textAt(spec, 'clusterIP') === '' && textAt(before, 'clusterIP') !== '') {
    spec['clusterIP'] = before['clusterIP'];
    spec['clusterIPs'] = before['clusterIPs'];
  }
}

export const serviceStrategy: Strategy = {
  createOnUpdate: true,
  nameProblem: dnsLabelName,
  applyDefaults,
  prepareForCreate(draft) {
    draft['status'] = { loadBalancer: {} };
    const spec = ensureObject(draft, 'spec');
    if (spec !== undefined) familyDefaults(spec);
  },
  prepareForUpdate(draft, old) {
    keepAddress(draft, old);
    const spec = ensureObject(draft, 'spec');
    if (spec !== undefined) familyDefaults(spec);
  },
  validate,
  validateUpdate: (service, old) => addressErrors(specOf(service), specOf(old)),
  selectableFields: (service) => ({
    'spec.clusterIP': textAt(specOf(service), 'clusterIP'),
    'spec.type': textAt(specOf(service), 'type'),
  }),
};
