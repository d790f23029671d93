import type { Attributes } from '../user.ts';
import type { PolicyRule } from './rbac-objects.ts';

/** Whether one rule allows what is asked for. An empty list in a rule allows nothing, except for names: there it is all. */
export function ruleAllows(rule: PolicyRule, asked: Attributes): boolean {
  if (!hasOrAll(rule.verbs, asked.verb)) return false;
  if ('path' in asked) return (rule.nonResourceURLs ?? []).some((url) => urlMatches(url, asked.path));
  return (
    hasOrAll(rule.apiGroups ?? [], asked.group) &&
    resourceMatches(rule.resources ?? [], asked.resource, asked.subresource) &&
    (!rule.resourceNames?.length || rule.resourceNames.includes(asked.name))
  );
}

export function hasOrAll(list: readonly string[], item: string): boolean {
  return list.includes('*') || list.includes(item);
}

/** A star is everything, subresources too; a star before `/scale` is that subresource of everything; `pods/*` means nothing special. */
function resourceMatches(resources: readonly string[], resource: string, subresource: string): boolean {
  if (subresource === '') return hasOrAll(resources, resource);
  return hasOrAll(resources, `${resource}/${subresource}`) || resources.includes(`*/${subresource}`);
}

export function urlMatches(pattern: string, path: string): boolean {
  if (pattern === path) return true;
  return pattern.endsWith('*') && path.startsWith(pattern.replace(/\*+$/, ''));
}
