import { describe, expect, it } from 'vitest';
import { typeWarnings } from '../../src/admission/policies/type-warnings.ts';
import { createResourceTypes } from '../../src/kinds/resource-types.ts';
import { customType } from '../kinds/custom-type.ts';

const types = createResourceTypes({ strategies: new Map(), cells: new Map() });
types.replaceCustom('widgets.example.com', [customType()]);

const deployments = { apiGroups: ['apps'], apiVersions: ['v1'], resources: ['deployments'], operations: ['*'] };
const widgets = { apiGroups: ['example.com'], apiVersions: ['v1'], resources: ['widgets'], operations: ['*'] };

function warnings(expression: string, rules: readonly object[] = [deployments], more: object = {}) {
  const spec = { matchConstraints: { resourceRules: rules }, validations: [{ expression, ...more }] };
  return typeWarnings({ apiVersion: '', kind: '', metadata: { name: 'a' }, spec }, types);
}

describe('an expression of a policy that is wrong about types', () => {
  it('is told where, and of which kind', () => {
    expect(warnings("object.spec.replicas > '1'")).toEqual([
      {
        fieldRef: 'spec.validations[0].expression',
        warning:
          "apps/v1, Kind=Deployment: ERROR: <input>:1:1: found no matching overload for '_>_' applied to '(int, string)'\n" +
          " | object.spec.replicas > '1'\n | ^\n",
      },
    ]);
  });

  it('is told of each kind that it is about', () => {
    const [warning] = warnings('object.spec.nothing == 1', [deployments, widgets]);
    expect(warning?.warning).toContain("apps/v1, Kind=Deployment: ERROR: <input>:1:13: undefined field 'nothing'");
    expect(warning?.warning).toContain('example.com/v1, Kind=Widget: ');
  });

  it('may be a message', () => {
    const more = { messageExpression: "'got ' + object.spec.replicas" };
    const found = warnings('true', [deployments], more);
    expect(found.map(({ fieldRef }) => fieldRef)).toEqual(['spec.validations[0].messageExpression']);
    expect(found[0]?.warning).toContain("found no matching overload for '_+_' applied to '(string, int)'");
  });

  it.each([
    'object.spec.template.spec.containers.all(c, c.nothing == "")',
    'object.metadata.labels["a"] == 1',
    'oldObject.spec.replicas == "1"',
  ])('is found behind lists, maps and the old object: %s', (expression) => {
    expect(warnings(expression)).toHaveLength(1);
  });
});

describe('an expression of a policy that nothing is said of', () => {
  it.each([
    'object.spec.replicas > 1',
    'object == null || oldObject == null',
    'object.spec.template.spec.containers.all(c, c.image.startsWith("registry/"))',
    'object.spec.strategy.rollingUpdate.maxSurge == "25%" || object.spec.strategy.rollingUpdate.maxSurge == 1',
    'object.metadata.creationTimestamp != null',
    'object.metadata.annotations.anything == "x"',
    'has(object.metadata.labels) && "a" in object.metadata.labels',
    'request.operation == "CREATE" && variables.x > 1 && namespaceObject.metadata.name == "a"',
  ])('is right: %s', (expression) => expect(warnings(expression)).toEqual([]));

  it('may be about anything', () => {
    expect(warnings('object.spec.nothing == 1', [{ ...deployments, resources: ['*'] }])).toEqual([]);
    expect(warnings('object.spec.nothing == 1', [{ ...deployments, resources: ['deployments/scale'] }])).toEqual([]);
    expect(warnings('object.spec.nothing == 1', [])).toEqual([]);
  });
});
