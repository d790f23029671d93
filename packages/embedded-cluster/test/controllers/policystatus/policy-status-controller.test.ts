import { describe, expect, it } from 'vitest';
import { startPolicyStatusController } from '../../../src/controllers/policystatus/policy-status-controller.ts';
import type { KubeObject } from '../../../src/objects.ts';
import { TestPlane } from '../test-plane.ts';

const policies = 'admissionregistration.k8s.io/validatingadmissionpolicies';

function policy(expression: string): KubeObject {
  const rule = { apiGroups: ['apps'], apiVersions: ['v1'], operations: ['*'], resources: ['deployments'] };
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name: 'a' },
    spec: { matchConstraints: { resourceRules: [rule] }, validations: [{ expression }] },
  };
}

describe('the status of a validating policy', () => {
  it('says what its expressions get wrong, once for each change', async () => {
    const test = new TestPlane().start((context, { types }) => startPolicyStatusController(context, { types }));
    await test.create(policies, policy('object.spec.replicas > "1"'));
    await test.quiet();
    const wrong = test.get(policies, '', 'a');
    expect(wrong['status']).toMatchObject({
      observedGeneration: 1,
      typeChecking: { expressionWarnings: [{ fieldRef: 'spec.validations[0].expression' }] },
    });
    await test.quiet();
    expect(test.get(policies, '', 'a')).toBe(wrong);
    await test.client.modify(policies, '', 'a', (draft) => ({
      ...draft,
      spec: policy('object.spec.replicas > 1')['spec'],
    }));
    await test.quiet();
    expect(test.get(policies, '', 'a')['status']).toEqual({ observedGeneration: 2, typeChecking: {} });
    expect(test.errors).toEqual([]);
    test.stop();
  });
});
