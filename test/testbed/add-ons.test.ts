import { expect, it } from 'vitest';
import { onLoopback, patched } from '../../testbed/src/add-on-manifests.ts';
import { addOns, usualAddOns } from '../../testbed/src/add-ons.ts';
import { onLoopbackAlone } from '../../testbed/src/kruise-source.ts';

const webhook = (path: string, resource: string) => ({
  name: resource,
  clientConfig: { service: { name: 's', namespace: 'n', path } },
  rules: [{ operations: ['CREATE'], resources: [resource] }],
  failurePolicy: 'Fail',
});

it('calls the webhooks of LeaderWorkerSet on loopback, and for pods of sets only', () => {
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

it('calls the webhooks of OpenKruise for every pod, as its deployment does', () => {
  const configuration = { kind: 'k', metadata: { name: 'validating' }, webhooks: [webhook('/pods', 'pods')] };
  const { metadata, webhooks } = onLoopback(addOns.kruise, configuration, { port: 4711, ca: 'CA' });
  expect(metadata.name).toBe('kruise-validating');
  expect(webhooks).toMatchObject([{ clientConfig: { url: 'https://127.0.0.1:4711/pods' } }]);
  expect(webhooks[0]).not.toHaveProperty('objectSelector');
});

it('lays patches over the webhooks of the same kind and name', () => {
  const webhooks = [webhook('/pods', 'pods'), webhook('/nodes', 'nodes')];
  const configuration = { kind: 'Validating', metadata: { name: 'validating' }, webhooks };
  const namespaceSelector = { matchLabels: { a: 'b' } };
  const patch = (kind: string, name: string) => ({ kind, webhooks: [{ name, namespaceSelector }] });
  const result = patched(configuration, [patch('Validating', 'pods'), patch('Mutating', 'nodes')]);
  expect(result).toEqual({ ...configuration, webhooks: [{ ...webhooks[0], namespaceSelector }, webhooks[1]] });
});

it('starts OpenKruise only for those who ask for it', () => {
  expect(usualAddOns).toEqual(['lws', 'jobset']);
});

it.each([
  { what: 'one', main: 'x{\n\tHost:    "0.0.0.0",\n}', want: 'x{\n\tHost:    "127.0.0.1",\n}' },
  { what: 'no', main: 'x{ Host: webhookutil.GetHost() }', want: 'in 0 places' },
  { what: 'more than one', main: 'Host: "0.0.0.0" Host: "0.0.0.0"', want: 'in 2 places' },
])('OpenKruise listens on loopback alone, or is not built: $what address in its source', ({ main, want }) => {
  const result = (): string => {
    try {
      return onLoopbackAlone(main);
    } catch (error) {
      return String(error);
    }
  };
  expect(result()).toContain(want);
});
