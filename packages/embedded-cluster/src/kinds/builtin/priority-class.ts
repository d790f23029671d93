import { type FieldError, forbidden } from '@holdfast/base/field-errors';
import type { KubeObject } from '../../objects.ts';
import type { Strategy } from '../strategy.ts';
import { unchanged } from './checks/field-checks.ts';
import { fillIn, numberAt, textAt } from './checks/read.ts';
import { preemptionPolicies } from './pods/pod-spec-validation.ts';

const maxUserPriority = 1_000_000_000;
const systemPrefix = 'system-';

/** The classes that every cluster has. Other classes may not use the prefix. */
const systemClasses: ReadonlyMap<string, number> = new Map([
  ['system-node-critical', 2_000_001_000],
  ['system-cluster-critical', 2_000_000_000],
]);

function systemProblem(priorityClass: KubeObject): string | undefined {
  const { name } = priorityClass.metadata;
  const value = systemClasses.get(name);
  if (value === undefined) return `${name} is not a known system priority class`;
  if (numberAt(priorityClass, 'value') !== value) return `value of ${name} PriorityClass must be ${value}`;
  if (priorityClass['globalDefault'] === true) return `globalDefault of ${name} PriorityClass must be false`;
  return undefined;
}

function nameErrors(priorityClass: KubeObject): readonly FieldError[] {
  if (priorityClass.metadata.name.startsWith(systemPrefix)) {
    const problem = systemProblem(priorityClass);
    if (problem === undefined) return [];
    const rule = `priority class names with '${systemPrefix}' prefix are reserved for system use only. error: ${problem}`;
    return [forbidden('metadata.name', rule)];
  }
  if ((numberAt(priorityClass, 'value') ?? 0) <= maxUserPriority) return [];
  return [forbidden('value', `maximum allowed value of a user defined priority is ${maxUserPriority}`)];
}

function policyErrors(priorityClass: KubeObject): readonly FieldError[] {
  const value = textAt(priorityClass, 'preemptionPolicy');
  if (value === '' || (preemptionPolicies as readonly string[]).includes(value)) return [];
  const detail = `supported values: ${preemptionPolicies.map((word) => `"${word}"`).join(', ')}`;
  return [{ type: 'FieldValueNotSupported', field: 'preemptionPolicy', value, detail }];
}

export const priorityClassStrategy: Strategy = {
  applyDefaults(priorityClass) {
    fillIn(priorityClass, 'preemptionPolicy', 'PreemptLowerPriority');
    fillIn(priorityClass, 'value', 0);
  },
  validate: (priorityClass) => [...nameErrors(priorityClass), ...policyErrors(priorityClass)],
  validateUpdate: (priorityClass, old) => [
    ...(priorityClass['value'] === old['value'] ? [] : [forbidden('value', 'may not be changed in an update.')]),
    ...unchanged('preemptionPolicy', priorityClass['preemptionPolicy'], old['preemptionPolicy']),
  ],
};
