import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { decodeMessage } from '../../packages/embedded-cluster/src/protobuf/decode.ts';
import { decodeProtobuf } from '../../packages/embedded-cluster/src/protobuf/protobuf.ts';
import { bytesOf, fieldOf, fieldsWith, textOf } from '../../packages/embedded-cluster/src/protobuf/wire-values.ts';
import { made, testCluster } from '../support/cluster.ts';
import type { Body, RequestOptions } from '../support/kube-http.ts';

const cluster = await testCluster();
afterAll(() => cluster.close());

const protobuf = 'application/vnd.kubernetes.protobuf';
const core = `/api/v1/namespaces/${cluster.namespace}`;
const apps = `/apis/apps/v1/namespaces/${cluster.namespace}`;

interface Raw {
  readonly code: number | undefined;
  readonly contentType: string | undefined;
  readonly bytes: Buffer;
}

async function raw(method: string, path: string, options: RequestOptions): Promise<Raw> {
  const response = await cluster.open(method, path, options);
  const chunks: Buffer[] = [];
  for await (const chunk of response as AsyncIterable<Buffer>) chunks.push(chunk);
  const contentType = response.headers['content-type'];
  return { code: response.statusCode, contentType, bytes: Buffer.concat(chunks) };
}

/** What the envelope of an answer holds. */
function content(bytes: Buffer): Buffer {
  return inside(bytes.subarray('k8s\0'.length), 2);
}

function inside(bytes: Buffer, number: number): Buffer {
  const field = fieldOf(bytes, number);
  if (!field) throw new Error(`there is no field ${number}`);
  return bytesOf(field);
}

const deployment = {
  metadata: { name: 'web', labels: { app: 'web' }, annotations: { note: 'über' } },
  spec: {
    replicas: 0,
    selector: { matchLabels: { app: 'web' } },
    strategy: { rollingUpdate: { maxSurge: '25%', maxUnavailable: 0 } },
    template: {
      metadata: { labels: { app: 'web' } },
      spec: {
        containers: [
          {
            name: 'web',
            image: 'web:1',
            resources: { requests: { cpu: '100m', memory: '1Gi' } },
            readinessProbe: { httpGet: { path: '/', port: 'http' }, periodSeconds: 3 },
            volumeMounts: [{ name: 'scratch', mountPath: '/tmp' }],
          },
        ],
        volumes: [{ name: 'scratch', emptyDir: {} }],
        tolerations: [{ key: 'a', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 0 }],
      },
    },
  },
};
const secret = { metadata: { name: 'key' }, type: 'Opaque', data: { binary: 'AAH/' } };
const budget = { metadata: { name: 'web' }, spec: { minAvailable: '50%', selector: { matchLabels: { app: 'web' } } } };
const budgets = `/apis/policy/v1/namespaces/${cluster.namespace}/poddisruptionbudgets`;

beforeAll(async () => {
  await made(cluster.request('POST', `${apps}/deployments`, { body: deployment }));
  await made(cluster.request('POST', `${core}/secrets`, { body: secret }));
  await made(cluster.request('POST', budgets, { body: budget }));
});

describe('an answer in protobuf', () => {
  it.each([
    ['a Deployment', `${apps}/deployments/web`],
    ['a Secret', `${core}/secrets/key`],
    ['a PodDisruptionBudget', `${budgets}/web`],
    ['a Namespace', `/api/v1/namespaces/${cluster.namespace}`],
    ['a ClusterRole', '/apis/rbac.authorization.k8s.io/v1/clusterroles/system:discovery'],
    ['a Scale', `${apps}/deployments/web/scale`],
  ])('says of %s what JSON says', async (_what, path) => {
    const inJson = await made(cluster.request('GET', path));
    const { code, contentType, bytes } = await raw('GET', path, { accept: protobuf });
    expect([code, contentType]).toEqual([200, protobuf]);
    expect(decodeProtobuf(bytes)).toEqual(inJson);
  });

  it('says of a CustomResourceDefinition what JSON says', async () => {
    await defineWidgets();
    const path = `${definitions}/${crd.metadata.name}`;
    const inJson = await made(cluster.request('GET', path));
    const { bytes } = await raw('GET', path, { accept: protobuf });
    expect(decodeProtobuf(bytes)).toEqual(inJson);
  });

  it('is given after a write, too, and read by those who write protobuf', async () => {
    const first = await raw('GET', `${core}/secrets/key`, { accept: protobuf });
    const options = { accept: protobuf, contentType: protobuf, body: first.bytes };
    const { code, bytes } = await raw('PUT', `${core}/secrets/key`, options);
    expect(code).toBe(200);
    expect(decodeProtobuf(bytes)).toEqual(await made(cluster.request('GET', `${core}/secrets/key`)));
  });

  it('may be a refusal', async () => {
    const { code, contentType, bytes } = await raw('GET', `${core}/secrets/none`, { accept: protobuf });
    expect([code, contentType]).toEqual([404, protobuf]);
    expect(decodeProtobuf(bytes)).toMatchObject({ kind: 'Status', code: 404, reason: 'NotFound' });
  });

  it('may be the answer to a question', async () => {
    const body = { spec: { resourceAttributes: { verb: 'get', resource: 'pods' } } };
    const path = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
    const { code, bytes } = await raw('POST', path, { accept: protobuf, body });
    expect(code).toBe(201);
    expect(decodeProtobuf(bytes)).toMatchObject({ kind: 'SelfSubjectAccessReview', status: { allowed: true } });
  });

  it('may be a list', async () => {
    const inJson = await made(cluster.request('GET', `${core}/secrets`));
    const { contentType, bytes } = await raw('GET', `${core}/secrets`, { accept: `${protobuf},application/json` });
    expect(contentType).toBe(protobuf);
    const metadata = decodeMessage('meta.v1.ListMeta', inside(content(bytes), 1));
    expect(metadata).toEqual({ resourceVersion: expect.any(String) });
    const items = [...fieldsWith(content(bytes), 2)].map((field) => decodeMessage('core.v1.Secret', bytesOf(field)));
    expect(items).toEqual(inJson.items);
  });

  it('is not given to those who wish JSON before it', async () => {
    const { contentType } = await raw('GET', `${core}/secrets/key`, { accept: `application/json,${protobuf}` });
    expect(contentType).toBe('application/json');
  });

  it('cannot be a table', async () => {
    const accept = `${protobuf};as=Table;v=v1;g=meta.k8s.io`;
    const { code, body } = await cluster.request('GET', `${core}/secrets`, { accept });
    expect(code).toBe(406);
    expect(body.message).toContain(
      'only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf',
    );
  });
});

const metadataOnly = `${protobuf};as=PartialObjectMetadata;g=meta.k8s.io;v=v1`;
const metadataLists = `${protobuf};as=PartialObjectMetadataList;g=meta.k8s.io;v=v1`;

describe('metadata in protobuf', () => {
  it('is what JSON says, and nothing else', async () => {
    const { metadata } = await made(cluster.request('GET', `${core}/secrets/key`));
    const { contentType, bytes } = await raw('GET', `${core}/secrets/key`, { accept: metadataOnly });
    expect(contentType).toContain(protobuf);
    const want = { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata };
    expect(decodeProtobuf(bytes)).toEqual(want);
  });

  it('may be a list', async () => {
    const { items } = await made(cluster.request('GET', `${core}/secrets`));
    const { bytes } = await raw('GET', `${core}/secrets`, { accept: metadataLists });
    const read = [...fieldsWith(content(bytes), 2)].map((field) =>
      decodeMessage('meta.v1.PartialObjectMetadata', bytesOf(field)),
    );
    expect(read).toEqual(items.map(({ metadata }) => ({ metadata })));
  });
});

interface FrameEvent {
  readonly type: string;
  readonly object: Body;
}

/** The first so many events of a watch that sends frames. */
async function framesOf(path: string, accept: string, count: number): Promise<FrameEvent[]> {
  const response = await cluster.open('GET', path, { accept });
  expect(response.headers['content-type']).toContain(protobuf);
  const events: FrameEvent[] = [];
  let bytes = Buffer.alloc(0);
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes = Buffer.concat([bytes, chunk]);
    for (let end = frameEnd(bytes); end !== undefined; end = frameEnd(bytes)) {
      events.push(readFrame(bytes.subarray(4, end)));
      bytes = bytes.subarray(end);
    }
    if (events.length >= count) break;
  }
  response.destroy();
  return events;
}

function frameEnd(bytes: Buffer): number | undefined {
  const end = bytes.length < 4 ? Number.POSITIVE_INFINITY : 4 + bytes.readUInt32BE(0);
  return bytes.length >= end ? end : undefined;
}

function readFrame(frame: Buffer): FrameEvent {
  const object = decodeProtobuf(inside(inside(frame, 2), 1)) as Body;
  return { type: textOf(fieldOf(frame, 1)), object };
}

describe('a watch in protobuf', () => {
  it('tells the state, its end, and what changes, in frames', async () => {
    const path = `/api/v1/namespaces/${await cluster.newNamespace()}/endpoints`;
    const a = await made(cluster.request('POST', path, { body: { metadata: { name: 'a' } } }));
    const wish = 'watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
    const reading = framesOf(`${path}?${wish}&timeoutSeconds=30`, protobuf, 3);
    await pause(500);
    const b = await made(cluster.request('POST', path, { body: { metadata: { name: 'b' } } }));
    const [first, bookmark, second] = await reading;
    expect(first).toEqual({ type: 'ADDED', object: a });
    expect(bookmark).toMatchObject({ type: 'BOOKMARK', object: { kind: 'Endpoints', apiVersion: 'v1' } });
    expect(bookmark?.object.metadata.annotations).toEqual({ 'k8s.io/initial-events-end': 'true' });
    expect(second).toEqual({ type: 'ADDED', object: b });
  });

  it('may tell metadata alone', async () => {
    const { metadata } = await made(cluster.request('GET', `${core}/secrets/key`));
    const path = `${core}/secrets?watch=true&timeoutSeconds=30&fieldSelector=metadata.name%3Dkey`;
    const [event] = await framesOf(path, metadataOnly, 1);
    const object = { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata };
    expect(event).toEqual({ type: 'ADDED', object });
  });
});

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const group = `${cluster.name('protobuf')}.example.com`;
const crd = {
  metadata: { name: `widgets.${group}` },
  spec: {
    group,
    scope: 'Namespaced',
    names: { plural: 'widgets', singular: 'widget', kind: 'Widget' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                properties: {
                  size: { type: 'number', default: 0, maximum: 3.5 },
                  labels: { type: 'object', additionalProperties: { type: 'string' } },
                  extra: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, default: { a: [1] } },
                },
              },
            },
          },
        },
      },
    ],
  },
};

let defined: Promise<void> | undefined;

function defineWidgets(): Promise<void> {
  defined ??= (async () => {
    cluster.cleanUp(`${definitions}/${crd.metadata.name}`);
    await made(cluster.request('POST', definitions, { body: crd }));
    const path = `/apis/${group}/v1/namespaces/${cluster.namespace}/widgets`;
    while ((await cluster.request('GET', path)).code !== 200) await pause(50);
  })();
  return defined;
}

describe('an object of a custom kind', () => {
  const widgets = `/apis/${group}/v1/namespaces/${cluster.namespace}/widgets`;

  it('has no protobuf, so that the next wish counts', async () => {
    await defineWidgets();
    const body = { apiVersion: `${group}/v1`, kind: 'Widget', metadata: { name: 'a' }, spec: {} };
    await made(cluster.request('POST', widgets, { body }));
    const either = await raw('GET', `${widgets}/a`, { accept: `${protobuf},application/json` });
    expect([either.code, either.contentType]).toEqual([200, 'application/json']);
    expect((await raw('GET', `${widgets}/a`, { accept: protobuf })).code).toBe(406);
  });

  it('has metadata that can be said in protobuf', async () => {
    const { metadata } = await made(cluster.request('GET', `${widgets}/a`));
    const { bytes } = await raw('GET', `${widgets}/a`, { accept: metadataOnly });
    expect(decodeProtobuf(bytes)).toMatchObject({ kind: 'PartialObjectMetadata', metadata });
  });
});
