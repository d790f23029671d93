import { type FieldError, forbidden, invalid, required } from '@holdfast/base/field-errors';
import type { JsonObject } from '../../../objects.ts';
import { duplicate, inRange, maxInt32, oneOf, oneOfIfThere, optionalText, problemsOf } from '../checks/field-checks.ts';
import { labelErrors, labelNameErrors } from '../checks/labels.ts';
import { isThere, numberAt, objectAt, objectsAt, textAt } from '../checks/read.ts';
import { dnsLabelProblems, dnsSubdomainProblems } from '../checks/syntax.ts';
import { type ContainerValidationContext, containersErrors, initContainersErrors } from './container-validation.ts';
import { affinityErrors, spreadErrors, tolerationErrors } from './scheduling-validation.ts';
import { checkVolumes } from './volume-validation.ts';

/** `pod`: the spec of a pod itself; `template`: one that pods are made from. */
export type SpecOwner = 'pod' | 'template';

const restartPolicies = ['Always', 'OnFailure', 'Never'] as const;
const dnsPolicies = ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None'] as const;
export const preemptionPolicies = ['PreemptLowerPriority', 'Never'] as const;

/** `moreVolumes` are volumes that pods get besides those in the spec: claims of a StatefulSet. */
export function podSpecErrors(
  spec: JsonObject,
  path: string,
  owner: SpecOwner,
  moreVolumes: readonly string[] = [],
): readonly FieldError[] {
  const volumes = checkVolumes(spec, `${path}.volumes`);
  const context: ContainerValidationContext = {
    volumes: moreVolumes.length === 0 ? volumes.names : new Set([...volumes.names, ...moreVolumes]),
    graceSeconds: numberAt(spec, 'terminationGracePeriodSeconds') ?? 0,
    restartPolicy: textAt(spec, 'restartPolicy'),
  };
  const containers = objectsAt(spec, 'containers');
  return [
    ...(isThere(spec['terminationGracePeriodSeconds']) ? [] : [required(`${path}.terminationGracePeriodSeconds`, '')]),
    ...volumes.errors,
    ...containersErrors(containers, `${path}.containers`, context),
    ...initContainersErrors(objectsAt(spec, 'initContainers'), containers, `${path}.initContainers`, context),
    ...hostNetworkErrors(spec, `${path}.containers`, owner),
    ...oneOf(spec, 'restartPolicy', path, restartPolicies),
    ...oneOf(spec, 'dnsPolicy', path, dnsPolicies),
    ...placementErrors(spec, path),
    ...nameErrors(spec, path),
    ...groupErrors(spec, path),
  ];
}

function hostNetworkErrors(spec: JsonObject, path: string, owner: SpecOwner): readonly FieldError[] {
  if (spec['hostNetwork'] !== true) return [];
  return objectsAt(spec, 'containers').flatMap((container, index) =>
    objectsAt(container, 'ports').flatMap((port, portIndex) => {
      const hostPort = numberAt(port, 'hostPort') ?? 0;
      if (hostPort === numberAt(port, 'containerPort') || (owner === 'template' && hostPort === 0)) return [];
      const field = `${path}[${index}].ports[${portIndex}].hostPort`;
      return [invalid(field, hostPort, 'must match `containerPort` when `hostNetwork` is true')];
    }),
  );
}

function placementErrors(spec: JsonObject, path: string): readonly FieldError[] {
  return [
    ...labelErrors(spec, 'nodeSelector', `${path}.nodeSelector`),
    ...affinityErrors(objectAt(spec, 'affinity'), `${path}.affinity`),
    ...gateErrors(objectsAt(spec, 'schedulingGates'), `${path}.schedulingGates`),
    ...spreadErrors(objectsAt(spec, 'topologySpreadConstraints'), `${path}.topologySpreadConstraints`),
  ];
}

function gateErrors(gates: readonly JsonObject[], path: string): readonly FieldError[] {
  const seen = new Set<string>();
  return gates.flatMap((gate, index) => {
    const name = textAt(gate, 'name');
    const errors = [...labelNameErrors(name, `${path}[${index}]`)];
    if (seen.has(name)) errors.push(duplicate(`${path}[${index}]`, name));
    seen.add(name);
    return errors;
  });
}

function nameErrors(spec: JsonObject, path: string): readonly FieldError[] {
  return [
    ...optionalText(spec, 'serviceAccountName', path, dnsSubdomainProblems),
    ...optionalText(spec, 'nodeName', path, dnsSubdomainProblems),
    ...inRange(spec, 'activeDeadlineSeconds', path, 1, maxInt32),
    ...optionalText(spec, 'hostname', path, dnsLabelProblems),
    ...optionalText(spec, 'subdomain', path, dnsLabelProblems),
    ...tolerationErrors(objectsAt(spec, 'tolerations'), `${path}.tolerations`),
    ...optionalText(spec, 'priorityClassName', path, dnsSubdomainProblems),
    ...optionalText(spec, 'runtimeClassName', path, dnsSubdomainProblems),
    ...oneOfIfThere(spec, 'preemptionPolicy', path, preemptionPolicies),
  ];
}

/** Which group a pod is scheduled with: by name, or as older clients write it. */
function groupErrors(spec: JsonObject, path: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  const group = objectAt(spec, 'schedulingGroup');
  if (group !== undefined) {
    const field = `${path}.schedulingGroup`;
    const name = group['podGroupName'];
    if (!isThere(name)) errors.push(invalid(`${field}.podGroupName`, null, 'must specify one of: `podGroupName`'));
    else if (typeof name === 'string') errors.push(...problemsOf(`${field}.podGroupName`, name, dnsSubdomainProblems));
    if (objectsAt(spec, 'evictionResponders').length > 0) {
      errors.push(forbidden(field, 'may not be set when evictionResponders is set'));
    }
  }
  const reference = objectAt(spec, 'workloadRef');
  if (reference === undefined) return errors;
  for (const [key, problems] of [
    ['name', dnsSubdomainProblems],
    ['podGroup', dnsLabelProblems],
  ] as const) {
    const field = `${path}.workloadRef.${key}`;
    const value = textAt(reference, key);
    if (value === '') errors.push(required(field, ''));
    else errors.push(...problemsOf(field, value, problems));
  }
  return [...errors, ...optionalText(reference, 'podGroupReplicaKey', `${path}.workloadRef`, dnsLabelProblems)];
}
