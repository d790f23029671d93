import { type FieldError, invalid, notSupported, required } from '@holdfast/base/field-errors';
import { duplicate, tooMany } from '../../kinds/builtin/checks/field-checks.ts';
import { labelNameErrors, selectorErrors } from '../../kinds/builtin/checks/labels.ts';
import { isThere, numberAt, objectAt, objectsAt, textAt, textsAt } from '../../kinds/builtin/checks/read.ts';
import { dns1035LabelProblems, dnsSubdomainProblems } from '../../kinds/builtin/checks/syntax.ts';
import type { JsonObject, KubeObject } from '../../objects.ts';
import { clientConfigErrors } from './client-config-validation.ts';
import { compileMatchCondition } from './match-conditions.ts';
import { webhookRuleErrors } from './rule-validation.ts';

export type ConfigurationKind = 'mutating' | 'validating';

const failurePolicies = ['Fail', 'Ignore'];
const matchPolicies = ['Equivalent', 'Exact'];
const sideEffectClasses = ['None', 'NoneOnDryRun'];
const reinvocationPolicies = ['IfNeeded', 'Never'];
const reviewVersions = ['v1', 'v1beta1'];
const maxTimeoutSeconds = 30;
const maxConditions = 64;

export function configurationErrors(configuration: KubeObject, kind: ConfigurationKind): readonly FieldError[] {
  const names = new Set<string>();
  return objectsAt(configuration, 'webhooks').flatMap((webhook, index) => {
    const path = `webhooks[${index}]`;
    const name = textAt(webhook, 'name');
    const repeated = name !== '' && names.has(name);
    names.add(name);
    return [
      ...webhookErrors(webhook, path, kind),
      ...reviewVersionErrors(textsAt(webhook, 'admissionReviewVersions'), `${path}.admissionReviewVersions`),
      ...(repeated ? [duplicate(`${path}.name`, name)] : []),
    ];
  });
}

function webhookErrors(webhook: JsonObject, path: string, kind: ConfigurationKind): readonly FieldError[] {
  return [
    ...nameErrors(textAt(webhook, 'name'), `${path}.name`),
    ...objectsAt(webhook, 'rules').flatMap((rule, index) => webhookRuleErrors(rule, `${path}.rules[${index}]`)),
    ...choiceErrors(webhook, 'failurePolicy', path, failurePolicies),
    ...choiceErrors(webhook, 'matchPolicy', path, matchPolicies),
    ...sideEffectErrors(webhook, path),
    ...timeoutErrors(webhook, path),
    ...selectorErrors(webhook['namespaceSelector'], `${path}.namespaceSelector`),
    ...selectorErrors(webhook['objectSelector'], `${path}.objectSelector`),
    ...(kind === 'mutating' ? choiceErrors(webhook, 'reinvocationPolicy', path, reinvocationPolicies) : []),
    ...clientConfigErrors(objectAt(webhook, 'clientConfig'), `${path}.clientConfig`),
    ...conditionsErrors(objectsAt(webhook, 'matchConditions'), `${path}.matchConditions`),
  ];
}

/** A webhook's name says whose it is. */
function nameErrors(name: string, path: string): readonly FieldError[] {
  if (name === '') return [required(path, '')];
  const problems = dnsSubdomainProblems(name);
  if (problems.length > 0) return [invalid(path, name, problems.join(','))];
  if (name.split('.').length >= 3) return [];
  return [invalid(path, name, 'should be a domain with at least three segments separated by dots')];
}

function choiceErrors(
  webhook: JsonObject,
  key: string,
  path: string,
  supported: readonly string[],
): readonly FieldError[] {
  const value = webhook[key];
  if (!isThere(value) || supported.includes(textAt(webhook, key))) return [];
  return [notSupported(`${path}.${key}`, value, supported)];
}

function sideEffectErrors(webhook: JsonObject, path: string): readonly FieldError[] {
  if (isThere(webhook['sideEffects'])) return choiceErrors(webhook, 'sideEffects', path, sideEffectClasses);
  return [required(`${path}.sideEffects`, `must specify one of ${sideEffectClasses.join(', ')}`)];
}

function timeoutErrors(webhook: JsonObject, path: string): readonly FieldError[] {
  const seconds = numberAt(webhook, 'timeoutSeconds');
  if (seconds === undefined || (seconds >= 1 && seconds <= maxTimeoutSeconds)) return [];
  const detail = `the timeout value must be between 1 and ${maxTimeoutSeconds} seconds`;
  return [invalid(`${path}.timeoutSeconds`, seconds, detail)];
}

function reviewVersionErrors(versions: readonly string[], path: string): readonly FieldError[] {
  if (versions.length === 0) return [required(path, `must specify one of ${reviewVersions.join(', ')}`)];
  const errors = versions.flatMap((version, index) => {
    const field = `${path}[${index}]`;
    if (versions.indexOf(version) < index) return [invalid(field, version, 'duplicate version')];
    return dns1035LabelProblems(version).map((problem) => invalid(field, version, problem));
  });
  if (versions.some((version) => reviewVersions.includes(version))) return errors;
  return [...errors, invalid(path, versions, `must include at least one of ${reviewVersions.join(', ')}`)];
}

function conditionsErrors(conditions: readonly JsonObject[], path: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (conditions.length > maxConditions) errors.push(tooMany(path, conditions.length, maxConditions));
  const names = new Set<string>();
  for (const [index, condition] of conditions.entries()) {
    const name = textAt(condition, 'name');
    errors.push(...conditionErrors(condition, `${path}[${index}]`));
    if (name !== '' && names.has(name)) errors.push(duplicate(`${path}[${index}].name`, name));
    names.add(name);
  }
  return errors;
}

function conditionErrors(condition: JsonObject, path: string): readonly FieldError[] {
  const name = textAt(condition, 'name');
  return [
    ...expressionErrors(textAt(condition, 'expression').trim(), `${path}.expression`),
    ...(name === '' ? [required(`${path}.name`, '')] : labelNameErrors(name, `${path}.name`)),
  ];
}

function expressionErrors(expression: string, path: string): readonly FieldError[] {
  if (expression === '') return [required(path, '')];
  const compiled = compileMatchCondition(expression);
  if (!compiled.ok) return [invalid(path, expression, compiled.message)];
  const { type } = compiled.program;
  if (type === 'bool' || type === 'dyn') return [];
  return [invalid(path, expression, `must evaluate to bool but got ${type}`)];
}
