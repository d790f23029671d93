import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aWorld } from '../../../../../test/support/a-world.ts';
import { aPod, aPub, ns } from '../../../../../test/support/builders.ts';
import { made } from '../../../../../test/support/cluster.ts';
import { accessFrom, KubeHttp } from '../../../../../test/support/kube-http.ts';
import { type Cluster, startCluster } from '../../../../embedded-cluster/src/cluster.ts';
import { decide } from '../../../src/core/decide/decide.ts';
import type { World } from '../../../src/core/world/world.ts';
import { answerBad, answerBlind, answerVerdict } from '../../../src/operator/admission/answers.ts';
import type { WebhookHandler } from '../../../src/operator/admission/handler.ts';
import { type PodRequest, podRequestOf } from '../../../src/operator/admission/pod-request.ts';
import { startServer } from './support.ts';

/** Reviews come over a real connection from a real API; verdicts come from a world that the test made. */
let world: World;
const seen: PodRequest[] = [];

const handler: WebhookHandler = {
  answer: (review) => {
    const asked = podRequestOf(review, { username: 'system:serviceaccount:holdfast-system:holdfast' });
    seen.push(asked);
    if (asked.kind === 'pass') return Promise.resolve({ allowed: true });
    if (asked.kind === 'bad') return Promise.resolve(answerBad(asked.problem));
    const { namespace, pod: name } = asked.request;
    return Promise.resolve(answerVerdict(decide(world, asked.request, 0), { namespace, name }));
  },
  inDoubt: ({ namespace, name }) => answerBlind({ namespace, name }, false, 'LedgerUnknown', 'it failed'),
};

let cluster: Cluster;
let http: KubeHttp;
let webhook: Awaited<ReturnType<typeof startServer>>;

const pods = `/api/v1/namespaces/${ns}/pods`;
const evict = (name: string, deleteOptions?: object, query = '') =>
  http.request('POST', `${pods}/${name}/eviction${query}`, {
    body: { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace: ns }, deleteOptions },
  });

async function createPod(name: string, app: string): Promise<string> {
  const spec = { nodeName: 'node-1', containers: [{ name: 'main', image: 'web:1' }] };
  const { metadata } = await made(http.request('POST', pods, { body: { metadata: { name, labels: { app } }, spec } }));
  world.upsertPod(aPod(name).labels({ app }).uid(metadata.uid).build());
  return metadata.uid;
}

function configuration(port: number, ca: string): object {
  const rule = { apiGroups: [''], apiVersions: ['v1'] };
  return {
    metadata: { name: 'holdfast' },
    webhooks: [
      {
        name: 'pods.holdfast.dev',
        clientConfig: { url: `https://127.0.0.1:${port}/judge`, caBundle: Buffer.from(ca).toString('base64') },
        rules: [
          { ...rule, operations: ['CREATE'], resources: ['pods/eviction'] },
          { ...rule, operations: ['DELETE', 'UPDATE'], resources: ['pods'] },
        ],
        admissionReviewVersions: ['v1'],
        sideEffects: 'NoneOnDryRun',
        failurePolicy: 'Fail',
      },
    ],
  };
}

beforeAll(async () => {
  world = aWorld({ pubs: [aPub('web', { selector: { matchLabels: { app: 'web' } }, minAvailable: 2 })] });
  webhook = await startServer({ handler });
  cluster = await startCluster({ controllers: false, report: () => undefined });
  http = new KubeHttp(accessFrom(cluster.kubeconfig()));
  await made(http.request('POST', '/api/v1/namespaces', { body: { metadata: { name: ns } } }));
  await made(
    http.request('POST', `/api/v1/namespaces/${ns}/serviceaccounts`, { body: { metadata: { name: 'default' } } }),
  );
  await createPod('web-0', 'web');
  await createPod('web-1', 'web');
  await createPod('free', 'other');
  const body = configuration(webhook.server.port, webhook.keyPair.ca);
  await made(http.request('POST', '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations', { body }));
});

afterAll(async () => {
  http?.close();
  await cluster?.close();
  await webhook?.server.close(0);
});

describe('through an API server', () => {
  it('[I8] [I12] a refused eviction is a 429 with its causes, and without a header on which clients would sleep', async () => {
    const answer = await evict('web-0');
    expect(answer.code).toBe(429);
    expect(answer.headers).not.toHaveProperty('retry-after');
    expect(answer.body).toMatchObject({ kind: 'Status', status: 'Failure', reason: 'TooManyRequests', code: 429 });
    expect(answer.body.message).toMatch(
      /^admission webhook "pods.holdfast.dev" denied the request: PUB web requires all 2 of the 2 pods that exist/,
    );
    expect(answer.body.details['causes']).toEqual([
      {
        reason: 'DisruptionBudget',
        field: 'BudgetExhausted',
        message: expect.stringContaining('add 1 pod, or lower minAvailable'),
      },
      { reason: 'RetryHint', message: 'worth another try in 30 seconds' },
      { reason: 'Hint', message: 'holdfast explain pod/web-0 -n shop' },
    ]);
  });

  it('a refused delete, and a refused deletion of a collection, are the same', async () => {
    for (const path of [`${pods}/web-0`, `${pods}?labelSelector=app%3Dweb`]) {
      seen.length = 0;
      const answer = await http.request('DELETE', path);
      expect(answer).toMatchObject({ code: 429, body: { reason: 'TooManyRequests' } });
      expect(seen[0]).toMatchObject({
        kind: 'disruption',
        request: { operation: 'DELETE', pod: expect.stringMatching(/^web-/) },
      });
    }
    expect((await http.request('GET', `${pods}/web-0`)).body.metadata.deletionTimestamp).toBeUndefined();
  });

  it('[I6] a dry run is seen in the query and in the body', async () => {
    seen.length = 0;
    await evict('web-0', undefined, '?dryRun=All');
    await evict('web-0', { dryRun: ['All'] });
    expect(seen).toMatchObject([{ request: { dryRun: true } }, { request: { dryRun: true } }]);
  });

  it('an update that takes a pod out of its budget is refused, and one that does nothing is not', async () => {
    const patch = (body: object) =>
      http.request('PATCH', `${pods}/web-1`, { body, contentType: 'application/merge-patch+json' });
    expect((await patch({ metadata: { labels: { app: 'stolen' } } })).code).toBe(429);
    expect((await patch({ metadata: { annotations: { note: 'x' } } })).code).toBe(200);
  });

  it('what nothing protects passes', async () => {
    expect((await evict('free')).code).toBe(201);
  });
});
