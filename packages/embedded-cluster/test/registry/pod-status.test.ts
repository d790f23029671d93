import { expect, it } from 'vitest';
import type { KubeObject } from '../../src/objects.ts';
import { type APlane, aPlane, aPod } from './a-plane.ts';

async function report(a: APlane, status: object): Promise<unknown> {
  const change = (pod: KubeObject) => ({ ...pod, status });
  const pod: KubeObject | undefined = await a.client.modify('pods', 'default', 'p', change, { subresource: 'status' });
  return pod?.['status'];
}

it('a client that does not know of observed generations does not take them back', async () => {
  const a = await aPlane();
  await a.client.create('pods', aPod('p'));
  const seen = { type: 'Ready', status: 'True', observedGeneration: 1 };
  await report(a, { phase: 'Running', observedGeneration: 1, conditions: [seen, { type: 'A', status: 'True' }] });
  const blind = { type: 'Ready', status: 'False' };
  expect(await report(a, { phase: 'Running', conditions: [{ type: 'B', status: 'True' }, blind] })).toMatchObject({
    observedGeneration: 1,
    conditions: [
      { type: 'B', status: 'True' },
      { ...blind, observedGeneration: 1 },
    ],
  });
  const next = { ...blind, observedGeneration: 2 };
  expect(await report(a, { phase: 'Running', conditions: [next] })).toMatchObject({ conditions: [next] });
  expect(await report(a, { phase: 'Running' })).not.toHaveProperty('conditions');
});
