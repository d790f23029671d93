import type { MatchCondition, RuleWithOperations } from 'kubernetes-types/admissionregistration/v1.js';
import { commonLabels } from '../../api/installation-names.ts';
import { annotation } from '../../api/names.ts';
import { projects } from '../values/switched-on.ts';
import type { InstallValues } from '../values/values.ts';
import { celText } from './policy-objects.ts';

/**
 * The disruption controller of Kubernetes writes `status.disruptionsAllowed` in pods. The operator writes the number of units into an
 * annotation, and the API server puts that into each status which the controller writes. A policy does it where API servers have mutating
 * policies (1.36 and later); elsewhere a webhook does, which API servers call only when the number is not there yet.
 */

const key = celText(annotation.disruptionsAllowed);

/** As clusters name it: an account of its own, or that of the whole controller manager. */
const byController: MatchCondition = {
  name: 'by-the-disruption-controller',
  expression:
    'request.userInfo.username in ["system:serviceaccount:kube-system:disruption-controller", "system:kube-controller-manager"]',
};

/** People can write annotations, too: what is no number changes nothing. */
const isProjected: MatchCondition = {
  name: 'projected',
  expression: `has(oldObject.metadata.annotations) && ${key} in oldObject.metadata.annotations && oldObject.metadata.annotations[${key}].matches("^[0-9]{1,9}$")`,
};

const isOtherNumber: MatchCondition = {
  name: 'other-number',
  expression: `!has(object.status) || !has(object.status.disruptionsAllowed) || string(object.status.disruptionsAllowed) != oldObject.metadata.annotations[${key}]`,
};

/** For the webhook: where a policy has put the number there, API servers do not call it. */
export const projectionConditions: readonly MatchCondition[] = [byController, isProjected, isOtherNumber];

const apiVersion = 'admissionregistration.k8s.io/v1';
const name = 'holdfast-disruptions-allowed';

/** The published types are of an older Kubernetes, which had no such policies. */
export interface MutatingPolicyObject {
  readonly apiVersion: typeof apiVersion;
  readonly kind: 'MutatingAdmissionPolicy' | 'MutatingAdmissionPolicyBinding';
  readonly metadata: { readonly name: string; readonly labels: Readonly<Record<string, string>> };
  readonly spec: Readonly<Record<string, unknown>>;
}

export function projectionPolicies(values: InstallValues): readonly MutatingPolicyObject[] {
  if (!projects(values)) return [];
  const metadata = { name, labels: { ...commonLabels } };
  return [
    {
      apiVersion,
      kind: 'MutatingAdmissionPolicy',
      metadata,
      spec: {
        // A number in pods is wrong, and no reason to stop the controller that also counts for budgets of others.
        failurePolicy: 'Ignore',
        reinvocationPolicy: 'Never',
        matchConstraints: { matchPolicy: 'Equivalent', resourceRules: [rule] },
        matchConditions: [byController, isProjected],
        variables: [
          { name: 'allowed', expression: `int(oldObject.metadata.annotations[${key}])` },
          { name: 'written', expression: conditionOf('object') },
          { name: 'before', expression: conditionOf('oldObject') },
          { name: 'status', expression: 'variables.allowed > 0 ? "True" : "False"' },
        ],
        mutations: [{ patchType: 'ApplyConfiguration', applyConfiguration: { expression: mutation } }],
      },
    },
    { apiVersion, kind: 'MutatingAdmissionPolicyBinding', metadata, spec: { policyName: name } },
  ];
}

const rule: RuleWithOperations & { readonly resources: string[]; readonly scope: string } = {
  apiGroups: ['policy'],
  apiVersions: ['v1'],
  operations: ['UPDATE'],
  resources: ['poddisruptionbudgets/status'],
  scope: 'Namespaced',
};

function conditionOf(object: string): string {
  const conditions = `${object}.status.conditions`;
  return `has(${object}.status) && has(${conditions}) ? ${conditions}.filter(c, c.type == "DisruptionAllowed") : []`;
}

/**
 * The condition follows the number. Its time is the one it had while it says the same: the controller writes a new time when it thinks that
 * the condition changes, and with that each of its writes would change the object, and the change would have it write again.
 */
const time =
  'variables.before.size() > 0 && variables.before[0].status == variables.status ? variables.before[0].lastTransitionTime : variables.written[0].lastTransitionTime';

const mutation = [
  'variables.written.size() > 0 ? ',
  'Object{status: Object.status{disruptionsAllowed: variables.allowed, conditions: [Object.status.conditions{',
  'type: "DisruptionAllowed", status: variables.status, ',
  'reason: variables.allowed > 0 ? "SufficientPods" : "InsufficientPods", ',
  `lastTransitionTime: ${time}`,
  '}]}} : Object{status: Object.status{disruptionsAllowed: variables.allowed}}',
].join('');
