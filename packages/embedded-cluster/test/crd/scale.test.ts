import { expect, test } from 'vitest';
import { scaleOf, withReplicas } from '../../src/crd/scale.ts';
import { isApiError } from '../../src/errors.ts';
import type { KubeObject } from '../../src/objects.ts';

const paths = {
  specReplicasPath: '.spec.size',
  statusReplicasPath: '.status.ready',
  labelSelectorPath: '.status.selector',
};
const builtin = {
  specReplicasPath: '.spec.replicas',
  statusReplicasPath: '.status.replicas',
  labelSelectorPath: '.spec.selector',
};

function object(fields: object): KubeObject {
  return {
    apiVersion: 'example.com/v1',
    kind: 'Widget',
    metadata: { name: 'a', namespace: 'b', uid: 'u', resourceVersion: '7', labels: { x: 'y' } },
    ...fields,
  };
}

test('the scale of a custom resource', () => {
  expect(scaleOf(object({ spec: { size: 3 }, status: { ready: 2, selector: 'app=x' } }), paths)).toEqual({
    apiVersion: 'autoscaling/v1',
    kind: 'Scale',
    metadata: { name: 'a', namespace: 'b', uid: 'u', resourceVersion: '7' },
    spec: { replicas: 3 },
    status: { replicas: 2, selector: 'app=x' },
  });
});

test('what is not there counts as none', () => {
  expect(scaleOf(object({}), paths)).toMatchObject({ spec: {}, status: { replicas: 0 } });
});

test.each([
  [{ matchLabels: { tier: 'b', app: 'a' } }, 'app=a,tier=b'],
  [
    {
      matchLabels: { app: 'a' },
      matchExpressions: [
        { key: 'x', operator: 'In', values: ['2', '1'] },
        { key: 'b', operator: 'DoesNotExist' },
      ],
    },
    'app=a,!b,x in (1,2)',
  ],
  [
    {
      matchExpressions: [
        { key: 'x', operator: 'NotIn', values: ['1'] },
        { key: 'y', operator: 'Exists' },
      ],
    },
    'x notin (1),y',
  ],
  [{ app: 'bare' }, 'app=bare'],
])('the selector %j of a built-in kind is written out', (selector, text) => {
  expect(scaleOf(object({ spec: { replicas: 1, selector } }), builtin).status.selector).toBe(text);
});

test('replicas that are no number are a bad request', () => {
  expect(() => scaleOf(object({ spec: { size: 'x' } }), paths)).toThrow(
    expect.toSatisfy((error) => isApiError(error, 400)) as never,
  );
});

test('replicas are written where the path says, also into nothing', () => {
  expect(withReplicas(object({ spec: { size: 1, other: 2 } }), paths, 5)['spec']).toEqual({ size: 5, other: 2 });
  expect(withReplicas(object({}), paths, 5)['spec']).toEqual({ size: 5 });
  const polluted = withReplicas(object({}), { ...paths, specReplicasPath: '.__proto__.polluted' }, 5);
  expect(Object.hasOwn(polluted, '__proto__')).toBe(true);
  expect(({} as { polluted?: number }).polluted).toBeUndefined();
});
