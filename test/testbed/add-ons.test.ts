import { expect, it } from 'vitest';
import { onLoopback } from '../../testbed/src/add-on-manifests.ts';
import { addOns } from '../../testbed/src/add-ons.ts';

it('calls the webhooks of LeaderWorkerSet on loopback, and for pods of sets only', () => {
  const webhook = (path: string, resource: string) => ({
    name: resource,
    clientConfig: { service: { name: 's', namespace: 'n', path } },
    rules: [{ operations: ['CREATE'], resources: [resource] }],
    failurePolicy: 'Fail',
  });
  const configuration = {
    kind: 'MutatingWebhookConfiguration',
    metadata: { name: 'mutating' },
    webhooks: [webhook('/sets', 'leaderworkersets'), webhook('/pods', 'pods')],
  };
  const { metadata, webhooks } = onLoopback(addOns.lws, configuration, { port: 4711, ca: 'CA' });
  expect(metadata.name).toBe('lws-mutating');
  expect(webhooks).toMatchObject([
    { clientConfig: { url: 'https://127.0.0.1:4711/sets', caBundle: 'Q0E=' }, failurePolicy: 'Fail' },
    {
      clientConfig: { url: 'https://127.0.0.1:4711/pods' },
      objectSelector: { matchExpressions: [{ key: 'leaderworkerset.sigs.k8s.io/name', operator: 'Exists' }] },
    },
  ]);
  expect(webhooks[0]).not.toHaveProperty('objectSelector');
  expect(webhooks.some(({ clientConfig }) => 'service' in clientConfig)).toBe(false);
});
