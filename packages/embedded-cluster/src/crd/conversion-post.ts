import { request } from 'node:https';
import type { Clock } from '../time/clock.ts';
import type { WebhookClientConfig } from './crd.ts';

export type PostAnswer =
  | { readonly kind: 'answer'; readonly body: string }
  | { readonly kind: 'failed'; readonly reason: string };

/** Sends a review to a webhook and reads what it says. Never rejects. */
export type PostReview = (config: WebhookClientConfig, body: string, timeoutMs: number) => Promise<PostAnswer>;

export interface PostDeps {
  readonly clock: Clock;
  /** Where a service can be reached from here. */
  resolveService(namespace: string, name: string, port: number): URL | undefined;
}

/** Lists of large objects are converted at once; more than this is broken or hostile. */
const maxAnswerBytes = 64 * 1024 * 1024;

interface Endpoint {
  readonly url: URL;
  /** The name on the certificate, where it is not the host that is called. */
  readonly serverName: string | undefined;
  readonly shown: string;
}

export function createPostReview(deps: PostDeps): PostReview {
  return async (config, body, timeoutMs) => {
    const endpoint = locate(config, deps);
    if (typeof endpoint === 'string') return { kind: 'failed', reason: endpoint };
    return send(endpoint, config.caBundle, body, timeoutMs, deps.clock);
  };
}

function locate({ url, service }: WebhookClientConfig, deps: PostDeps): Endpoint | string {
  if (url !== undefined) {
    return URL.canParse(url) ? { url: new URL(url), serverName: undefined, shown: url } : `invalid URL ${url}`;
  }
  if (!service) return 'webhook configuration must have either service or URL';
  const { namespace, name, path = '/', port = 443 } = service;
  const serverName = `${name}.${namespace}.svc`;
  const shown = `https://${serverName}:${port}${path}`;
  const found = deps.resolveService(namespace, name, port);
  if (!found) return `Post "${shown}?timeout=30s": service "${name}" not found`;
  const target = new URL(found);
  target.pathname = path;
  return { url: target, serverName, shown };
}

function send(
  { url, serverName, shown }: Endpoint,
  caBundle: string | undefined,
  body: string,
  timeoutMs: number,
  clock: Clock,
): Promise<PostAnswer> {
  return new Promise((resolve) => {
    const target = new URL(url);
    target.searchParams.set('timeout', `${timeoutMs / 1000}s`);
    const outgoing = request(target, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        accept: 'application/json',
      },
      ...(serverName === undefined ? {} : { servername: serverName }),
      ...(caBundle?.trim() ? { ca: Buffer.from(caBundle, 'base64') } : {}),
    });
    const finish = (answer: PostAnswer) => {
      timer.cancel();
      resolve(answer);
    };
    const fail = (why: string) =>
      finish({ kind: 'failed', reason: `Post "${shown}?timeout=${timeoutMs / 1000}s": ${why}` });
    const timer = clock.after(timeoutMs, () => {
      fail('context deadline exceeded');
      outgoing.destroy();
    });
    outgoing.on('error', (error) => fail(error.message));
    outgoing.on('response', (response) => {
      const chunks: Buffer[] = [];
      let size = 0;
      response.on('data', (chunk: Buffer) => {
        size += chunk.length;
        chunks.push(chunk);
        if (size <= maxAnswerBytes) return;
        fail(`the answer is larger than ${maxAnswerBytes} bytes`);
        response.destroy();
      });
      response.on('error', (error) => fail(error.message));
      response.on('end', () => finish(judge(response.statusCode ?? 0, Buffer.concat(chunks).toString('utf8'))));
    });
    outgoing.end(body);
  });
}

function judge(status: number, body: string): PostAnswer {
  if (status >= 200 && status < 300) return { kind: 'answer', body };
  return { kind: 'failed', reason: `the server responded with the status code ${status}` };
}
