import { randomUUID } from 'node:crypto';
import { Agent, request } from 'node:https';

export interface ForgedAnswer {
  readonly code: number;
  readonly text: string;
}

export interface ForgedReview {
  readonly namespace: string;
  readonly name: string;
  readonly operation: 'CREATE' | 'DELETE';
  /** Of the Eviction, where it is not that of the request. */
  readonly object?: { readonly name?: string; readonly namespace?: string };
}

/** What an API server would send, written by a program that is none. */
export function forgedReview({ namespace, name, operation, object }: ForgedReview): object {
  const eviction = operation === 'CREATE';
  const metadata = { name: object?.name ?? name, namespace: object?.namespace ?? namespace };
  return {
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    request: {
      uid: randomUUID(),
      kind: eviction ? { group: 'policy', version: 'v1', kind: 'Eviction' } : { group: '', version: 'v1', kind: 'Pod' },
      resource: { group: '', version: 'v1', resource: 'pods' },
      ...(eviction ? { subResource: 'eviction' } : {}),
      name,
      namespace,
      operation,
      userInfo: { username: 'an-innocent-user', groups: ['system:authenticated'] },
      object: eviction
        ? { apiVersion: 'policy/v1', kind: 'Eviction', metadata, deleteOptions: { gracePeriodSeconds: 0 } }
        : null,
      oldObject: eviction ? null : { apiVersion: 'v1', kind: 'Pod', metadata },
      options: null,
      dryRun: false,
    },
  };
}

/** Posts to a webhook server as any pod that reaches it can: without a token, without a client certificate. */
export function forge(port: number, path: string, body: object | string | Buffer): Promise<ForgedAnswer> {
  const agent = new Agent({ rejectUnauthorized: false });
  const bytes = typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const sent = request(
      { host: '127.0.0.1', port, path, method: 'POST', agent, headers: { 'content-type': 'application/json' } },
      (response) => {
        let text = '';
        response.on('data', (chunk) => {
          text += String(chunk);
        });
        response.on('end', () => resolve({ code: response.statusCode ?? 0, text }));
        response.on('error', reject);
      },
    );
    sent.on('error', reject);
    sent.end(bytes);
  });
}
