import type { KubeObject } from '../../objects.ts';
import type { View } from '../../view.ts';
import { quote } from '../go-quote.ts';
import { isPrivileged } from '../identities.ts';
import type { Attributes, AuthorizationDecision, Authorizer, User } from '../user.ts';
import { BindingIndex, type BindingMatch } from './rbac-index.ts';
import {
  clusterRoleBindingsKey,
  clusterRolesKey,
  type PolicyRule,
  type RoleRef,
  rbacGroup,
  roleBindingsKey,
  rolesKey,
  rulesOf,
} from './rbac-objects.ts';
import { ruleAllows } from './rbac-rules.ts';

export interface HeldRules {
  readonly rules: readonly PolicyRule[];
  /** Roles that bindings name and that are not there. */
  readonly errors: readonly string[];
}

export interface RbacAuthorizer extends Authorizer {
  /** Everything that bindings give a user in a namespace, what holds in the whole cluster included. */
  rulesFor(user: User, namespace: string): HeldRules;
  /** Undefined: there is no such role. */
  roleRules(ref: RoleRef, namespace: string): readonly PolicyRule[] | undefined;
  close(): void;
}

export function createRbacAuthorizer(view: View): RbacAuthorizer {
  const clusterBindings = new BindingIndex();
  const bindings = new BindingIndex();
  const subscriptions = [
    view.watch(clusterRoleBindingsKey, (event) => clusterBindings.apply(event)),
    view.watch(roleBindingsKey, (event) => bindings.apply(event)),
  ];
  const roleRules: RbacAuthorizer['roleRules'] = (ref, namespace) => {
    const role =
      ref.kind === 'Role' ? view.get(rolesKey, namespace, ref.name) : view.get(clusterRolesKey, '', ref.name);
    return role && storedRules(role);
  };
  function* matches(user: User, namespace: string): Generator<BindingMatch> {
    yield* clusterBindings.matches(user, '');
    if (namespace !== '') yield* bindings.matches(user, namespace);
  }
  return {
    roleRules,
    decide(attributes) {
      if (isPrivileged(attributes.user)) return { allowed: true, reason: '' };
      const namespace = 'path' in attributes ? '' : attributes.namespace;
      return decide(attributes, matches(attributes.user, namespace), roleRules);
    },
    rulesFor(user, namespace) {
      const rules: PolicyRule[] = [];
      const errors = new Set<string>();
      for (const match of matches(user, namespace)) {
        const found = roleRules(match.roleRef, match.namespace);
        if (found) rules.push(...found);
        else errors.add(missingRole(match.roleRef));
      }
      return { rules, errors: [...errors] };
    },
    close: () => {
      for (const subscription of subscriptions) subscription.stop();
    },
  };
}

/** Every request asks for the rules of some roles. A stored role never changes: its next version is another object. */
const knownRules = new WeakMap<KubeObject, readonly PolicyRule[]>();

function storedRules(role: KubeObject): readonly PolicyRule[] {
  const known = knownRules.get(role);
  if (known !== undefined) return known;
  const rules = rulesOf(role);
  knownRules.set(role, rules);
  return rules;
}

function decide(
  attributes: Attributes,
  matches: Iterable<BindingMatch>,
  roleRules: RbacAuthorizer['roleRules'],
): AuthorizationDecision {
  const missing = new Set<string>();
  for (const match of matches) {
    const rules = roleRules(match.roleRef, match.namespace);
    if (!rules) missing.add(missingRole(match.roleRef));
    else if (rules.some((rule) => ruleAllows(rule, attributes))) {
      return { allowed: true, reason: `RBAC: allowed by ${describe(match)}` };
    }
  }
  return { allowed: false, reason: missing.size === 0 ? '' : `RBAC: ${aggregate([...missing])}` };
}

function missingRole({ kind, name }: RoleRef): string {
  return `${kind.toLowerCase()}.${rbacGroup} ${quote(name)} not found`;
}

/** Several errors in one text, as the API server writes them. */
export function aggregate(errors: readonly string[]): string {
  return errors.length === 1 ? (errors[0] as string) : `[${errors.join(', ')}]`;
}

function describe({ name, namespace, roleRef, subject }: BindingMatch): string {
  const binding =
    namespace === '' ? `ClusterRoleBinding ${quote(name)}` : `RoleBinding ${quote(`${name}/${namespace}`)}`;
  const home = subject.namespace === '' ? namespace : subject.namespace;
  const who = subject.kind === 'ServiceAccount' ? `${subject.name}/${home}` : subject.name;
  return `${binding} of ${roleRef.kind} ${quote(roleRef.name)} to ${subject.kind} ${quote(who)}`;
}
