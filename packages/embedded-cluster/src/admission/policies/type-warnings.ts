import { typeProblem } from '../../cel/cel.ts';
import { objectAt, objectsAt, specOf, textAt, textsAt } from '../../kinds/builtin/checks/read.ts';
import type { ResourceType, ResourceTypes } from '../../kinds/resource-type.ts';
import { type JsonObject, joinApiVersion, type KubeObject } from '../../objects.ts';
import { policyVariables } from './policy.ts';

export interface ExpressionWarning {
  readonly fieldRef: string;
  readonly warning: string;
}

/** A policy that is about more kinds is not checked against all of them. */
const maxTypes = 10;

/** What is wrong with the expressions of a validating policy, by the types of what it is about. */
export function typeWarnings(policy: KubeObject, types: ResourceTypes): readonly ExpressionWarning[] {
  const spec = specOf(policy);
  const about = typesOf(spec, types);
  const others = policyVariables(objectAt(spec, 'paramKind') !== undefined).filter((name) => !objects.includes(name));
  return objectsAt(spec, 'validations').flatMap((validation, index) =>
    ['expression', 'messageExpression'].flatMap((key) => {
      const warning = about.map((type) => warningOf(textAt(validation, key), type, others)).join('\n');
      return warning.trim() === '' ? [] : [{ fieldRef: `spec.validations[${index}].${key}`, warning }];
    }),
  );
}

const objects = ['object', 'oldObject'];

function warningOf(expression: string, type: ResourceType, others: readonly string[]): string {
  if (expression.trim() === '' || type.schema === undefined) return '';
  const problem = typeProblem(expression, type.schema, { objects, others });
  if (problem === undefined) return '';
  const kind = `${joinApiVersion(type.group, type.version)}, Kind=${type.kind}`;
  return `${kind}: ${problem.replace(/^compilation failed: /, '')}\n`;
}

/** Rules with an asterisk may be about anything, and say nothing of types. */
function typesOf(spec: JsonObject, types: ResourceTypes): readonly ResourceType[] {
  const found = new Set<ResourceType>();
  for (const rule of objectsAt(objectAt(spec, 'matchConstraints'), 'resourceRules')) {
    const [groups, versions, resources] = ['apiGroups', 'apiVersions', 'resources'].map((key) => textsAt(rule, key));
    if (![groups, versions, resources].every((names) => names !== undefined && isPlain(names))) continue;
    for (const type of types.all()) {
      const named =
        groups?.includes(type.group) && versions?.includes(type.version) && resources?.includes(type.plural);
      if (named === true) found.add(type);
    }
  }
  return [...found].slice(0, maxTypes);
}

function isPlain(names: readonly string[]): boolean {
  return names.every((name) => !name.includes('*') && !name.includes('/'));
}
