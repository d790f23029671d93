import { type FieldError, forbidden, invalid, notSupported, required } from '@holdfast/base/field-errors';
import type { JsonObject } from '../../../objects.ts';
import { duplicate, missing, oneOf, portErrors, requiredText } from '../checks/field-checks.ts';
import { isThere, numberAt, objectAt, objectsAt, textAt } from '../checks/read.ts';
import { resourceErrors } from '../checks/resource-lists.ts';
import { configKeyProblems, dnsLabelProblems, envNameProblems, portNameProblems } from '../checks/syntax.ts';
import { livelinessErrors } from './probe-validation.ts';

/** What containers of one pod share. */
export interface ContainerValidationContext {
  readonly volumes: ReadonlySet<string>;
  readonly graceSeconds: number;
  readonly restartPolicy: string;
}

export function containersErrors(
  containers: readonly JsonObject[],
  path: string,
  context: ContainerValidationContext,
): readonly FieldError[] {
  if (containers.length === 0) return [required(path, '')];
  const errors: FieldError[] = [];
  const names = new Set<string>();
  for (const [index, container] of containers.entries()) {
    const at = `${path}[${index}]`;
    errors.push(...commonErrors(container, at, context));
    const name = textAt(container, 'name');
    if (names.has(name)) errors.push(duplicate(`${at}.name`, name));
    names.add(name);
    errors.push(...livelinessErrors(container, at, context.graceSeconds));
  }
  errors.push(...hostPortConflicts(containers, path));
  return errors;
}

export function initContainersErrors(
  containers: readonly JsonObject[],
  regular: readonly JsonObject[],
  path: string,
  context: ContainerValidationContext,
): readonly FieldError[] {
  const errors: FieldError[] = [];
  const names = new Set(regular.map((container) => textAt(container, 'name')));
  for (const [index, container] of containers.entries()) {
    const at = `${path}[${index}]`;
    errors.push(...commonErrors(container, at, context));
    const name = textAt(container, 'name');
    if (names.has(name)) errors.push(duplicate(`${at}.name`, name));
    else if (name !== '') names.add(name);
    if (textAt(container, 'restartPolicy') === 'Always') {
      errors.push(...livelinessErrors(container, at, context.graceSeconds));
    } else errors.push(...onlyForSidecars(container, at));
  }
  return errors;
}

function onlyForSidecars(container: JsonObject, path: string): readonly FieldError[] {
  return ['lifecycle', 'livenessProbe', 'readinessProbe', 'startupProbe', 'disruptionProbe']
    .filter((key) => isThere(container[key]))
    .map((key) => forbidden(`${path}.${key}`, 'may not be set for init containers without restartPolicy=Always'));
}

const messagePolicies = ['File', 'FallbackToLogsOnError'] as const;
const pullPolicies = ['Always', 'IfNotPresent', 'Never'] as const;

function commonErrors(container: JsonObject, path: string, context: ContainerValidationContext): readonly FieldError[] {
  return [
    ...requiredText(container, 'name', path, dnsLabelProblems),
    ...requiredText(container, 'image', path),
    ...oneOf(container, 'terminationMessagePolicy', path, messagePolicies),
    ...portsErrors(objectsAt(container, 'ports'), `${path}.ports`),
    ...environmentErrors(objectsAt(container, 'env'), `${path}.env`),
    ...mountErrors(container, path, context.volumes),
    ...oneOf(container, 'imagePullPolicy', path, pullPolicies),
    ...resourceErrors(objectAt(container, 'resources'), `${path}.resources`),
    ...resizePolicyErrors(container, `${path}.resizePolicy`, context.restartPolicy),
  ];
}

const protocols = ['SCTP', 'TCP', 'UDP'] as const;

function portsErrors(ports: readonly JsonObject[], path: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  const names = new Set<string>();
  for (const [index, port] of ports.entries()) {
    const at = `${path}[${index}]`;
    const name = textAt(port, 'name');
    if (name !== '') {
      const problems = portNameProblems(name);
      for (const problem of problems) errors.push(invalid(`${at}.name`, name, problem));
      if (problems.length === 0 && names.has(name)) errors.push(duplicate(`${at}.name`, name));
      names.add(name);
    }
    const number = numberAt(port, 'containerPort') ?? 0;
    if (number === 0) errors.push(required(`${at}.containerPort`, ''));
    else errors.push(...portErrors(number, `${at}.containerPort`));
    const hostPort = numberAt(port, 'hostPort') ?? 0;
    if (hostPort !== 0) errors.push(...portErrors(hostPort, `${at}.hostPort`));
    errors.push(...oneOf(port, 'protocol', at, protocols));
  }
  return errors;
}

function hostPortConflicts(containers: readonly JsonObject[], path: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  const taken = new Set<string>();
  for (const [index, container] of containers.entries()) {
    for (const [portIndex, port] of objectsAt(container, 'ports').entries()) {
      const hostPort = numberAt(port, 'hostPort') ?? 0;
      if (hostPort === 0) continue;
      const key = `${textAt(port, 'protocol')}/${textAt(port, 'hostIP')}/${hostPort}`;
      if (taken.has(key)) errors.push(duplicate(`${path}[${index}].ports[${portIndex}].hostPort`, key));
      taken.add(key);
    }
  }
  return errors;
}

function environmentErrors(variables: readonly JsonObject[], path: string): readonly FieldError[] {
  return variables.flatMap((variable, index) => [
    ...requiredText(variable, 'name', `${path}[${index}]`, envNameProblems),
    ...valueFromErrors(variable, `${path}[${index}].valueFrom`),
  ]);
}

const sources = ['fieldRef', 'resourceFieldRef', 'configMapKeyRef', 'secretKeyRef', 'fileKeyRef'] as const;

function valueFromErrors(variable: JsonObject, path: string): readonly FieldError[] {
  const from = objectAt(variable, 'valueFrom');
  if (from === undefined) return [];
  const given = sources.filter((key) => isThere(from[key]));
  const errors: FieldError[] = [];
  for (const key of given) errors.push(...sourceErrors(key, objectAt(from, key), `${path}.${key}`));
  if (given.length === 0) {
    const detail =
      'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`';
    errors.push(invalid(path, '', detail));
  } else if (textAt(variable, 'value') !== '') {
    errors.push(invalid(path, '', 'may not be specified when `value` is not empty'));
  } else if (given.length > 1) {
    errors.push(invalid(path, '', 'may not have more than one field specified at a time'));
  }
  return errors;
}

const podFields = [
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.serviceAccountName',
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
] as const;

function sourceErrors(
  key: (typeof sources)[number],
  source: JsonObject | undefined,
  path: string,
): readonly FieldError[] {
  switch (key) {
    case 'fieldRef':
      return fieldReferenceErrors(source, path);
    case 'configMapKeyRef':
    case 'secretKeyRef':
      return requiredText(source, 'key', path, configKeyProblems);
    case 'resourceFieldRef':
      return requiredText(source, 'resource', path);
    case 'fileKeyRef':
      return requiredText(source, 'key', path, envNameProblems);
  }
}

function fieldReferenceErrors(source: JsonObject | undefined, path: string): readonly FieldError[] {
  const fieldPath = textAt(source, 'fieldPath');
  if (fieldPath === '') return [required(`${path}.fieldPath`, '')];
  if (/^metadata\.(labels|annotations)\['[^']*'\]$/.test(fieldPath)) return [];
  if ((podFields as readonly string[]).includes(fieldPath)) return [];
  return [notSupported(`${path}.fieldPath`, fieldPath, podFields)];
}

function mountErrors(container: JsonObject, path: string, volumes: ReadonlySet<string>): readonly FieldError[] {
  const errors: FieldError[] = [];
  const mounted = new Set<string>();
  for (const [index, mount] of objectsAt(container, 'volumeMounts').entries()) {
    const at = `${path}.volumeMounts[${index}]`;
    const name = textAt(mount, 'name');
    if (name === '') errors.push(required(`${at}.name`, ''));
    if (!volumes.has(name)) errors.push(missing(`${at}.name`, name));
    const mountPath = textAt(mount, 'mountPath');
    if (mountPath === '') errors.push(required(`${at}.mountPath`, ''));
    if (mounted.has(mountPath)) errors.push(invalid(`${at}.mountPath`, mountPath, 'must be unique'));
    mounted.add(mountPath);
  }
  return errors;
}

const resizable = ['cpu', 'memory'] as const;
const resizeRestarts = ['NotRequired', 'RestartContainer'] as const;

function resizePolicyErrors(container: JsonObject, path: string, restartPolicy: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  for (const [index, policy] of objectsAt(container, 'resizePolicy').entries()) {
    const name = textAt(policy, 'resourceName');
    if (seen.has(name)) errors.push(duplicate(`${path}[${index}]`, name));
    seen.add(name);
    errors.push(...wordErrors(name, path, resizable));
    const restart = textAt(policy, 'restartPolicy');
    errors.push(...wordErrors(restart, path, resizeRestarts));
    if (restartPolicy === 'Never' && restart !== 'NotRequired') {
      errors.push(invalid(path, restart, "must be 'NotRequired' when pod `restartPolicy` is 'Never'"));
    }
  }
  return errors;
}

function wordErrors(word: string, field: string, supported: readonly string[]): readonly FieldError[] {
  if (word === '') return [required(field, '')];
  return supported.includes(word) ? [] : [notSupported(field, word, supported)];
}
