/** A rule of a webhook: which requests it is asked about. */
export interface AdmissionRule {
  readonly operations: readonly string[];
  readonly apiGroups: readonly string[];
  readonly apiVersions: readonly string[];
  /** `pods`, `pods/eviction`, `pods/*`, `*` for every resource without a subresource, `*` + `/*` for everything. */
  readonly resources: readonly string[];
  readonly scope: string;
}

/** A request about something in a namespace. */
export interface RequestKind {
  readonly operation: string;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  /** Empty: the object itself. */
  readonly subresource: string;
}

export const podEviction: RequestKind = {
  operation: 'CREATE',
  group: '',
  version: 'v1',
  resource: 'pods',
  subresource: 'eviction',
};

export function isCovered(rules: readonly AdmissionRule[], request: RequestKind): boolean {
  return rules.some((rule) => covers(rule, request));
}

function covers(rule: AdmissionRule, request: RequestKind): boolean {
  return (
    rule.scope !== 'Cluster' &&
    names(rule.operations, request.operation) &&
    names(rule.apiGroups, request.group) &&
    names(rule.apiVersions, request.version) &&
    rule.resources.some((pattern) => namesResource(pattern, request))
  );
}

function names(patterns: readonly string[], value: string): boolean {
  return patterns.some((pattern) => pattern === '*' || pattern === value);
}

function namesResource(pattern: string, { resource, subresource }: RequestKind): boolean {
  const [wanted = '', wantedSub = ''] = pattern.split('/', 2);
  return names([wanted], resource) && names([wantedSub], subresource);
}
