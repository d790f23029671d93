import { afterAll, describe, expect, it } from 'vitest';
import { made, testCluster } from '../support/cluster.ts';
import type { Body } from '../support/kube-http.ts';

const cluster = await testCluster();
afterAll(() => cluster.close());

const configMaps = `/api/v1/namespaces/${cluster.namespace}/configmaps`;
const pods = `/api/v1/namespaces/${cluster.namespace}/pods`;
const merge = 'application/merge-patch+json';

const create = (name: string, metadata: object = {}) =>
  made(cluster.request('POST', configMaps, { body: { metadata: { name, ...metadata } } }));

async function pod(name: string, spec: object = {}): Promise<Body> {
  const containers = [{ name: 'c', image: 'i' }];
  return made(cluster.request('POST', pods, { body: { metadata: { name }, spec: { containers, ...spec } } }));
}

describe('deleting', () => {
  it('answers with a status that names what is gone', async () => {
    const { metadata } = await create('gone');
    expect(await cluster.request('DELETE', `${configMaps}/gone`)).toMatchObject({
      code: 200,
      body: {
        kind: 'Status',
        apiVersion: 'v1',
        status: 'Success',
        details: { name: 'gone', kind: 'configmaps', uid: metadata.uid },
      },
    });
    expect((await cluster.request('GET', `${configMaps}/gone`)).code).toBe(404);
    expect(await cluster.request('DELETE', `${configMaps}/gone`)).toMatchObject({
      code: 404,
      body: { message: 'configmaps "gone" not found' },
    });
  });

  it('keeps to preconditions', async () => {
    const { metadata } = await create('conditions');
    const path = `${configMaps}/conditions`;
    const uid = await cluster.request('DELETE', path, { body: { preconditions: { uid: 'other' } } });
    expect(uid).toMatchObject({ code: 409, body: { reason: 'Conflict' } });
    expect(uid.body.message).toBe(
      `Operation cannot be fulfilled on ConfigMap "conditions": the UID in the precondition (other) does not match the UID in record (${metadata.uid}). The object might have been deleted and then recreated`,
    );
    const version = await cluster.request('DELETE', path, { body: { preconditions: { resourceVersion: '1' } } });
    expect(version.code).toBe(409);
    expect(version.body.message).toContain('the ResourceVersion in the precondition (1) does not match');
    const { uid: right, resourceVersion } = metadata;
    const done = await cluster.request('DELETE', path, { body: { preconditions: { uid: right, resourceVersion } } });
    expect(done.code).toBe(200);
  });

  const refused: [string, object, number, string][] = [
    ['an unknown policy', { propagationPolicy: 'Foo' }, 422, 'propagationPolicy: Unsupported value: "Foo"'],
    [
      'two policies',
      { propagationPolicy: 'Orphan', orphanDependents: true },
      422,
      'orphanDependents and deletionPropagation cannot be both set',
    ],
    ['another kind', { kind: 'Foo', apiVersion: 'v1' }, 400, 'Foo'],
    ['a grace that is no number', { gracePeriodSeconds: 'x' }, 400, 'gracePeriodSeconds'],
  ];
  it.each(refused)('is refused with %s', async (what, body, code, message) => {
    const name = what.replaceAll(' ', '-');
    await create(name);
    const answer = await cluster.request('DELETE', `${configMaps}/${name}`, { body });
    expect(answer.code).toBe(code);
    expect(answer.body.message).toContain(message);
    expect((await cluster.request('GET', `${configMaps}/${name}`)).code).toBe(200);
  });
});

describe('finalizers', () => {
  const finalizers = ['example.com/hold'];

  it('hold an object until the last of them goes', async () => {
    await create('held', { finalizers: ['example.com/hold', 'example.com/more'] });
    const path = `${configMaps}/held`;
    const answer = await cluster.request('DELETE', path);
    expect(answer).toMatchObject({ code: 200, body: { kind: 'ConfigMap' } });
    expect(answer.body.metadata['deletionGracePeriodSeconds']).toBe(0);
    const { deletionTimestamp } = answer.body.metadata;
    expect(deletionTimestamp).toMatch(/Z$/);
    const again = await made(cluster.request('DELETE', path));
    expect(again.metadata.deletionTimestamp).toBe(deletionTimestamp);
    await made(cluster.request('PATCH', path, { contentType: merge, body: { metadata: { finalizers } } }));
    expect((await cluster.request('GET', path)).code).toBe(200);
    await made(cluster.request('PATCH', path, { contentType: merge, body: { metadata: { finalizers: null } } }));
    expect((await cluster.request('GET', path)).code).toBe(404);
  });

  it('are told of in the metadata alone to who wants no more; a status stays a status', async () => {
    await create('held-meta', { finalizers });
    const path = `${configMaps}/held-meta`;
    const accept = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1, application/json';
    const { code, body } = await cluster.request('DELETE', path, { accept });
    expect({ code, kind: body.kind, finalizers: body.metadata.finalizers }).toEqual({
      code: 200,
      kind: 'PartialObjectMetadata',
      finalizers,
    });
    expect(body.metadata.deletionTimestamp).toMatch(/Z$/);
    await made(cluster.request('PATCH', path, { contentType: merge, body: { metadata: { finalizers: null } } }));
    await create('plain-meta');
    const gone = await cluster.request('DELETE', `${configMaps}/plain-meta`, { accept });
    expect(gone).toMatchObject({ code: 200, body: { kind: 'Status', status: 'Success' } });
    const missing = await cluster.request('DELETE', `${configMaps}/plain-meta`, { accept });
    expect(missing).toMatchObject({ code: 404, body: { kind: 'Status', reason: 'NotFound' } });
  });

  it('cannot be added once the object is going', async () => {
    await create('going', { finalizers });
    await made(cluster.request('DELETE', `${configMaps}/going`));
    const body = { metadata: { finalizers: [...finalizers, 'example.com/late'] } };
    const answer = await cluster.request('PATCH', `${configMaps}/going`, { contentType: merge, body });
    expect(answer.code).toBe(422);
    expect(answer.body.message).toContain(
      'metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"example.com/late"}',
    );
  });

  it('carry the propagation policy', async () => {
    await create('orphans');
    const orphan = await made(
      cluster.request('DELETE', `${configMaps}/orphans`, { body: { propagationPolicy: 'Orphan' } }),
    );
    expect(orphan.metadata.finalizers).toEqual(['orphan']);
    await create('foreground');
    const foreground = await made(cluster.request('DELETE', `${configMaps}/foreground?propagationPolicy=Foreground`));
    expect(foreground.metadata.finalizers).toEqual(['foregroundDeletion']);
  });
});

describe.skipIf(cluster.disturbed)('the grace of pods', () => {
  it('a pod that runs nowhere is gone at once', async () => {
    await pod('nowhere');
    expect((await cluster.request('DELETE', `${pods}/nowhere`)).body.kind).toBe('Pod');
    expect((await cluster.request('GET', `${pods}/nowhere`)).code).toBe(404);
  });

  it('a pod on a node gets its time, which only ever gets shorter', async () => {
    await pod('bound', { nodeName: cluster.name('node'), terminationGracePeriodSeconds: 50 });
    const path = `${pods}/bound`;
    const grace = async () => (await made(cluster.request('GET', path))).metadata['deletionGracePeriodSeconds'];
    const { metadata } = await made(cluster.request('DELETE', path));
    expect(metadata['deletionGracePeriodSeconds']).toBe(50);
    const due = Date.parse(metadata.deletionTimestamp) - Date.parse(metadata.creationTimestamp);
    expect(due).toBeGreaterThanOrEqual(49_000);
    await made(cluster.request('DELETE', `${path}?gracePeriodSeconds=60`));
    expect(await grace()).toBe(50);
    await made(cluster.request('DELETE', `${path}?gracePeriodSeconds=20`));
    expect(await grace()).toBe(20);
    await made(cluster.request('DELETE', `${path}?gracePeriodSeconds=0`));
    expect((await cluster.request('GET', path)).code).toBe(404);
  });

  it('a finished pod needs none', async () => {
    await pod('finished', { nodeName: cluster.name('node') });
    const body = { status: { phase: 'Succeeded' } };
    await made(cluster.request('PATCH', `${pods}/finished/status`, { contentType: merge, body }));
    await made(cluster.request('DELETE', `${pods}/finished`));
    expect((await cluster.request('GET', `${pods}/finished`)).code).toBe(404);
  });
});

describe('deleting a collection', () => {
  it('deletes what a selector selects, and answers with it', async () => {
    for (const name of ['x', 'y', 'z']) await create(`many-${name}`, { labels: { many: name === 'z' ? 'no' : 'yes' } });
    const answer = await cluster.request('DELETE', `${configMaps}?labelSelector=many%3Dyes`);
    expect(answer).toMatchObject({ code: 200, body: { kind: 'ConfigMapList' } });
    const left = await made(cluster.request('GET', `${configMaps}?labelSelector=many`));
    expect(left.items.map(({ metadata }) => metadata.name)).toEqual(['many-z']);
  });

  it('leaves what finalizers hold as terminating', async () => {
    await create('held-many', { labels: { held: 'yes' }, finalizers: ['example.com/hold'] });
    await made(cluster.request('DELETE', `${configMaps}?labelSelector=held`));
    const { metadata } = await made(cluster.request('GET', `${configMaps}/held-many`));
    expect(metadata.deletionTimestamp).toMatch(/Z$/);
  });
});

describe('namespaces', () => {
  it('that must stay cannot be deleted', async () => {
    expect(await cluster.request('DELETE', '/api/v1/namespaces/default')).toMatchObject({
      code: 403,
      body: { reason: 'Forbidden', message: 'namespaces "default" is forbidden: this namespace may not be deleted' },
    });
  });

  it('on their way out take nothing new', async () => {
    const namespace = await cluster.newNamespace();
    const answer = await cluster.request('DELETE', `/api/v1/namespaces/${namespace}`);
    expect(answer.body).toMatchObject({ kind: 'Namespace', status: { phase: 'Terminating' } });
    const late = await cluster.request('POST', `/api/v1/namespaces/${namespace}/configmaps`, {
      body: { metadata: { name: 'late' } },
    });
    expect(late).toMatchObject({
      code: 403,
      body: {
        message: `configmaps "late" is forbidden: unable to create new content in namespace ${namespace} because it is being terminated`,
        details: { causes: [{ reason: 'NamespaceTerminating', field: 'metadata.namespace' }] },
      },
    });
  });
});
