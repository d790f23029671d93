import { describe, expect, it } from 'vitest';
import { atomicsIn } from '../../src/admission/mutating-policies/atomics.ts';
import type { KubeObject } from '../../src/objects.ts';
import { TestPlane } from '../controllers/test-plane.ts';

const group = 'admissionregistration.k8s.io';
const rule = { apiGroups: ['apps'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['deployments'] };

async function addPolicy(test: TestPlane, name: string, expression: string, more: object = {}): Promise<void> {
  const spec = {
    reinvocationPolicy: 'Never',
    matchConstraints: { resourceRules: [rule] },
    mutations: [{ patchType: 'ApplyConfiguration', applyConfiguration: { expression } }],
    ...more,
  };
  const apiVersion = `${group}/v1`;
  await test.create(`${group}/mutatingadmissionpolicies`, {
    apiVersion,
    kind: 'MutatingAdmissionPolicy',
    metadata: { name },
    spec,
  });
  await test.create(`${group}/mutatingadmissionpolicybindings`, {
    apiVersion,
    kind: 'MutatingAdmissionPolicyBinding',
    metadata: { name },
    spec: { policyName: name },
  });
}

async function deploy(test: TestPlane): Promise<KubeObject> {
  await test.namespace('default');
  return test.create('apps/deployments', {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', namespace: 'default' },
    spec: {
      replicas: 1,
      selector: { matchLabels: { app: 'web' } },
      template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
    },
  });
}

const notesReplicas = 'Object{metadata: Object.metadata{annotations: {"seen": string(object.spec.replicas)}}}';
const setsReplicas = 'Object{spec: Object.spec{replicas: 5}}';

describe('mutating policies', () => {
  it.each([
    ['Never', '1'],
    ['IfNeeded', '5'],
  ])(
    'that are asked again %s have seen %s replicas when a later one changed them',
    async (reinvocationPolicy, seen) => {
      const test = new TestPlane();
      await addPolicy(test, 'a', notesReplicas, { reinvocationPolicy });
      await addPolicy(test, 'b', setsReplicas);
      const { metadata, spec } = await deploy(test);
      expect(metadata.annotations).toEqual({ seen });
      expect(spec).toMatchObject({ replicas: 5 });
      test.stop();
    },
  );

  it('do nothing without a binding, or about something else', async () => {
    const test = new TestPlane();
    await addPolicy(test, 'other', setsReplicas, {
      matchConstraints: { resourceRules: [{ ...rule, resources: ['statefulsets'] }] },
    });
    await addPolicy(test, 'unbound', setsReplicas);
    await test.client.delete(`${group}/mutatingadmissionpolicybindings`, '', 'unbound');
    expect((await deploy(test))['spec']).toMatchObject({ replicas: 1 });
    test.stop();
  });

  it('may not set what an object is', async () => {
    const test = new TestPlane();
    await addPolicy(test, 'kind', '[1]');
    await expect(deploy(test)).rejects.toThrow(
      "policy 'kind' with binding 'kind' denied request: type mismatch: ApplyConfiguration.expression should evaluate to Object",
    );
    test.stop();
  });
});

describe('what can only be replaced as a whole', () => {
  const schema = {
    type: 'object',
    properties: {
      map: { type: 'object', 'x-kubernetes-map-type': 'atomic', properties: { a: { type: 'string' } } },
      list: { type: 'array', items: { type: 'string' } },
      keyed: {
        type: 'array',
        items: { type: 'object', properties: { name: { type: 'string' }, inner: { type: 'array', items: {} } } },
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['name'],
      },
      text: { type: 'string' },
    },
  } as const;

  it('is found wherever it is', () => {
    const configuration = {
      map: { a: 'x' },
      list: ['a'],
      keyed: [{ name: 'a' }, { name: 'b', inner: [1] }],
      text: 'x',
    };
    expect(atomicsIn(configuration, schema)).toEqual(['.map', '.list', '.keyed[1].inner']);
  });

  it('is not what is divided', () => {
    expect(atomicsIn({ keyed: [{ name: 'a' }], text: 'x' }, schema)).toEqual([]);
    expect(atomicsIn({ anything: { at: { all: 1 } } }, undefined)).toEqual([]);
  });
});
