import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { Agent, type RequestOptions as HttpsOptions, request as httpsRequest } from 'node:https';
import { parse } from 'yaml';

/**
 * What tests read of an answer. Nothing of it is promised to be there: that is for the test to find out, and the types only
 * save it from saying so at every step.
 */
export interface Body {
  readonly kind: string;
  readonly apiVersion: string;
  readonly metadata: BodyMetadata;
  readonly spec: Record<string, unknown>;
  readonly status: Record<string, unknown>;
  readonly data: Record<string, string>;
  readonly items: readonly Body[];
  readonly code: number;
  readonly reason: string;
  readonly message: string;
  readonly details: Record<string, unknown>;
  readonly [field: string]: unknown;
}

export interface BodyMetadata {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly generation: number;
  readonly creationTimestamp: string;
  readonly deletionTimestamp: string;
  readonly labels: Record<string, string>;
  readonly annotations: Record<string, string>;
  readonly finalizers: readonly string[];
  readonly managedFields: readonly ManagedFields[];
  readonly continue: string;
  readonly remainingItemCount: number;
  readonly [field: string]: unknown;
}

export interface ManagedFields {
  readonly manager: string;
  readonly operation: string;
  readonly apiVersion: string;
  readonly subresource?: string;
  readonly fieldsV1: Record<string, unknown>;
}

export interface Answer {
  readonly code: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly body: Body;
}

export interface RequestOptions {
  /** Objects are sent as JSON, strings as they are. */
  readonly body?: unknown;
  readonly contentType?: string;
  readonly accept?: string;
  /** Act as this user. */
  readonly as?: { readonly user: string; readonly groups?: readonly string[]; readonly extra?: Record<string, string> };
  /** Instead of the administrator's certificate. */
  readonly token?: string;
  readonly headers?: Record<string, string>;
}

export interface WatchEvent {
  readonly type: string;
  readonly object: Body;
}

/** Where a cluster is and how to be its administrator. */
export interface Access {
  readonly server: string;
  readonly ca: Buffer;
  readonly certificate: Buffer;
  readonly key: Buffer;
}

export function accessFrom(kubeconfig: string): Access {
  const config = parse(kubeconfig) as {
    clusters: { cluster: { server: string; 'certificate-authority-data': string } }[];
    users: { user: { 'client-certificate-data': string; 'client-key-data': string } }[];
  };
  const cluster = config.clusters[0]?.cluster;
  const user = config.users[0]?.user;
  if (!cluster || !user) throw new Error('the kubeconfig needs a cluster and a user with a certificate');
  return {
    server: cluster.server,
    ca: Buffer.from(cluster['certificate-authority-data'], 'base64'),
    certificate: Buffer.from(user['client-certificate-data'], 'base64'),
    key: Buffer.from(user['client-key-data'], 'base64'),
  };
}

/** HTTPS to an API server and nothing else: what a test sends is what arrives. */
export class KubeHttp {
  readonly #access: Access;
  readonly #admin: Agent;
  readonly #anonymous: Agent;

  constructor(access: Access) {
    this.#access = access;
    const { ca, certificate, key } = access;
    this.#admin = new Agent({ keepAlive: true, ca, cert: certificate, key });
    this.#anonymous = new Agent({ keepAlive: true, ca });
  }

  async request(method: string, path: string, options: RequestOptions = {}): Promise<Answer> {
    const response = await this.open(method, path, options);
    const chunks: Buffer[] = [];
    for await (const chunk of response as AsyncIterable<Buffer>) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString('utf8');
    return { code: response.statusCode ?? 0, headers: response.headers, text, body: asBody(text) };
  }

  /** The answer, once its headers are there; its body is the caller's to read. */
  open(method: string, path: string, options: RequestOptions = {}): Promise<IncomingMessage> {
    const { server } = this.#access;
    const payload = payloadOf(options.body);
    const settings: HttpsOptions = {
      method,
      agent: options.token === undefined ? this.#admin : this.#anonymous,
      headers: headersOf(options, payload),
    };
    return new Promise((resolve, reject) => {
      const request = httpsRequest(new URL(path, server), settings, resolve);
      request.on('error', reject);
      request.end(payload);
    });
  }

  close(): void {
    this.#admin.destroy();
    this.#anonymous.destroy();
  }
}

function payloadOf(body: unknown): Buffer | undefined {
  if (body === undefined) return undefined;
  if (Buffer.isBuffer(body)) return body;
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
}

function headersOf(options: RequestOptions, payload: Buffer | undefined): Record<string, string | string[]> {
  const { as } = options;
  return {
    accept: options.accept ?? 'application/json',
    ...(payload === undefined
      ? {}
      : { 'content-type': options.contentType ?? 'application/json', 'content-length': String(payload.length) }),
    ...(options.token === undefined ? {} : { authorization: `Bearer ${options.token}` }),
    ...(as === undefined ? {} : { 'impersonate-user': as.user }),
    ...(as?.groups === undefined ? {} : { 'impersonate-group': [...as.groups] }),
    ...Object.fromEntries(
      Object.entries(as?.extra ?? {}).map(([name, value]) => [`impersonate-extra-${encodeURIComponent(name)}`, value]),
    ),
    'user-agent': 'conformance/1.0',
    ...options.headers,
  };
}

function asBody(text: string): Body {
  try {
    return JSON.parse(text) as Body;
  } catch {
    return {} as Body;
  }
}
