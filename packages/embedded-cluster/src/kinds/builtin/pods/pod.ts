import { type FieldError, forbidden } from '@holdfast/base/field-errors';
import type { JsonObject, KubeObject } from '../../../objects.ts';
import { timestamp } from '../../../time/clock.ts';
import type { Strategy } from '../../strategy.ts';
import { notNegativeFields, optionalText, unchanged } from '../checks/field-checks.ts';
import { ensureObject, listAt, numberAt, objectAt, objectsAt, specOf, statusOf, textAt } from '../checks/read.ts';
import { dnsLabelProblems, dnsSubdomainProblems } from '../checks/syntax.ts';
import { applyPodOnlyDefaults, applyPodSpecDefaults } from './pod-defaults.ts';
import { podQosClass } from './pod-qos.ts';
import { podResizeErrors, withResizedOnly } from './pod-resize.ts';
import { podSpecErrors } from './pod-spec-validation.ts';
import { podSpecUpdateErrors } from './pod-update.ts';

function applyDefaults(pod: KubeObject): void {
  const spec = ensureObject(pod, 'spec');
  if (spec === undefined) return;
  applyPodSpecDefaults(spec);
  applyPodOnlyDefaults(spec);
  const status = objectAt(pod, 'status');
  if (status !== undefined) addressDefaults(status);
}

/** `podIP` is the first of `podIPs`, whichever of the two was written. */
function addressDefaults(status: JsonObject): void {
  const ip = textAt(status, 'podIP');
  const first = textAt(objectsAt(status, 'podIPs')[0], 'ip');
  if (ip === '' && first !== '') status['podIP'] = first;
  else if (ip !== '' && ip !== first) status['podIPs'] = [{ ip }];
}

function newStatus(pod: KubeObject, now: string): JsonObject {
  const spec = specOf(pod);
  const status: JsonObject = { phase: 'Pending', qosClass: podQosClass(spec) };
  if (listAt(spec, 'schedulingGates').length > 0) {
    status['conditions'] = [
      {
        type: 'PodScheduled',
        status: 'False',
        reason: 'SchedulingGated',
        message: 'Scheduling is blocked due to non-empty scheduling gates',
        lastProbeTime: null,
        lastTransitionTime: now,
      },
    ];
  }
  return status;
}

function specErrors(pod: KubeObject): readonly FieldError[] {
  const spec = specOf(pod);
  return [...podSpecErrors(spec, 'spec', 'pod'), ...notNegativeFields(spec, 'spec', ['terminationGracePeriodSeconds'])];
}

function validate(pod: KubeObject): readonly FieldError[] {
  const spec = specOf(pod);
  const errors = [...specErrors(pod)];
  // Only new objects have no version yet; what follows is for them alone.
  if (pod.metadata.resourceVersion) return errors;
  if (listAt(spec, 'ephemeralContainers').length > 0) {
    errors.push(forbidden('spec.ephemeralContainers', 'cannot be set on create'));
  }
  if (textAt(spec, 'nodeName') !== '' && listAt(spec, 'schedulingGates').length > 0) {
    errors.push(forbidden('spec.nodeName', 'cannot be set until all schedulingGates have been cleared'));
  }
  return errors;
}

function statusErrors(pod: KubeObject, old: KubeObject): readonly FieldError[] {
  const now = statusOf(pod);
  const before = statusOf(old);
  return [
    ...optionalText(now, 'nominatedNodeName', 'status', dnsSubdomainProblems),
    ...notNegativeFields(now, 'status', ['observedGeneration']),
    ...unchanged('status.qosClass', textAt(now, 'qosClass'), textAt(before, 'qosClass')),
  ];
}

function validateSubresource(subresource: string, pod: KubeObject, old: KubeObject): readonly FieldError[] {
  if (subresource === 'status') return statusErrors(pod, old);
  if (subresource === 'resize') return [...specErrors(pod), ...podResizeErrors(specOf(pod), specOf(old))];
  return [];
}

function prepareForSubresource(subresource: string, draft: KubeObject, old: KubeObject): void {
  if (subresource === 'resize') draft['spec'] = withResizedOnly(specOf(draft), specOf(old));
  if (subresource !== 'status') return;
  // Status updates come from the kubelet, which need not know the class of service.
  const status = objectAt(draft, 'status');
  const qosClass = statusOf(old)['qosClass'];
  if (status !== undefined && textAt(status, 'qosClass') === '' && qosClass !== undefined)
    status['qosClass'] = qosClass;
  if (status !== undefined && status !== old['status']) keepObservedGenerations(status, statusOf(old));
}

/** Those who do not know of observed generations do not take back what others said of them. */
function keepObservedGenerations(status: JsonObject, before: JsonObject): void {
  const said = (one: JsonObject) => (numberAt(one, 'observedGeneration') ?? 0) > 0;
  if (!said(status) && said(before)) status['observedGeneration'] = before['observedGeneration'];
  const left = [...objectsAt(before, 'conditions')];
  const conditions = objectsAt(status, 'conditions');
  if (!left.some(said) || conditions.every(said)) return;
  status['conditions'] = conditions.map((condition) => {
    const at = left.findIndex(({ type }) => type === condition['type']);
    const [same] = at < 0 ? [] : left.splice(at, 1);
    return said(condition) || !same || !said(same)
      ? condition
      : { ...condition, observedGeneration: same['observedGeneration'] };
  });
}

/** Nothing is left to stop in a pod that no node has, or that has finished. */
function gracePeriodSeconds(pod: KubeObject, requested: number | undefined): number {
  const spec = specOf(pod);
  const phase = textAt(statusOf(pod), 'phase');
  if (textAt(spec, 'nodeName') === '' || phase === 'Succeeded' || phase === 'Failed') return 0;
  const seconds = requested ?? numberAt(spec, 'terminationGracePeriodSeconds') ?? 0;
  return seconds < 0 ? 1 : seconds;
}

function selectableFields(pod: KubeObject): Record<string, string> {
  const spec = specOf(pod);
  const status = statusOf(pod);
  return {
    'spec.nodeName': textAt(spec, 'nodeName'),
    'spec.restartPolicy': textAt(spec, 'restartPolicy'),
    'spec.schedulerName': textAt(spec, 'schedulerName'),
    'spec.serviceAccountName': textAt(spec, 'serviceAccountName'),
    'spec.hostNetwork': String(spec['hostNetwork'] === true),
    'status.phase': textAt(status, 'phase'),
    'status.podIP': textAt(status, 'podIP') || textAt(objectsAt(status, 'podIPs')[0], 'ip'),
    'status.nominatedNodeName': textAt(status, 'nominatedNodeName'),
  };
}

function warnings(pod: KubeObject, old: KubeObject | undefined): readonly string[] {
  if (old !== undefined) return [];
  const problems = dnsLabelProblems(pod.metadata.name);
  if (problems.length === 0) return [];
  const reason = "this is used in the Pod's hostname, which can result in surprising behavior";
  return [`metadata.name: ${reason}; a DNS label is recommended: [${problems.join(' ')}]`];
}

export const podStrategy: Strategy = {
  applyDefaults,
  prepareForCreate(draft, { clock }) {
    draft['status'] = newStatus(draft, timestamp(clock.now()));
  },
  prepareForSubresource,
  validate,
  validateUpdate: (pod, old) => podSpecUpdateErrors(specOf(pod), specOf(old)),
  validateSubresource,
  warnings,
  gracePeriodSeconds,
  selectableFields,
};
