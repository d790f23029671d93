import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createPki, type Pki } from '../../src/auth/pki.ts';
import { createPostReview, type PostAnswer } from '../../src/crd/conversion-post.ts';
import type { WebhookClientConfig } from '../../src/crd/crd.ts';
import { type Clock, realClock } from '../../src/time/clock.ts';

describe('sending reviews over https', () => {
  let pki: Pki;
  let server: Server;
  let port = 0;
  const requests: { method: string | undefined; url: string | undefined; body: string }[] = [];

  beforeAll(async () => {
    pki = await createPki({ clock: realClock });
    const { serverCertificate: cert, serverKey: key } = pki.material;
    server = createServer({ cert, key }, (request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => {
        body += chunk.toString('utf8');
      });
      request.on('end', () => {
        requests.push({ method: request.method, url: request.url, body });
        if (request.url?.startsWith('/hang')) return;
        response.writeHead(request.url?.startsWith('/broken') ? 500 : 200).end('the answer');
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    port = (server.address() as AddressInfo).port;
  });

  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  /** The certificate is for this name, not for the address that is called. */
  const service = (path: string): WebhookClientConfig => ({
    service: { namespace: 'default', name: 'kubernetes', path, port: 443 },
    caBundle: Buffer.from(pki.material.caCertificate).toString('base64'),
  });

  function post(config: WebhookClientConfig, clock: Clock = realClock): Promise<PostAnswer> {
    const resolveService = () => new URL(`https://127.0.0.1:${port}`);
    return createPostReview({ clock, resolveService })(config, '{"some":"review"}', 30_000);
  }

  test('a service is reached where it really is, under its own name', async () => {
    requests.length = 0;
    expect(await post(service('/convert'))).toEqual({ kind: 'answer', body: 'the answer' });
    expect(requests).toEqual([{ method: 'POST', url: '/convert?timeout=30s', body: '{"some":"review"}' }]);
  });

  test('an untrusted authority is not believed', async () => {
    const { caBundle: _, ...unknown } = service('/convert');
    expect(await post(unknown)).toEqual({
      kind: 'failed',
      reason: expect.stringMatching(
        /^Post "https:\/\/kubernetes\.default\.svc:443\/convert\?timeout=30s": .*certificate/,
      ),
    });
  });

  test('an error of the server is one', async () => {
    expect(await post(service('/broken'))).toMatchObject({ kind: 'failed', reason: expect.stringContaining('500') });
  });

  test('a server that does not answer is given up', async () => {
    const impatient: Clock = {
      now: () => 0,
      after(_delayMs, callback) {
        const timer = setImmediate(callback);
        return { cancel: () => clearImmediate(timer) };
      },
    };
    expect(await post(service('/hang'), impatient)).toEqual({
      kind: 'failed',
      reason: 'Post "https://kubernetes.default.svc:443/hang?timeout=30s": context deadline exceeded',
    });
  });
});
