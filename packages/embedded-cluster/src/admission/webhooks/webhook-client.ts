import { type ClientRequest, Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent, request as httpsRequest } from 'node:https';
import type { Duplex } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { isObject } from '@holdfast/base/json';
import type { Clock } from '../../time/clock.ts';
import { failureText, statusText } from '../failure-text.ts';
import type { ClientConfig } from './webhook.ts';
import { locate, type ResolveService, type WebhookEndpoint } from './webhook-endpoint.ts';

export type PostOutcome =
  | { readonly kind: 'answer'; readonly body: string }
  | { readonly kind: 'failed'; readonly reason: string };

export interface WebhookClient {
  post(config: ClientConfig, body: string, timeoutSeconds: number): Promise<PostOutcome>;
  /** Drops every connection that is kept open. */
  close(): void;
}

export interface WebhookClientOptions {
  readonly clock: Clock;
  readonly resolveService: ResolveService;
  /** Where there is no network; absent: over TLS. */
  readonly connect?: ConnectWebhook;
}

/** A new connection to the webhook at this address, over which HTTP is spoken without TLS. */
export type ConnectWebhook = (url: URL) => Duplex;

/** A webhook that answers more than this is broken or hostile; a patch of the largest object is smaller. */
const maxAnswerBytes = 16 * 1024 * 1024;
/** How many endpoints keep their connections; the ones used longest ago are closed. */
const maxEndpoints = 200;
const idleConnections = 25;

export function createWebhookClient({ clock, resolveService, connect }: WebhookClientOptions): WebhookClient {
  const agents = new AgentCache((endpoint) =>
    connect === undefined ? createAgent(endpoint) : new ConnectedAgent(() => connect(endpoint.url)),
  );
  return {
    async post(config, body, timeoutSeconds) {
      const endpoint = locate(config, resolveService, timeoutSeconds);
      if (typeof endpoint === 'string') return { kind: 'failed', reason: endpoint };
      // A connection that the other side closed while idle must be noticed before it is used again.
      await new Promise((resolve) => setImmediate(resolve));
      return send(endpoint, agents.for(endpoint), body, timeoutSeconds * 1000, clock);
    },
    close: () => agents.close(),
  };
}

class AgentCache {
  readonly #agents = new Map<string, HttpAgent>();
  readonly #create: (endpoint: WebhookEndpoint) => HttpAgent;

  constructor(create: (endpoint: WebhookEndpoint) => HttpAgent) {
    this.#create = create;
  }

  for(endpoint: WebhookEndpoint): HttpAgent {
    const { url, serverName, caBundle } = endpoint;
    const key = `${url.host} ${serverName ?? ''} ${caBundle ?? ''}`;
    const agent = this.#agents.get(key) ?? this.#create(endpoint);
    this.#agents.delete(key);
    this.#agents.set(key, agent);
    if (this.#agents.size > maxEndpoints) this.#dropOldest();
    return agent;
  }

  close(): void {
    for (const agent of this.#agents.values()) agent.destroy();
    this.#agents.clear();
  }

  #dropOldest(): void {
    for (const [key, agent] of this.#agents) {
      this.#agents.delete(key);
      agent.destroy();
      return;
    }
  }
}

function createAgent({ serverName, caBundle }: WebhookEndpoint): HttpAgent {
  return new Agent({
    keepAlive: true,
    maxFreeSockets: idleConnections,
    ALPNProtocols: ['http/1.1'],
    ...(serverName === undefined ? {} : { servername: serverName }),
    ...(caBundle === undefined ? {} : { ca: caBundle }),
  });
}

/** Keeps connections that its caller makes. */
class ConnectedAgent extends HttpAgent {
  readonly #connect: () => Duplex;

  constructor(connect: () => Duplex) {
    super({ keepAlive: true, maxFreeSockets: idleConnections });
    this.#connect = connect;
  }

  override createConnection(): Duplex {
    return this.#connect();
  }
}

function begin({ url, host }: WebhookEndpoint, agent: HttpAgent, body: string): ClientRequest {
  const options = {
    method: 'POST',
    agent,
    headers: {
      ...(host === undefined ? {} : { host }),
      'user-agent': 'kube-apiserver-admission',
      'content-length': Buffer.byteLength(body),
      accept: 'application/json, */*',
      'content-type': 'application/json',
      'accept-encoding': 'gzip',
    },
  };
  if (agent instanceof Agent) return httpsRequest(url, options);
  return httpRequest({ ...options, host: url.hostname, port: url.port || 443, path: `${url.pathname}${url.search}` });
}

function send(
  endpoint: WebhookEndpoint,
  agent: HttpAgent,
  body: string,
  timeoutMs: number,
  clock: Clock,
): Promise<PostOutcome> {
  return new Promise((resolve) => {
    let answering = false;
    const outgoing = begin(endpoint, agent, body);
    const finish = (outcome: PostOutcome) => {
      timer.cancel();
      resolve(outcome);
    };
    const fail = (why: string) => finish(failedPost(endpoint, answering, why));
    const timer = clock.after(timeoutMs, () => {
      fail('context deadline exceeded');
      outgoing.destroy();
    });
    outgoing.on('error', (error) => fail(failureText(error)));
    outgoing.on('response', (response) => {
      answering = true;
      readBody(response, fail, (answer) => finish(judge(response, answer)));
    });
    outgoing.end(body);
  });
}

function failedPost(endpoint: WebhookEndpoint, answering: boolean, why: string): PostOutcome {
  const reason = answering
    ? `unexpected error when reading response body. Please retry. Original error: ${why}`
    : `Post "${endpoint.shown}": ${why}`;
  return { kind: 'failed', reason: `failed to call webhook: ${reason}` };
}

function readBody(response: IncomingMessage, fail: (why: string) => void, done: (body: string) => void): void {
  const chunks: Buffer[] = [];
  let size = 0;
  response.on('error', () => fail('unexpected EOF'));
  const zipped = response.headers['content-encoding'] === 'gzip';
  const body = zipped ? response.pipe(createGunzip()) : response;
  body.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > maxAnswerBytes) {
      fail(`the answer is larger than ${maxAnswerBytes} bytes`);
      response.destroy();
    } else {
      chunks.push(chunk);
    }
  });
  if (zipped) body.on('error', () => fail('gzip: invalid header'));
  body.on('end', () => done(Buffer.concat(chunks).toString('utf8')));
}

function judge(response: IncomingMessage, body: string): PostOutcome {
  const code = response.statusCode ?? 0;
  const type = response.headers['content-type'];
  if (code < 200 || code > 206) {
    const text = type === undefined || type.trimStart().startsWith('text/') ? body : undefined;
    return { kind: 'failed', reason: `failed to call webhook: ${statusMessage(body) ?? statusText(code, text)}` };
  }
  if (body !== '') return { kind: 'answer', body };
  return {
    kind: 'failed',
    reason: `failed to call webhook: 0-length response with status code: ${code} and content type: ${type ?? ''}`,
  };
}

/** A webhook may explain itself with a Status object. */
function statusMessage(body: string): string | undefined {
  try {
    const status: unknown = JSON.parse(body);
    if (!isObject(status) || status['kind'] !== 'Status' || status['status'] !== 'Failure') return undefined;
    return typeof status['message'] === 'string' ? status['message'] : undefined;
  } catch {
    return undefined;
  }
}
