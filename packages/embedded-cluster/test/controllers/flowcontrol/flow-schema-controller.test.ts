import { describe, expect, it } from 'vitest';
import type { Attributes } from '../../../src/auth/user.ts';
import { startFlowSchemaController } from '../../../src/controllers/flowcontrol/flow-schema-controller.ts';
import { flowSchemas, priorityLevels } from '../../../src/flowcontrol/flow-control.ts';
import { TestPlane } from '../test-plane.ts';

const apiVersion = 'flowcontrol.apiserver.k8s.io/v1';

function addFlow(test: TestPlane, name: string, matchingPrecedence: number, level: string) {
  const rule = {
    subjects: [{ kind: 'User', user: { name: 'anna' } }],
    nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
  };
  const spec = { matchingPrecedence, priorityLevelConfiguration: { name: level }, rules: [rule] };
  return test.create(flowSchemas, { apiVersion, kind: 'FlowSchema', metadata: { name }, spec });
}

function addLevel(test: TestPlane, name: string) {
  const spec = { type: 'Limited', limited: { nominalConcurrencyShares: 10, limitResponse: { type: 'Reject' } } };
  return test.create(priorityLevels, { apiVersion, kind: 'PriorityLevelConfiguration', metadata: { name }, spec });
}

const request: Attributes = { user: { name: 'anna', groups: [] }, verb: 'get', path: '/version' };

function dangling(test: TestPlane, name: string): string | undefined {
  const { conditions = [] } = (test.get(flowSchemas, '', name)['status'] ?? {}) as {
    conditions?: { status: string }[];
  };
  return conditions[0]?.status;
}

describe('a flow schema', () => {
  it('takes requests while its level is there, and says whether it is', async () => {
    const test = new TestPlane().start(startFlowSchemaController);
    const { flows } = test.plane;
    const first = await addFlow(test, 'first', 1, 'late');
    const second = await addFlow(test, 'second', 2, 'early');
    const early = await addLevel(test, 'early');
    await test.quiet();
    expect([dangling(test, 'first'), dangling(test, 'second')]).toEqual(['True', 'False']);
    const bySecond = { flowSchemaUid: second.metadata.uid, priorityLevelUid: early.metadata.uid };
    expect(flows.classify(request)).toEqual(bySecond);
    const late = await addLevel(test, 'late');
    await test.quiet();
    expect(dangling(test, 'first')).toBe('False');
    expect(flows.classify(request)).toEqual({
      flowSchemaUid: first.metadata.uid,
      priorityLevelUid: late.metadata.uid,
    });
    await test.client.delete(flowSchemas, '', 'first');
    expect(flows.classify(request)).toEqual(bySecond);
    await test.client.delete(priorityLevels, '', 'early');
    await test.quiet();
    expect(dangling(test, 'second')).toBe('True');
    expect(flows.classify(request)).toBeUndefined();
    expect(flows.nominalSeats()).toEqual([{ priorityLevel: 'late', seats: 600 }]);
    test.stop();
  });
});
