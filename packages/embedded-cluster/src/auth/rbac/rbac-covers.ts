import { quoteList } from '../go-quote.ts';
import type { PolicyRule } from './rbac-objects.ts';
import { hasOrAll, urlMatches } from './rbac-rules.ts';

/** A rule cut down to one verb on one thing. */
type Right =
  | { readonly verb: string; readonly group: string; readonly resource: string; readonly name: string | undefined }
  | { readonly verb: string; readonly url: string };

/** A rule with large lists stands for their product; a role that stands for more is refused rather than worked out. */
const maxRights = 100_000;

export type Coverage =
  | { readonly covered: true }
  /** One line for each thing the holder may not do, as the API server prints it. */
  | { readonly covered: false; readonly missing: readonly string[] };

/** Whether a user who holds `held` may already do everything that `wanted` would allow. */
export function covers(held: readonly PolicyRule[], wanted: readonly PolicyRule[]): Coverage {
  const missing: Right[] = [];
  let seen = 0;
  for (const rule of wanted) {
    for (const right of rightsOf(rule)) {
      seen += 1;
      if (seen > maxRights) return { covered: false, missing: [compactString(rule)] };
      if (!held.some((holder) => holds(holder, right))) missing.push(right);
    }
  }
  return missing.length === 0 ? { covered: true } : { covered: false, missing: describe(missing) };
}

function* rightsOf(rule: PolicyRule): Generator<Right> {
  const names = rule.resourceNames?.length ? rule.resourceNames : [undefined];
  for (const group of rule.apiGroups ?? [])
    for (const resource of rule.resources ?? [])
      for (const verb of rule.verbs) for (const name of names) yield { verb, group, resource, name };
  for (const url of rule.nonResourceURLs ?? []) for (const verb of rule.verbs) yield { verb, url };
}

function holds(rule: PolicyRule, right: Right): boolean {
  if (!hasOrAll(rule.verbs, right.verb)) return false;
  if ('url' in right) return (rule.nonResourceURLs ?? []).some((url) => urlMatches(url, right.url));
  if (!hasOrAll(rule.apiGroups ?? [], right.group) || !holdsResource(rule.resources ?? [], right.resource))
    return false;
  if (!rule.resourceNames?.length) return true;
  return right.name !== undefined && rule.resourceNames.includes(right.name);
}

function holdsResource(resources: readonly string[], wanted: string): boolean {
  if (hasOrAll(resources, wanted)) return true;
  const slash = wanted.indexOf('/');
  return slash >= 0 && resources.includes(`*${wanted.slice(slash)}`);
}

/** Verbs on the same thing go into one line; lines are sorted. */
function describe(rights: readonly Right[]): readonly string[] {
  const lines = new Set<string>();
  const byThing = new Map<string, { rule: PolicyRule; verbs: string[] }>();
  for (const right of rights) {
    if ('url' in right) {
      lines.add(compactString({ verbs: [right.verb], nonResourceURLs: [right.url] }));
      continue;
    }
    const { verb, group, resource, name } = right;
    const thing = JSON.stringify([group, resource, name ?? null]);
    const known = byThing.get(thing);
    if (known) known.verbs.push(verb);
    else byThing.set(thing, { rule: ruleOn(group, resource, name), verbs: [verb] });
  }
  for (const { rule, verbs } of byThing.values()) lines.add(compactString({ ...rule, verbs }));
  return [...lines].sort();
}

function ruleOn(group: string, resource: string, name: string | undefined): PolicyRule {
  const names = name === undefined ? {} : { resourceNames: [name] };
  return { verbs: [], apiGroups: [group], resources: [resource], ...names };
}

function compactString(rule: PolicyRule): string {
  const parts = [
    ['APIGroups', rule.apiGroups],
    ['Resources', rule.resources],
    ['NonResourceURLs', rule.nonResourceURLs],
    ['ResourceNames', rule.resourceNames],
    ['Verbs', rule.verbs],
  ] as const;
  return `{${parts.flatMap(([name, list]) => (list?.length ? [`${name}:${quoteList(list)}`] : [])).join(', ')}}`;
}
