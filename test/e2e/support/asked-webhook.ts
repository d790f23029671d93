import { createServer } from 'node:https';
import { listenOn } from '../../../packages/holdfast/src/telemetry/health/listen.ts';
import type { KeyPair } from '../../../packages/holdfast/src/trust/material.ts';
import { made, type TestCluster } from '../../support/cluster.ts';
import type { Answer } from '../../support/kube-http.ts';
import { waitUntil } from './wait.ts';

export interface AskedWebhook {
  /** Where it listens. */
  readonly address: string;
  /** What it shows. */
  readonly leaf: KeyPair;
  /** PEM: whom API servers are told to trust. */
  readonly authority: string;
}

const configurations = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';

/** Creates a ConfigMap that the API server must ask a webhook about, which agrees to everything. */
export async function askThrough(
  cluster: TestCluster,
  namespace: string,
  { address, leaf, authority }: AskedWebhook,
): Promise<Answer> {
  let asked = 0;
  const server = createServer({ cert: leaf.certificate, key: leaf.key }, (request, response) => {
    asked += 1;
    let text = '';
    request.on('data', (chunk) => {
      text += String(chunk);
    });
    request.on('end', () => {
      const { apiVersion, kind, request: review } = JSON.parse(text);
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ apiVersion, kind, response: { uid: review.uid, allowed: true } }));
    });
  });
  const port = await listenOn(server, 0, address);
  const name = cluster.name(`asked-${port}`);
  const caBundle = Buffer.from(authority).toString('base64');
  const webhook = {
    name: 'asked.example.com',
    clientConfig: { url: `https://${address}:${port}/any`, caBundle },
    rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
    objectSelector: { matchLabels: { asks: name } },
    admissionReviewVersions: ['v1'],
    sideEffects: 'None',
  };
  await made(cluster.request('POST', configurations, { body: { metadata: { name }, webhooks: [webhook] } }));
  const body = { metadata: { generateName: 'asks-', labels: { asks: name } } };
  try {
    // An API server needs a moment to know of a new configuration: until then it asks nothing.
    const create = () => cluster.request('POST', `/api/v1/namespaces/${namespace}/configmaps`, { body });
    return await waitUntil('the webhook is asked', create, ({ code }) => asked > 0 || code !== 201);
  } finally {
    await cluster.request('DELETE', `${configurations}/${name}`);
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}
