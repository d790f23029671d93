/** Reviews as the API server writes them, for tests. */

type Json = Record<string, unknown>;

export interface ReviewWish {
  readonly operation?: string;
  readonly resource?: { group: string; version: string; resource: string };
  readonly subResource?: string;
  readonly name?: string;
  readonly namespace?: string;
  readonly user?: Json;
  readonly object?: unknown;
  readonly oldObject?: unknown;
  readonly dryRun?: boolean;
  readonly options?: unknown;
}

export const reviewUid = '705ab4f5-6393-11e8-b7cc-42010a800002';

/** Keys in Go's order; what is empty is left out, but for the objects. */
export function reviewFields(wish: ReviewWish = {}): Json {
  const resource = wish.resource ?? { group: '', version: 'v1', resource: 'pods' };
  const kind = { group: '', version: 'v1', kind: 'Pod' };
  const { subResource = '', name = 'web-0', namespace = 'shop' } = wish;
  return {
    uid: reviewUid,
    kind,
    resource,
    ...(subResource === '' ? {} : { subResource }),
    requestKind: kind,
    requestResource: resource,
    ...(subResource === '' ? {} : { requestSubResource: subResource }),
    ...(name === '' ? {} : { name }),
    ...(namespace === '' ? {} : { namespace }),
    operation: wish.operation ?? 'DELETE',
    userInfo: wish.user ?? { username: 'alice', groups: ['system:authenticated'] },
    object: wish.object ?? null,
    oldObject: wish.oldObject ?? null,
    dryRun: wish.dryRun ?? false,
    ...(wish.options === undefined ? {} : { options: wish.options }),
  };
}

export function reviewText(wish: ReviewWish = {}): string {
  const request = reviewFields(wish);
  return `${JSON.stringify({ kind: 'AdmissionReview', apiVersion: 'admission.k8s.io/v1', request })}\n`;
}

export function evictionWish(deleteOptions?: Json, more: Partial<ReviewWish> = {}): ReviewWish {
  const object = {
    kind: 'Eviction',
    apiVersion: 'policy/v1',
    metadata: { name: more.name || 'web-0', namespace: more.namespace || 'shop' },
    ...(deleteOptions === undefined ? {} : { deleteOptions }),
  };
  return { operation: 'CREATE', subResource: 'eviction', object, ...more };
}

export function podObject(metadata: Json = {}, spec: Json = {}): Json {
  return {
    kind: 'Pod',
    apiVersion: 'v1',
    metadata: { name: 'web-0', namespace: 'shop', uid: 'uid-web-0', labels: { app: 'web' }, ...metadata },
    spec: { containers: [{ name: 'main', image: 'web:1', resources: { requests: { cpu: '1' } } }], ...spec },
    status: { phase: 'Running' },
  };
}
