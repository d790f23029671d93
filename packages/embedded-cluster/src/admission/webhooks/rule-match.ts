import type { Operation } from '../admission.ts';

/** As it stands in a webhook configuration. */
export interface Rule {
  readonly operations: readonly string[];
  readonly apiGroups: readonly string[];
  readonly apiVersions: readonly string[];
  readonly resources: readonly string[];
  readonly scope?: string;
}

/** What a rule looks at. */
export interface RuleSubject {
  readonly operation: Operation;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  /** Objects outside namespaces, and namespaces themselves. */
  readonly clusterScoped: boolean;
}

export function ruleMatches(rule: Rule, subject: RuleSubject): boolean {
  return (
    scopeMatches(rule.scope, subject.clusterScoped) &&
    exactOrAny(rule.operations, subject.operation) &&
    exactOrAny(rule.apiGroups, subject.group) &&
    exactOrAny(rule.apiVersions, subject.version) &&
    rule.resources.some((pattern) => resourceMatches(pattern, subject))
  );
}

function scopeMatches(scope: string | undefined, clusterScoped: boolean): boolean {
  if (scope === undefined || scope === '*') return true;
  return scope === (clusterScoped ? 'Cluster' : 'Namespaced');
}

function exactOrAny(items: readonly string[], wanted: string): boolean {
  return items.includes('*') || items.includes(wanted);
}

/** `pods` and `*` mean no subresource; `pods/*` and `*` + `/*` mean the resource itself as well. */
function resourceMatches(pattern: string, { resource, subresource }: RuleSubject): boolean {
  const slash = pattern.indexOf('/');
  const of = slash < 0 ? pattern : pattern.slice(0, slash);
  const sub = slash < 0 ? '' : pattern.slice(slash + 1);
  return (of === '*' || of === resource) && (sub === '*' || sub === subresource);
}
