import type { Attributes, User } from '../auth/user.ts';
import type { KubeObject } from '../objects.ts';

/** A FlowSchema as far as it says which requests it is about. */
export interface FlowSchema {
  readonly name: string;
  readonly uid: string;
  /** The lowest number wins. */
  readonly precedence: number;
  readonly priorityLevel: string;
  readonly rules: readonly FlowRule[];
}

interface FlowRule {
  readonly subjects?: readonly FlowSubject[];
  readonly resourceRules?: readonly ResourceRule[];
  readonly nonResourceRules?: readonly PathRule[];
}

interface FlowSubject {
  readonly kind: string;
  readonly user?: { readonly name: string };
  readonly group?: { readonly name: string };
  readonly serviceAccount?: { readonly namespace: string; readonly name: string };
}

interface ResourceRule {
  readonly verbs?: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly namespaces?: readonly string[];
  readonly clusterScope?: boolean;
}

interface PathRule {
  readonly verbs?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}

interface FlowSchemaSpec {
  readonly matchingPrecedence?: number;
  readonly priorityLevelConfiguration?: { readonly name?: string };
  readonly rules?: readonly FlowRule[];
}

export function flowSchemaOf(object: KubeObject): FlowSchema {
  const spec = (object['spec'] ?? {}) as FlowSchemaSpec;
  return {
    name: object.metadata.name,
    uid: object.metadata.uid ?? '',
    precedence: spec.matchingPrecedence ?? 1000,
    priorityLevel: spec.priorityLevelConfiguration?.name ?? '',
    rules: spec.rules ?? [],
  };
}

/** Those that are asked first come first; names decide between equals. */
export function byPrecedence(a: FlowSchema, b: FlowSchema): number {
  return a.precedence - b.precedence || (a.name < b.name ? -1 : 1);
}

export function flowSchemaMatches({ rules }: FlowSchema, request: Attributes): boolean {
  return rules.some((rule) => {
    if (!rule.subjects?.some((subject) => isSubject(subject, request.user))) return false;
    return 'path' in request
      ? rule.nonResourceRules?.some((of) => coversPath(of, request)) === true
      : rule.resourceRules?.some((of) => coversResource(of, request)) === true;
  });
}

function isSubject(subject: FlowSubject, user: User): boolean {
  switch (subject.kind) {
    case 'User':
      return subject.user?.name === '*' || subject.user?.name === user.name;
    case 'Group':
      return subject.group !== undefined && (subject.group.name === '*' || user.groups.includes(subject.group.name));
    case 'ServiceAccount':
      return subject.serviceAccount !== undefined && isServiceAccount(subject.serviceAccount, user);
    default:
      return false;
  }
}

function isServiceAccount({ namespace, name }: { namespace: string; name: string }, user: User): boolean {
  const prefix = `system:serviceaccount:${namespace}:`;
  return name === '*' ? user.name.startsWith(prefix) : user.name === `${prefix}${name}`;
}

type ResourceAttributes = Exclude<Attributes, { readonly path: string }>;
type PathAttributes = Extract<Attributes, { readonly path: string }>;

function coversResource(rule: ResourceRule, { verb, group, resource, subresource, namespace }: ResourceAttributes) {
  const asked = subresource === '' ? resource : `${resource}/${subresource}`;
  if (!names(rule.verbs, verb) || !names(rule.resources, asked) || !names(rule.apiGroups, group)) return false;
  return namespace === '' ? rule.clusterScope === true : names(rule.namespaces, namespace);
}

function coversPath({ verbs, nonResourceURLs = [] }: PathRule, { verb, path }: PathAttributes): boolean {
  return names(verbs, verb) && nonResourceURLs.some((url) => url === '*' || url === path || isBelow(url, path));
}

/** `/a` and `/a/*` are about everything below `/a`. */
function isBelow(url: string, path: string): boolean {
  const folder = url.endsWith('*') ? url.slice(0, -1) : url;
  return path.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
}

/** An asterisk stands alone, as validation wants it. */
function names(list: readonly string[] | undefined, wanted: string): boolean {
  return list !== undefined && ((list.length === 1 && list[0] === '*') || list.includes(wanted));
}
