import { parseSelector, type Selector, selectEverything } from '@holdfast/base/labels/label-selector';
import { type CelCompiled, compileCel } from '../../cel/cel.ts';
import type { KubeObject } from '../../objects.ts';
import type { MatchCondition } from '../webhooks/match-conditions.ts';
import type { Rule } from '../webhooks/rule-match.ts';

/** Which requests a policy or its binding is about. */
export interface RequestMatcher {
  readonly rules: readonly NamedRule[];
  readonly exclude: readonly NamedRule[];
  readonly namespaceSelector: Selector;
  readonly objectSelector: Selector;
  readonly matchEquivalent: boolean;
}

export interface NamedRule extends Rule {
  readonly resourceNames?: readonly string[];
}

/** What validating and mutating policies have in common: when they apply, and with what. */
export interface PolicyFrame {
  readonly name: string;
  readonly matcher: RequestMatcher;
  readonly paramKind: { readonly apiVersion: string; readonly kind: string } | undefined;
  readonly ignoreFailures: boolean;
  readonly conditions: readonly MatchCondition[];
  readonly variables: readonly { readonly name: string; readonly compiled: CelCompiled }[];
}

export interface Policy extends PolicyFrame {
  readonly validations: readonly Validation[];
}

export interface Validation {
  readonly expression: string;
  readonly compiled: CelCompiled;
  readonly message: string | undefined;
  readonly messageProgram: CelCompiled | undefined;
  readonly reason: string;
}

export interface Binding {
  readonly name: string;
  readonly policyName: string;
  readonly matcher: RequestMatcher;
  readonly paramRef: ParamRef | undefined;
  readonly actions: readonly string[];
}

export interface ParamRef {
  readonly name?: string;
  readonly namespace?: string;
  readonly selector?: unknown;
  readonly parameterNotFoundAction?: string;
}

interface StoredMatch {
  readonly resourceRules?: readonly NamedRule[];
  readonly excludeResourceRules?: readonly NamedRule[];
  readonly namespaceSelector?: unknown;
  readonly objectSelector?: unknown;
  readonly matchPolicy?: string;
}

interface StoredFrame {
  readonly matchConstraints?: StoredMatch;
  readonly paramKind?: { readonly apiVersion: string; readonly kind: string };
  readonly failurePolicy?: string;
  readonly matchConditions?: readonly { readonly name: string; readonly expression: string }[];
  readonly variables?: readonly { readonly name: string; readonly expression: string }[];
}

interface StoredPolicySpec extends StoredFrame {
  readonly validations?: readonly StoredValidation[];
}

interface StoredValidation {
  readonly expression: string;
  readonly message?: string;
  readonly messageExpression?: string;
  readonly reason?: string;
}

interface StoredBindingSpec {
  readonly policyName?: string;
  readonly matchResources?: StoredMatch;
  readonly paramRef?: ParamRef;
  readonly validationActions?: readonly string[];
}

/** What expressions may name. Parameters are there where the policy says of which kind they are. */
export function policyVariables(hasParams: boolean): readonly string[] {
  return ['object', 'oldObject', 'request', 'namespaceObject', 'variables', ...(hasParams ? ['params'] : [])];
}

type Compile = (expression: string, variables: readonly string[]) => CelCompiled;

export function compileFrame({ metadata, spec }: KubeObject, compileWith: Compile): PolicyFrame {
  const stored = (spec ?? {}) as StoredFrame;
  const variables = policyVariables(stored.paramKind !== undefined);
  const compile = (expression: string) => compileWith(expression, variables);
  return {
    name: metadata.name,
    matcher: matcherOf(stored.matchConstraints),
    paramKind: stored.paramKind,
    ignoreFailures: stored.failurePolicy === 'Ignore',
    conditions: (stored.matchConditions ?? []).map((one) => ({ ...one, compiled: compile(one.expression) })),
    variables: (stored.variables ?? []).map(({ name, expression }) => ({ name, compiled: compile(expression) })),
  };
}

export function compilePolicy(object: KubeObject): Policy {
  const stored = (object['spec'] ?? {}) as StoredPolicySpec;
  const variables = policyVariables(stored.paramKind !== undefined);
  const compile = (expression: string) => compileCel(expression, variables);
  return {
    ...compileFrame(object, compileCel),
    validations: (stored.validations ?? []).map((one) => ({
      expression: one.expression,
      compiled: compile(one.expression),
      message: one.message,
      messageProgram: one.messageExpression ? compile(one.messageExpression) : undefined,
      reason: one.reason ?? 'Invalid',
    })),
  };
}

export function compileBinding({ metadata, spec }: KubeObject): Binding {
  const { policyName = '', matchResources, paramRef, validationActions = [] } = (spec ?? {}) as StoredBindingSpec;
  const matcher = matcherOf(matchResources);
  const rules = matcher.rules.length === 0 ? [everything] : matcher.rules;
  return { name: metadata.name, policyName, matcher: { ...matcher, rules }, paramRef, actions: validationActions };
}

/** A binding that names no resources is about all that its policy is about. */
const everything: NamedRule = { operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*'] };

function matcherOf(stored: StoredMatch = {}): RequestMatcher {
  return {
    rules: stored.resourceRules ?? [],
    exclude: stored.excludeResourceRules ?? [],
    namespaceSelector: policySelectorOf(stored.namespaceSelector),
    objectSelector: policySelectorOf(stored.objectSelector),
    matchEquivalent: stored.matchPolicy !== 'Exact',
  };
}

export function policySelectorOf(source: unknown): Selector {
  if (source === undefined || source === null) return selectEverything;
  const parsed = parseSelector(source, 'selector');
  if (!parsed.ok) throw new Error('a stored policy has a selector that validation refuses');
  return parsed.value;
}
