import { sameJson } from '@holdfast/base/json';
import { type ApiError, forbidden, notFound } from '../../errors.ts';
import type { KubeObject } from '../../objects.ts';
import { quote, quoteList } from '../go-quote.ts';
import { isPrivileged } from '../identities.ts';
import type { User } from '../user.ts';
import { aggregate, type RbacAuthorizer } from './rbac.ts';
import { covers } from './rbac-covers.ts';
import { objects, type PolicyRule, type RoleRef, rbacGroup, roleRefOf, rulesOf } from './rbac-objects.ts';

export interface RbacWrite {
  readonly user: User;
  readonly resource: string;
  /** '' at the cluster scope. */
  readonly namespace: string;
  /** As it stands in the path: '' for a POST. */
  readonly pathName: string;
  readonly object: KubeObject;
  /** For updates. */
  readonly old: KubeObject | undefined;
}

const everything: readonly PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
];

/**
 * No user grants rights that they do not have. To be asked before a role or binding is created or updated, after the request
 * itself was authorized; says why not, or nothing. Other resources pass.
 */
export function escalationProblem(write: RbacWrite, rbac: RbacAuthorizer): ApiError | undefined {
  if (isPrivileged(write.user)) return undefined;
  switch (write.resource) {
    case 'roles':
    case 'clusterroles':
      return roleProblem(write, rbac);
    case 'rolebindings':
    case 'clusterrolebindings':
      return bindingProblem(write, rbac);
    default:
      return undefined;
  }
}

function roleProblem(write: RbacWrite, rbac: RbacAuthorizer): ApiError | undefined {
  const { user, resource, namespace, pathName, object, old } = write;
  const asked = { user, verb: 'escalate', group: rbacGroup, version: '*', subresource: '' };
  if (rbac.decide({ ...asked, resource, name: pathName, namespace }).allowed) return undefined;
  if (changesBookkeepingOnly(object, old)) return undefined;
  const problem = grantProblem(write, rulesOf(object), rbac);
  if (problem !== undefined) return refusal(write, problem);
  if (resource !== 'clusterroles' || (!isAggregated(object) && !(old && isAggregated(old)))) return undefined;
  return grantProblem(write, everything, rbac) === undefined
    ? undefined
    : refusal(write, 'must have cluster-admin privileges to use the aggregationRule');
}

function bindingProblem(write: RbacWrite, rbac: RbacAuthorizer): ApiError | undefined {
  const { object, old, namespace } = write;
  const ref = roleRefOf(object);
  if (changesBookkeepingOnly(object, old) || mayBind(write, ref, rbac)) return undefined;
  const rules = rbac.roleRules(ref, namespace);
  if (!rules) return notFound({ group: rbacGroup, resource: resourceOf(ref) }, ref.name);
  const problem = grantProblem(write, rules, rbac);
  return problem === undefined ? undefined : refusal(write, problem);
}

function mayBind({ user, namespace }: RbacWrite, ref: RoleRef, rbac: RbacAuthorizer): boolean {
  if (ref.kind !== 'Role' && ref.kind !== 'ClusterRole') return false;
  const asked = { user, verb: 'bind', group: ref.apiGroup, version: '*', resource: resourceOf(ref), subresource: '' };
  return rbac.decide({ ...asked, namespace, name: ref.name }).allowed;
}

function resourceOf({ kind }: RoleRef): string {
  return kind === 'Role' ? 'roles' : 'clusterroles';
}

function grantProblem(
  { user, namespace }: RbacWrite,
  rules: readonly PolicyRule[],
  rbac: RbacAuthorizer,
): string | undefined {
  const held = rbac.rulesFor(user, namespace);
  const coverage = covers(held.rules, rules);
  if (coverage.covered) return undefined;
  const who = `user ${quote(user.name)} (groups=${quoteList(user.groups)})`;
  const text = `${who} is attempting to grant RBAC permissions not currently held:\n${coverage.missing.join('\n')}`;
  return held.errors.length === 0 ? text : `${text}; resolution errors: [${aggregate(held.errors)}]`;
}

function refusal({ resource, object }: RbacWrite, why: string): ApiError {
  return forbidden({ group: rbacGroup, resource }, object.metadata.name, why);
}

/** The garbage collector touches owners and finalizers of roles that it could never grant. */
function changesBookkeepingOnly(object: KubeObject, old: KubeObject | undefined): boolean {
  if (!old) return false;
  const { ownerReferences, finalizers, selfLink, managedFields } = old.metadata;
  return sameJson(
    { ...object, metadata: { ...object.metadata, ownerReferences, finalizers, selfLink, managedFields } },
    old,
  );
}

function isAggregated(role: KubeObject): boolean {
  const rule = role['aggregationRule'] as { clusterRoleSelectors?: unknown } | undefined | null;
  return objects(rule?.clusterRoleSelectors).length > 0;
}
