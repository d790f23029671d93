import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startWebhookServer, type WebhookServer } from './webhook-server.ts';
import { admissionOver, aPod, aRequest, aWebhook, validatingConfiguration, validatingKey } from './world.ts';

let server: WebhookServer;

beforeAll(async () => {
  server = await startWebhookServer();
});
afterAll(() => server.close());

async function sent(request: Parameters<typeof aRequest>[0]): Promise<string> {
  const admission = admissionOver({
    [validatingKey]: [validatingConfiguration('c', aWebhook('w.example.com', `${server.url}/see`, server.ca))],
  });
  await admission.validate(aRequest(request));
  admission.close();
  return server.received.at(-1)?.text ?? '';
}

describe('the review that a webhook receives', () => {
  test('has its keys in the order of the real server, and null for the object that is not there', async () => {
    const text = await sent({
      object: { spec: { serviceAccountName: 'default' }, metadata: { name: 'web-0' }, kind: 'Pod', apiVersion: 'v1' },
    });
    const uid = JSON.parse(text).request.uid as string;
    expect(uid).toMatch(/^[0-9a-f-]{36}$/);
    expect(text).toBe(
      `{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"${uid}",` +
        '"kind":{"group":"","version":"v1","kind":"Pod"},"resource":{"group":"","version":"v1","resource":"pods"},' +
        '"requestKind":{"group":"","version":"v1","kind":"Pod"},' +
        '"requestResource":{"group":"","version":"v1","resource":"pods"},"name":"web-0","namespace":"shop",' +
        '"operation":"CREATE","userInfo":{"username":"kubernetes-admin",' +
        '"groups":["system:masters","system:authenticated"]},' +
        '"object":{"kind":"Pod","apiVersion":"v1","metadata":{"name":"web-0"},"spec":{"serviceAccountName":"default"}},"oldObject":null,' +
        '"dryRun":false,"options":{"kind":"CreateOptions","apiVersion":"meta.k8s.io/v1","fieldManager":"kubectl"}}}\n',
    );
  });

  test('of a deletion has no object but the old one', async () => {
    const review = JSON.parse(await sent({ operation: 'DELETE', object: undefined, oldObject: aPod(), name: '' }));
    expect(review.request).toMatchObject({ operation: 'DELETE', object: null, oldObject: { kind: 'Pod' } });
    expect(review.request).not.toHaveProperty('name');
  });

  test('of an eviction names the subresource and the kind that travels', async () => {
    const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'web-0', namespace: 'shop' } };
    const kind = { group: 'policy', version: 'v1', kind: 'Eviction' };
    const review = JSON.parse(await sent({ subresource: 'eviction', kind, object: eviction, dryRun: true }));
    expect(review.request).toMatchObject({
      kind,
      resource: { group: '', version: 'v1', resource: 'pods' },
      subResource: 'eviction',
      requestKind: kind,
      requestSubResource: 'eviction',
      dryRun: true,
    });
  });

  test('is posted as JSON with its timeout in the query', async () => {
    await sent({});
    expect(server.received.at(-1)).toMatchObject({
      path: '/see?timeout=10s',
      headers: { 'content-type': 'application/json', accept: 'application/json, */*' },
    });
  });
});
