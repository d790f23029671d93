import { afterAll, describe, expect, it } from 'vitest';
import { made, testCluster } from '../support/cluster.ts';
import { minorOf } from '../support/server-version.ts';

const cluster = await testCluster();
afterAll(() => cluster.close());
const minor = await minorOf(cluster);

const configMaps = `/api/v1/namespaces/${cluster.namespace}/configmaps`;

function configMap(name: string, more: object = {}) {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { a: '1' }, ...more };
}

function named(name: string, metadata: object) {
  return configMap(name, { metadata: { name, ...metadata } });
}

describe('a new object', () => {
  it('gets an identity and keeps what its author said', async () => {
    const { code, body } = await cluster.request('POST', configMaps, { body: named('new', { labels: { app: 'x' } }) });
    expect(code).toBe(201);
    expect(body).toMatchObject({ kind: 'ConfigMap', apiVersion: 'v1', data: { a: '1' } });
    expect(body.metadata).toMatchObject({ name: 'new', namespace: cluster.namespace, labels: { app: 'x' } });
    expect(body.metadata.uid).toMatch(/^[0-9a-f-]{36}$/);
    expect(body.metadata.creationTimestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    expect(Number(body.metadata.resourceVersion)).toBeGreaterThan(0);
    expect((await cluster.request('GET', `${configMaps}/new`)).body).toEqual(body);
  });

  it('may leave its kind and its namespace to the path', async () => {
    const body = await made(cluster.request('POST', configMaps, { body: { metadata: { name: 'bare' } } }));
    expect(body).toMatchObject({ kind: 'ConfigMap', metadata: { namespace: cluster.namespace } });
  });

  it('may come as YAML', async () => {
    const text = 'kind: ConfigMap\napiVersion: v1\nmetadata:\n  name: yaml\ndata: {a: "1"}\n';
    const answer = await cluster.request('POST', configMaps, { body: text, contentType: 'application/yaml' });
    expect(answer).toMatchObject({ code: 201, body: { data: { a: '1' } } });
  });

  it('gets a name from a prefix', async () => {
    const first = await made(cluster.request('POST', configMaps, { body: { metadata: { generateName: 'gen-' } } }));
    const second = await made(cluster.request('POST', configMaps, { body: { metadata: { generateName: 'gen-' } } }));
    expect(first.metadata.name).toMatch(/^gen-[a-z0-9]{5}$/);
    expect(second.metadata.name).not.toBe(first.metadata.name);
    const long = { metadata: { generateName: `${'x'.repeat(200)}` } };
    expect((await made(cluster.request('POST', configMaps, { body: long }))).metadata.name).toHaveLength(63);
  });

  it('cannot choose what is for the server to say', async () => {
    const wishes = {
      uid: 'mine',
      creationTimestamp: '2020-01-01T00:00:00Z',
      deletionTimestamp: '2020-01-01T00:00:00Z',
    };
    const { metadata } = await made(cluster.request('POST', configMaps, { body: named('wishes', wishes) }));
    expect(metadata.uid).not.toBe('mine');
    expect(metadata.creationTimestamp).not.toBe('2020-01-01T00:00:00Z');
    expect(metadata.deletionTimestamp).toBeUndefined();
  });

  it('has each owner once', async () => {
    const owner = { apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'u', controller: true };
    const body = named('owned', { ownerReferences: [owner, owner] });
    const answer = await cluster.request('POST', configMaps, { body });
    expect(answer.code).toBe(201);
    expect(answer.body.metadata['ownerReferences']).toEqual([owner]);
    expect(answer.headers.warning).toContain('.metadata.ownerReferences contains duplicate entries');
  });

  it('is refused when the name is taken', async () => {
    await made(cluster.request('POST', configMaps, { body: configMap('taken') }));
    expect(await cluster.request('POST', configMaps, { body: configMap('taken') })).toMatchObject({
      code: 409,
      body: {
        kind: 'Status',
        status: 'Failure',
        reason: 'AlreadyExists',
        message: 'configmaps "taken" already exists',
        details: { name: 'taken', kind: 'configmaps' },
      },
    });
  });

  it('needs a namespace that is there', async () => {
    const path = `/api/v1/namespaces/${cluster.name('none')}/configmaps`;
    expect(await cluster.request('POST', path, { body: configMap('a') })).toMatchObject({
      code: 404,
      body: { reason: 'NotFound', message: `namespaces "${cluster.name('none')}" not found` },
    });
  });

  const refused: [string, object, number, string][] = [
    ['no name', { metadata: {} }, 422, 'metadata.name: Required value: name or generateName is required'],
    [
      'a name that is none',
      { metadata: { name: 'Bad_Name' } },
      422,
      'metadata.name: Invalid value: "Bad_Name": a lowercase RFC 1123 subdomain must consist of',
    ],
    [
      'another namespace than the path says',
      { metadata: { name: 'x', namespace: 'other' } },
      400,
      'the namespace of the provided object does not match the namespace sent on the request',
    ],
    [
      'a version',
      { metadata: { name: 'x', resourceVersion: '3' } },
      500,
      'resourceVersion should not be set on objects to be created',
    ],
    [
      'a label key with a space',
      { metadata: { name: 'x', labels: { 'a b': 'x' } } },
      422,
      'metadata.labels: Invalid value: "a b": name part must consist of alphanumeric characters',
    ],
    [
      'a label value with a space',
      { metadata: { name: 'x', labels: { a: 'b c' } } },
      422,
      'metadata.labels: Invalid value: "b c": a valid label must be an empty string or consist of',
    ],
    [
      'annotations of more than 256 KiB',
      { metadata: { name: 'x', annotations: { big: 'x'.repeat(300_000) } } },
      422,
      'metadata.annotations: Too long: may not be more than 262144 bytes',
    ],
    [
      'a finalizer without a domain',
      { metadata: { name: 'x', finalizers: ['nodomain'] } },
      422,
      'metadata.finalizers[0]: Invalid value: "nodomain": name is neither a standard finalizer name nor is it fully qualified',
    ],
    [
      'an owner without a uid',
      { metadata: { name: 'x', ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'p' }] } },
      422,
      minor < 37
        ? 'metadata.ownerReferences.uid: Invalid value: "": must not be empty'
        : 'metadata.ownerReferences[0].uid: Required value: must not be empty',
    ],
    [
      'two controllers',
      {
        metadata: {
          name: 'x',
          ownerReferences: [
            { apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'u', controller: true },
            { apiVersion: 'v1', kind: 'Pod', name: 'q', uid: 'v', controller: true },
          ],
        },
      },
      422,
      'Only one reference can have Controller set to true',
    ],
    ['labels of a wrong type', { metadata: { name: 'x', labels: { a: 3 } } }, 400, 'cannot unmarshal number into Go'],
    [
      'a time that is none',
      { metadata: { name: 'x', creationTimestamp: 'yesterday' } },
      400,
      'parsing time "yesterday" as "2006-01-02T15:04:05Z07:00": cannot parse "yesterday" as "2006"',
    ],
    ['bytes that are none', { binaryData: { b: '%%%' } }, 400, 'illegal base64 data at input byte 0'],
    ['another kind', { kind: 'Pod', data: undefined }, 400, 'Pod in version "v1" cannot be handled as a ConfigMap'],
    ['another version', { apiVersion: 'v2' }, 400, 'ConfigMap in version "v2" cannot be handled as a ConfigMap'],
  ];
  it.each(refused)('is refused with %s', async (_what, change, code, message) => {
    const answer = await cluster.request('POST', configMaps, { body: { ...configMap('refused'), ...change } });
    expect(answer.code).toBe(code);
    expect(answer.body.kind).toBe('Status');
    expect(answer.body.message).toContain(message);
  });

  it('has its problems as causes, one for each field', async () => {
    const { body } = await cluster.request('POST', configMaps, {
      body: { metadata: { name: 'Bad_', labels: { 'a b': '' } } },
    });
    expect(body).toMatchObject({ reason: 'Invalid', code: 422, details: { kind: 'ConfigMap', name: 'Bad_' } });
    expect(body.details['causes']).toMatchObject([
      { reason: 'FieldValueInvalid', field: 'metadata.name' },
      { reason: 'FieldValueInvalid', field: 'metadata.labels' },
    ]);
  });
});

describe('reading', () => {
  it('says what it does not find', async () => {
    expect(await cluster.request('GET', `${configMaps}/nothing`)).toMatchObject({
      code: 404,
      body: {
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Failure',
        message: 'configmaps "nothing" not found',
        reason: 'NotFound',
        details: { name: 'nothing', kind: 'configmaps' },
        code: 404,
      },
    });
  });

  it('gives YAML to who wants it', async () => {
    await made(cluster.request('POST', configMaps, { body: configMap('as-yaml') }));
    const { headers, text } = await cluster.request('GET', `${configMaps}/as-yaml`, { accept: 'application/yaml' });
    expect(headers['content-type']).toBe('application/yaml');
    expect(text).toContain('  name: as-yaml\n');
    expect(text).toMatch(/ {2}creationTimestamp: "\d{4}-/);
  });

  it('gives metadata alone to who wants no more', async () => {
    await made(cluster.request('POST', configMaps, { body: configMap('meta-only') }));
    const accept = 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io';
    const { body } = await cluster.request('GET', `${configMaps}/meta-only`, { accept });
    expect(body).toMatchObject({
      kind: 'PartialObjectMetadata',
      apiVersion: 'meta.k8s.io/v1',
      metadata: { name: 'meta-only' },
    });
    expect(body.data).toBeUndefined();
  });

  it('refuses who can read nothing that it writes', async () => {
    const { code, body } = await cluster.request('GET', configMaps, { accept: 'text/html' });
    expect(code).toBe(406);
    expect(body.reason).toBe('NotAcceptable');
  });
});

describe('an update', () => {
  it('replaces the object and moves its version on', async () => {
    const before = await made(cluster.request('POST', configMaps, { body: configMap('put') }));
    const after = await made(cluster.request('PUT', `${configMaps}/put`, { body: { ...before, data: { b: '2' } } }));
    expect(after.data).toEqual({ b: '2' });
    expect(after.metadata.uid).toBe(before.metadata.uid);
    expect(Number(after.metadata.resourceVersion)).toBeGreaterThan(Number(before.metadata.resourceVersion));
  });

  it('that changes nothing writes nothing', async () => {
    const before = await made(cluster.request('POST', configMaps, { body: configMap('same') }));
    const after = await made(cluster.request('PUT', `${configMaps}/same`, { body: before }));
    expect(after.metadata.resourceVersion).toBe(before.metadata.resourceVersion);
  });

  it('of an older version is refused', async () => {
    const before = await made(cluster.request('POST', configMaps, { body: configMap('stale') }));
    await made(cluster.request('PUT', `${configMaps}/stale`, { body: { ...before, data: { b: '2' } } }));
    const answer = await cluster.request('PUT', `${configMaps}/stale`, { body: { ...before, data: { c: '3' } } });
    expect(answer).toMatchObject({
      code: 409,
      body: {
        reason: 'Conflict',
        message:
          'Operation cannot be fulfilled on configmaps "stale": the object has been modified; please apply your changes to the latest version and try again',
        details: { name: 'stale', kind: 'configmaps' },
      },
    });
  });

  it('without a version replaces whatever is there', async () => {
    await made(cluster.request('POST', configMaps, { body: configMap('blind') }));
    expect((await cluster.request('PUT', `${configMaps}/blind`, { body: configMap('blind') })).code).toBe(200);
  });

  it('of an object that is meanwhile another one is refused', async () => {
    await made(cluster.request('POST', configMaps, { body: configMap('other-uid') }));
    const body = named('other-uid', { uid: '00000000-0000-0000-0000-000000000000' });
    const answer = await cluster.request('PUT', `${configMaps}/other-uid`, { body });
    expect(answer.code).toBe(409);
    expect(answer.body.message).toContain('Precondition failed: UID in precondition: 00000000-');
  });

  it('does not create', async () => {
    const answer = await cluster.request('PUT', `${configMaps}/absent`, { body: configMap('absent') });
    expect(answer).toMatchObject({ code: 404, body: { message: 'configmaps "absent" not found' } });
  });

  it('creates a lease, whose kind allows it', async () => {
    const path = `/apis/coordination.k8s.io/v1/namespaces/${cluster.namespace}/leases/by-put`;
    expect((await cluster.request('PUT', path, { body: { metadata: { name: 'by-put' }, spec: {} } })).code).toBe(201);
  });

  const refused: [string, object, string][] = [
    ['another name', { name: 'b' }, 'the name of the object (b) does not match the name on the URL (a)'],
    ['no name', {}, 'the name of the object (a based on URL) was undeterminable: name must be provided'],
    [
      'another namespace',
      { name: 'a', namespace: 'o' },
      'the namespace of the provided object does not match the namespace sent on the request',
    ],
  ];
  it.each(refused)('is refused with %s', async (_what, metadata, message) => {
    const answer = await cluster.request('PUT', `${configMaps}/a`, { body: configMap('a', { metadata }) });
    expect(answer).toMatchObject({ code: 400, body: { reason: 'BadRequest', message } });
  });

  it('leaves what was declared immutable as it is', async () => {
    const path = `${configMaps}/frozen`;
    await made(cluster.request('POST', configMaps, { body: configMap('frozen', { immutable: true }) }));
    const thawed = await cluster.request('PUT', path, { body: configMap('frozen') });
    expect(thawed).toMatchObject({ code: 422, body: { reason: 'Invalid' } });
    expect(thawed.body.message).toContain('immutable: Forbidden: field is immutable when `immutable` is set');
  });
});

describe('methods that a path does not have', () => {
  const cases: [string, string][] = [
    ['PUT', configMaps],
    ['PATCH', configMaps],
    ['POST', `${configMaps}/a`],
    ['DELETE', '/api/v1/configmaps'],
    ['POST', '/api/v1/configmaps'],
    ['DELETE', '/api/v1/namespaces'],
    ['POST', '/version'],
  ];
  it.each(cases)('%s %s', async (method, path) => {
    expect(await cluster.request(method, path, { body: configMap('a') })).toMatchObject({
      code: 405,
      body: {
        reason: 'MethodNotAllowed',
        message: 'the server does not allow this method on the requested resource',
        details: {},
      },
    });
  });
});

describe('generations', () => {
  const deployment = {
    metadata: { name: 'counted' },
    spec: {
      selector: { matchLabels: { a: 'b' } },
      template: {
        metadata: { labels: { a: 'b' } },
        spec: { containers: [{ name: 'c', image: 'i' }] },
      },
    },
  };
  const path = `/apis/apps/v1/namespaces/${cluster.namespace}/deployments`;

  it('count specifications, not metadata', async () => {
    const created = await made(cluster.request('POST', path, { body: deployment }));
    expect(created.metadata.generation).toBe(1);
    const merge = { contentType: 'application/merge-patch+json' };
    const labelled = await made(
      cluster.request('PATCH', `${path}/counted`, { ...merge, body: { metadata: { labels: { x: 'y' } } } }),
    );
    expect(labelled.metadata.generation).toBe(1);
    const scaled = await made(
      cluster.request('PATCH', `${path}/counted`, { ...merge, body: { spec: { replicas: 3 } } }),
    );
    expect(scaled.metadata.generation).toBe(2);
  });
});
