import type {
  RuleWithOperations,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
  Validation,
} from 'kubernetes-types/admissionregistration/v1.js';

export type PolicyObject = ValidatingAdmissionPolicy | ValidatingAdmissionPolicyBinding;

/** A policy of an installation: what RBAC cannot say about a request, the API server asks itself, without calling a webhook. */
export interface PolicyTerms {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly rules: readonly {
    group: string;
    version: string;
    operations: readonly string[];
    resources: readonly string[];
  }[];
  /** CEL: the requests that it is about. */
  readonly about: string;
  readonly variables?: Readonly<Record<string, string>>;
  /** CEL, and what is said to who does not get by. */
  readonly demands: readonly { readonly expression: string; readonly message: string }[];
}

const apiVersion = 'admissionregistration.k8s.io/v1';

/** The policy and what brings it into effect. It fails closed: what the API server cannot evaluate is refused. */
export function policyObjects(terms: PolicyTerms): readonly PolicyObject[] {
  const metadata = { name: terms.name, labels: { ...terms.labels } };
  const variables = Object.entries(terms.variables ?? {}).map(([name, expression]) => ({ name, expression }));
  const rules = terms.rules.map(
    ({ group, version, operations, resources }): RuleWithOperations & { resources: string[]; scope: string } => ({
      apiGroups: [group],
      apiVersions: [version],
      operations: [...operations],
      resources: [...resources],
      scope: '*',
    }),
  );
  return [
    {
      apiVersion,
      kind: 'ValidatingAdmissionPolicy',
      metadata,
      spec: {
        failurePolicy: 'Fail',
        matchConstraints: { matchPolicy: 'Equivalent', resourceRules: rules },
        matchConditions: [{ name: 'about', expression: terms.about }],
        ...(variables.length === 0 ? {} : { variables }),
        validations: terms.demands.map((demand): Validation => ({ ...demand, reason: 'Forbidden' })),
      },
    },
    {
      apiVersion,
      kind: 'ValidatingAdmissionPolicyBinding',
      metadata: { name: terms.name, labels: { ...terms.labels } },
      spec: { policyName: terms.name, validationActions: ['Deny'] },
    },
  ];
}

/** CEL, for a text. */
export function celText(text: string): string {
  return JSON.stringify(text);
}

/** CEL: the request is made by this user. */
export function isUser(user: string): string {
  return `request.userInfo.username == ${celText(user)}`;
}

/**
 * CEL: a part of the object is as it was, but for some of its fields. Every field is compared, not a list of those that are known
 * today: what a later version of Kubernetes adds is covered, too. `dyn` because the checker knows no loops over fields.
 */
export function sameBut(part: string, fields: readonly string[]): string {
  const but = `[${fields.map(celText).join(', ')}]`;
  const [now, old] = [`dyn(object.${part})`, `dyn(oldObject.${part})`];
  const both = `has(object.${part}) && has(oldObject.${part})`;
  const compared = `${now}.all(key, key in ${but} || (key in ${old} && ${now}[key] == ${old}[key]))`;
  const kept = `${old}.all(key, key in ${but} || key in ${now})`;
  return `(!has(object.${part}) && !has(oldObject.${part})) || (${both} && ${compared} && ${kept})`;
}

/** CEL: a map in the metadata is as it was, but for one key. */
export function sameMapBut(part: string, key: string): string {
  const without = (side: string) =>
    `(has(${side}.${part}) ? ${side}.${part}.all(key, key == ${celText(key)} || (has(OTHER.${part}) && key in OTHER.${part} && OTHER.${part}[key] == ${side}.${part}[key])) : true)`;
  return `${without('object').replaceAll('OTHER', 'oldObject')} && ${without('oldObject').replaceAll('OTHER', 'object')}`;
}

/** What the API server itself changes with every write. */
export const writtenByServer = ['managedFields', 'resourceVersion', 'generation'] as const;
