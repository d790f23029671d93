import { afterEach, beforeEach, expect, it } from 'vitest';
import { planServices, startApiServiceController } from '../../../src/controllers/apiservice/api-service-controller.ts';
import type { KubeObject } from '../../../src/objects.ts';
import { TestPlane } from '../test-plane.ts';

const services = 'apiregistration.k8s.io/apiservices';
let test: TestPlane;
beforeEach(() => {
  test = new TestPlane().start((context, { types }) => startApiServiceController(context, { types }));
});
afterEach(() => test.stop());

const service = (name: string, labels: Record<string, string> = {}): KubeObject => ({
  apiVersion: 'apiregistration.k8s.io/v1',
  kind: 'APIService',
  metadata: { name, labels },
});

it('plans what is missing, and takes away only what was made for something that is gone', () => {
  const old = service('v1.gone', { 'kube-aggregator.kubernetes.io/automanaged': 'true' });
  const { create, remove } = planServices(
    [
      { group: 'apps', version: 'v1' },
      { group: 'apps', version: 'v1' },
      { group: '', version: 'v1' },
    ],
    [service('v1.'), old, service('v1.by-hand')],
  );
  expect(create.map(({ metadata }) => metadata.name)).toEqual(['v1.apps']);
  expect(remove).toEqual([old]);
});

it('makes one that was deleted again, and says that it is available', async () => {
  await test.quiet();
  await test.client.delete(services, '', 'v1.apps');
  await test.quiet();
  expect(test.get(services, '', 'v1.apps')['status']).toMatchObject({
    conditions: [{ type: 'Available', status: 'True' }],
  });
  expect(test.errors).toEqual([]);
});

it('refuses services of other servers, which this one would not call', async () => {
  const spec = {
    group: 'metrics.k8s.io',
    version: 'v1',
    groupPriorityMinimum: 1,
    versionPriority: 1,
    service: { name: 's', namespace: 'n' },
  };
  await expect(test.create(services, { ...service('v1.metrics.k8s.io'), spec })).rejects.toThrow(
    'spec.service: Forbidden',
  );
});
