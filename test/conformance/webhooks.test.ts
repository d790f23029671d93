import { afterAll, describe, expect, it } from 'vitest';
import { made, testCluster } from '../support/cluster.ts';
import { testWebhooks } from '../support/cluster-webhooks.ts';

const cluster = await testCluster();
const webhooks = await testWebhooks();
afterAll(async () => {
  await cluster.close();
  await webhooks.close();
});

const registration = '/apis/admissionregistration.k8s.io/v1';
const merge = 'application/merge-patch+json';

type Handler = Parameters<typeof webhooks.handle>[1];
type Kind = 'validating' | 'mutating';

let counter = 0;

/** A namespace with a webhook on its config maps, in force. */
async function withWebhook(kind: Kind, handler: Handler, more: object = {}) {
  const namespace = await cluster.newNamespace();
  counter += 1;
  const path = `/hook-${counter}`;
  webhooks.handle(path, handler);
  const name = cluster.name(`hook-${counter}`);
  const configurations = `${registration}/${kind}webhookconfigurations`;
  const webhook = {
    name: 'hook.example.com',
    clientConfig: { url: `${webhooks.url}${path}`, caBundle: Buffer.from(webhooks.ca).toString('base64') },
    rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['configmaps', 'pods/eviction'] }],
    namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
    ...more,
  };
  cluster.cleanUp(`${configurations}/${name}`);
  await made(cluster.request('POST', configurations, { body: { metadata: { name }, webhooks: [webhook] } }));
  const configMaps = `/api/v1/namespaces/${namespace}/configmaps`;
  await inForce(path, configMaps);
  const before = webhooks.received.length;
  return {
    namespace,
    configMaps,
    requests: () => webhooks.received.slice(before).filter((received) => isFor(received.path, path)),
    create: (name: string, data: object = {}) =>
      cluster.request('POST', configMaps, { body: { metadata: { name }, data } }),
  };
}

/** Servers say in the query how long they are going to wait. */
function isFor(called: string, path: string): boolean {
  return called.split('?')[0] === path;
}

/** Servers learn of configurations a moment after they are written. Dry runs leave no trace. */
async function inForce(path: string, configMaps: string): Promise<void> {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    await cluster.request('POST', `${configMaps}?dryRun=All`, { body: { metadata: { name: 'is-it-there-yet' } } });
    if (webhooks.received.some((received) => isFor(received.path, path))) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('the webhook was never called');
}

const allow = { allowed: true };

describe('a validating webhook', () => {
  it('is shown the request', async () => {
    const { create, requests, namespace, configMaps } = await withWebhook('validating', () => allow);
    await made(create('shown', { a: '1' }));
    const [{ review }] = requests() as [ReturnType<typeof requests>[number]];
    expect(review).toMatchObject({ kind: 'AdmissionReview', apiVersion: 'admission.k8s.io/v1' });
    expect(review.request).toMatchObject({
      kind: { group: '', version: 'v1', kind: 'ConfigMap' },
      resource: { group: '', version: 'v1', resource: 'configmaps' },
      requestKind: { group: '', version: 'v1', kind: 'ConfigMap' },
      name: 'shown',
      namespace,
      operation: 'CREATE',
      userInfo: { groups: expect.arrayContaining(['system:masters', 'system:authenticated']) },
      object: { kind: 'ConfigMap', metadata: { name: 'shown' }, data: { a: '1' } },
      oldObject: null,
      dryRun: false,
      options: { kind: 'CreateOptions', apiVersion: 'meta.k8s.io/v1' },
    });
    const path = `${configMaps}/shown`;
    await made(cluster.request('PATCH', path, { contentType: merge, body: { data: { a: '2' } } }));
    await made(cluster.request('DELETE', path));
    const [, update, remove] = requests().map(({ review }) => review.request);
    expect(update).toMatchObject({
      operation: 'UPDATE',
      object: { data: { a: '2' } },
      oldObject: { data: { a: '1' } },
    });
    expect(remove).toMatchObject({ operation: 'DELETE', object: null, oldObject: { data: { a: '2' } } });
  });

  it('refuses with its own code, reason, causes and delay', async () => {
    const status = {
      code: 429,
      reason: 'TooManyRequests',
      message: 'not now',
      details: { causes: [{ reason: 'Because', message: 'of that', field: 'data' }], retryAfterSeconds: 3 },
    };
    const { create } = await withWebhook('validating', () => ({ allowed: false, status }));
    const answer = await create('refused');
    expect(answer).toMatchObject({
      code: 429,
      body: {
        reason: 'TooManyRequests',
        message: 'admission webhook "hook.example.com" denied the request: not now',
        details: { causes: [{ reason: 'Because', message: 'of that', field: 'data' }], retryAfterSeconds: 3 },
      },
    });
    expect(answer.headers['retry-after']).toBe('3');
  });

  it('that refuses without a word is a 400', async () => {
    const { create } = await withWebhook('validating', () => ({ allowed: false }));
    expect(await create('refused')).toMatchObject({
      code: 400,
      body: { message: 'admission webhook "hook.example.com" denied the request without explanation' },
    });
  });

  it('can warn', async () => {
    const { create } = await withWebhook('validating', () => ({ allowed: true, warnings: ['careful'] }));
    expect((await create('warned')).headers.warning).toBe('299 - "careful"');
  });

  it('that fails refuses or is ignored, as its policy says', async () => {
    const broken: Handler = (_received, answer) => {
      answer.writeHead(500).end('no');
      return undefined;
    };
    const failing = await withWebhook('validating', broken, { failurePolicy: 'Fail' });
    const answer = await failing.create('failed');
    expect(answer).toMatchObject({ code: 500, body: { reason: 'InternalError' } });
    expect(answer.body.message).toContain('failed calling webhook "hook.example.com"');
    const ignored = await withWebhook('validating', broken, { failurePolicy: 'Ignore' });
    expect((await ignored.create('ignored')).code).toBe(201);
  });

  it('is asked only where its conditions hold', async () => {
    const { create, requests } = await withWebhook('validating', () => allow, {
      matchConditions: [{ name: 'some', expression: '!object.metadata.name.startsWith("skip")' }],
    });
    await made(create('skipped'));
    await made(create('asked'));
    expect(requests().map(({ review }) => review.request['name'])).toEqual(['asked']);
  });

  it('sees evictions before anything is known of the pod', async () => {
    const refuse: Handler = ({ review }) =>
      review.request['subResource'] === 'eviction'
        ? { allowed: false, status: { code: 429, reason: 'TooManyRequests', message: 'no' } }
        : allow;
    const { namespace, requests } = await withWebhook('validating', refuse);
    const path = `/api/v1/namespaces/${namespace}/pods/none/eviction`;
    const body = { metadata: { name: 'none' }, deleteOptions: { dryRun: ['All'] } };
    expect((await cluster.request('POST', path, { body })).code).toBe(429);
    expect(requests()[0]?.review.request).toMatchObject({
      kind: { group: 'policy', version: 'v1', kind: 'Eviction' },
      resource: { group: '', version: 'v1', resource: 'pods' },
      subResource: 'eviction',
      operation: 'CREATE',
      dryRun: false,
      object: { kind: 'Eviction', deleteOptions: { dryRun: ['All'] } },
    });
  });
});

describe('a mutating webhook', () => {
  it('changes the object before it is validated and stored', async () => {
    const patch = [{ op: 'add', path: '/metadata/labels', value: { touched: 'yes' } }];
    const { create } = await withWebhook('mutating', () => ({
      allowed: true,
      patchType: 'JSONPatch',
      patch: Buffer.from(JSON.stringify(patch)).toString('base64'),
    }));
    const body = await made(create('touched'));
    expect(body.metadata.labels).toEqual({ touched: 'yes' });
  });

  it('cannot make an object that is not valid', async () => {
    const patch = [{ op: 'add', path: '/metadata/labels', value: { 'a b': 'c' } }];
    const { create } = await withWebhook('mutating', () => ({
      allowed: true,
      patchType: 'JSONPatch',
      patch: Buffer.from(JSON.stringify(patch)).toString('base64'),
    }));
    expect((await create('broken')).code).toBe(422);
  });
});

describe('configurations', () => {
  it('are validated', async () => {
    const path = `${registration}/validatingwebhookconfigurations`;
    const body = {
      metadata: { name: cluster.name('bad') },
      webhooks: [
        { name: 'a.b.c', clientConfig: { url: 'http://x' }, sideEffects: 'Some', admissionReviewVersions: ['v1'] },
      ],
    };
    const answer = await cluster.request('POST', path, { body });
    expect(answer.code).toBe(422);
    expect(answer.body.message).toContain('webhooks[0].sideEffects: Unsupported value: "Some"');
    expect(answer.body.message).toContain("'https' is the only allowed URL scheme");
  });
});
