import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { made } from '../../../../../test/support/cluster.ts';
import { accessFrom, KubeHttp } from '../../../../../test/support/kube-http.ts';
import { type Cluster, startCluster } from '../../../../embedded-cluster/src/cluster.ts';
import type { PodUnavailableBudget } from '../../../src/api/pub/pub.ts';
import { conditionsOf } from '../../../src/install/manifests/webhook-conditions.ts';
import { accessOf, parseKubeconfig } from '../../../src/kube/config/kubeconfig.ts';
import { targetOf } from '../../../src/kube/config/target-of.ts';
import { ObjectCache } from '../../../src/kube/reflector/cache.ts';
import { realClock } from '../../../src/kube/time/clock.ts';
import { budgetsHandler } from '../../../src/operator/handlers/budgets.ts';
import { clientOf, connect } from '../../kube/support/server.ts';
import { startServer } from '../admission/support.ts';

/** Budgets that are written to a real API, which asks the handler under the conditions of an installation. */
let cluster: Cluster;
let http: KubeHttp;
let webhook: Awaited<ReturnType<typeof startServer>>;
const pubs = new ObjectCache<PodUnavailableBudget>({ report: () => undefined });
let connection: ReturnType<typeof connect>;

const at = (version: string) => `/apis/policy.kruise.io/${version}/namespaces/shop/podunavailablebudgets`;
const body = (name: string, spec: object, version = 'v1beta1') => ({
  apiVersion: `policy.kruise.io/${version}`,
  kind: 'PodUnavailableBudget',
  metadata: { name },
  spec,
});
const create = (name: string, spec: object, version = 'v1beta1') =>
  http.request('POST', at(version), { body: body(name, spec, version) });

function configurationFor(port: number, ca: string): object {
  const resources = ['podunavailablebudgets'];
  const rule = { apiGroups: ['policy.kruise.io'], apiVersions: ['v1alpha1', 'v1beta1'], resources };
  return {
    metadata: { name: 'holdfast' },
    webhooks: [
      {
        name: 'budgets.holdfast.dev',
        clientConfig: { url: `https://127.0.0.1:${port}/judge`, caBundle: Buffer.from(ca).toString('base64') },
        rules: [{ ...rule, operations: ['CREATE', 'UPDATE'] }],
        matchConditions: conditionsOf('holdfast-system').budget,
        admissionReviewVersions: ['v1'],
        sideEffects: 'None',
        failurePolicy: 'Fail',
      },
    ],
  };
}

beforeAll(async () => {
  pubs.replace([], '1');
  cluster = await startCluster({ controllers: false, report: () => undefined });
  connection = connect(targetOf(accessOf(parseKubeconfig(cluster.kubeconfig(), '/')), realClock));
  webhook = await startServer({
    handler: budgetsHandler({ pubs, client: clientOf(connection), clock: realClock, leftToOthers: () => false }),
  });
  http = new KubeHttp(accessFrom(cluster.kubeconfig()));
  await made(http.request('POST', '/api/v1/namespaces', { body: { metadata: { name: 'shop' } } }));
  const file = readFileSync('deploy/crds/podunavailablebudgets.yaml', 'utf8');
  const crd = http.request('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', { body: parse(file) });
  // A cluster may start with it.
  expect([201, 409]).toContain((await crd).code);
  const configuration = configurationFor(webhook.server.port, webhook.keyPair.ca);
  await made(
    http.request('POST', '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations', {
      body: configuration,
    }),
  );
});

afterAll(async () => {
  http?.close();
  await cluster?.close();
  await webhook?.server.close(0);
  await connection?.close();
});

describe('through an API server', () => {
  const selector = { matchLabels: { app: 'web' } };

  it.each(['v1alpha1', 'v1beta1'])(
    'a %s budget that is not valid is refused as the API server would',
    async (version) => {
      const { code, body: refused } = await create('bad', { selector }, version);
      expect([code, refused.reason]).toEqual([422, 'Invalid']);
      expect(refused.message).toContain(
        'PodUnavailableBudget.policy.kruise.io "bad" is invalid: spec.maxUnavailable, minAvailable: Required value',
      );
      expect(refused.details['causes']).toMatchObject([{ reason: 'FieldValueRequired' }]);
    },
  );

  it('one that overlaps is refused, and one that exists can be changed, but not its target', async () => {
    await made(create('first', { selector, maxUnavailable: 1 }));
    // The watch has not shown the first one.
    expect((await create('second', { selector, maxUnavailable: 1 })).code).toBe(422);
    const patch = (spec: object) =>
      http.request('PATCH', `${at('v1beta1')}/first`, { contentType: 'application/merge-patch+json', body: { spec } });
    expect((await patch({ maxUnavailable: 2 })).code).toBe(200);
    expect((await patch({ selector: { matchLabels: { app: 'api' } } })).code).toBe(422);
  });

  it('a warning comes to the author', async () => {
    const answer = await create('still', { selector: { matchLabels: { app: 'db' } }, maxUnavailable: 0 });
    expect(answer.code).toBe(201);
    expect(answer.headers['warning']).toContain('spec.maxUnavailable is 0: no healthy pod');
  });
});
