import { afterAll, describe, expect, it } from 'vitest';
import { made, testCluster } from '../support/cluster.ts';

const cluster = await testCluster();
afterAll(() => cluster.close());

const configMaps = `/api/v1/namespaces/${cluster.namespace}/configmaps`;
const pods = `/api/v1/namespaces/${cluster.namespace}/pods`;
const merge = 'application/merge-patch+json';

function configMap(name: string) {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { a: '1' } };
}

async function revision(): Promise<string> {
  return (await made(cluster.request('GET', configMaps))).metadata.resourceVersion;
}

describe('a dry run', () => {
  it('of a create answers as if, and stores nothing', async () => {
    const before = await revision();
    const answer = await cluster.request('POST', `${configMaps}?dryRun=All`, { body: configMap('dry') });
    expect(answer.code).toBe(201);
    expect(answer.body.metadata.uid).toMatch(/^[0-9a-f-]{36}$/);
    expect(answer.body.metadata.resourceVersion).toBeUndefined();
    expect((await cluster.request('GET', `${configMaps}/dry`)).code).toBe(404);
    if (cluster.embedded) expect(await revision()).toBe(before);
  });

  it('of a create of what is there is refused as the create would be', async () => {
    await made(cluster.request('POST', configMaps, { body: configMap('there') }));
    expect((await cluster.request('POST', `${configMaps}?dryRun=All`, { body: configMap('there') })).code).toBe(409);
  });

  it('of an update, a patch and an apply changes nothing', async () => {
    const before = await made(cluster.request('POST', configMaps, { body: configMap('stays') }));
    const path = `${configMaps}/stays?dryRun=All`;
    const put = await made(cluster.request('PUT', path, { body: { ...before, data: { b: '2' } } }));
    expect(put.data).toEqual({ b: '2' });
    const patched = await made(cluster.request('PATCH', path, { contentType: merge, body: { data: { c: '3' } } }));
    expect(patched.data).toEqual({ a: '1', c: '3' });
    const applied = await made(
      cluster.request('PATCH', `${path}&fieldManager=me`, {
        contentType: 'application/apply-patch+yaml',
        body: { ...configMap('stays'), data: { d: '4' } },
      }),
    );
    expect(applied.data).toEqual({ a: '1', d: '4' });
    expect((await cluster.request('GET', `${configMaps}/stays`)).body).toEqual(before);
  });

  it('of a delete deletes nothing, in the query as in the body', async () => {
    const before = await made(cluster.request('POST', configMaps, { body: configMap('lives') }));
    expect((await cluster.request('DELETE', `${configMaps}/lives?dryRun=All`)).code).toBe(200);
    expect((await cluster.request('DELETE', `${configMaps}/lives`, { body: { dryRun: ['All'] } })).code).toBe(200);
    expect((await cluster.request('DELETE', `${configMaps}?dryRun=All`)).code).toBe(200);
    expect((await cluster.request('GET', `${configMaps}/lives`)).body).toEqual(before);
  });

  it('knows no other kind of dryness', async () => {
    const answer = await cluster.request('POST', `${configMaps}?dryRun=Some`, { body: configMap('x') });
    expect(answer).toMatchObject({
      code: 422,
      body: {
        message:
          'CreateOptions.meta.k8s.io "" is invalid: dryRun: Unsupported value: ["Some"]: supported values: "All"',
      },
    });
  });
});

describe('field validation', () => {
  const unknown = { ...configMap('strict'), foo: 1, metadata: { name: 'strict', bar: 2 } };

  it('Strict refuses fields that the kind does not have', async () => {
    expect(await cluster.request('POST', `${configMaps}?fieldValidation=Strict`, { body: unknown })).toMatchObject({
      code: 400,
      body: {
        reason: 'BadRequest',
        message:
          'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: unknown field "metadata.bar", unknown field "foo"',
      },
    });
  });

  it.each(['', '?fieldValidation=Warn'])('warns of them and drops them: %s', async (query) => {
    const name = `warn${query.length}`;
    const answer = await cluster.request('POST', `${configMaps}${query}`, {
      body: { ...configMap(name), foo: 1 },
    });
    expect(answer.code).toBe(201);
    expect(answer.headers.warning).toBe('299 - "unknown field \\"foo\\""');
    expect(answer.body['foo']).toBeUndefined();
  });

  it('Ignore says nothing', async () => {
    const answer = await cluster.request('POST', `${configMaps}?fieldValidation=Ignore`, {
      body: { ...configMap('ignore'), foo: 1 },
    });
    expect(answer.code).toBe(201);
    expect(answer.headers.warning).toBeUndefined();
  });

  it('sees what was said twice', async () => {
    const body = '{"metadata":{"name":"twice"},"data":{"a":"1","a":"2"}}';
    const strict = await cluster.request('POST', `${configMaps}?fieldValidation=Strict`, { body });
    expect(strict.code).toBe(400);
    expect(strict.body.message).toContain('strict decoding error: duplicate field "data.a"');
    const warned = await cluster.request('POST', configMaps, { body });
    expect(warned).toMatchObject({ code: 201, body: { data: { a: '2' } } });
    expect(warned.headers.warning).toBe('299 - "duplicate field \\"data.a\\""');
  });

  it('holds for patches', async () => {
    await made(cluster.request('POST', configMaps, { body: configMap('patched') }));
    const answer = await cluster.request('PATCH', `${configMaps}/patched?fieldValidation=Strict`, {
      contentType: merge,
      body: { foo: 1 },
    });
    expect(answer.code).toBe(422);
    expect(answer.body.message).toContain('unknown field "foo"');
  });

  it('looks into lists', async () => {
    const body = {
      metadata: { name: 'deep' },
      spec: { containers: [{ name: 'c', image: 'i', imagePull: 'x', ports: [{ containerPort: 1, nope: 2 }] }] },
    };
    const { message } = (await cluster.request('POST', `${pods}?fieldValidation=Strict`, { body })).body;
    expect(message).toContain('unknown field "spec.containers[0].imagePull"');
    expect(message).toContain('unknown field "spec.containers[0].ports[0].nope"');
  });

  it('knows three ways', async () => {
    const answer = await cluster.request('POST', `${configMaps}?fieldValidation=Maybe`, { body: configMap('x') });
    expect(answer.code).toBe(422);
    expect(answer.body.message).toContain('fieldValidation: Unsupported value: "Maybe"');
  });
});

describe('field managers', () => {
  it('are named by the query, else by the program', async () => {
    const named = await made(cluster.request('POST', `${configMaps}?fieldManager=me`, { body: configMap('managed') }));
    expect(named.metadata.managedFields).toMatchObject([
      { manager: 'me', operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1' },
    ]);
    expect(named.metadata.managedFields[0]?.fieldsV1).toEqual({ 'f:data': { '.': {}, 'f:a': {} } });
    const unnamed = await made(cluster.request('POST', configMaps, { body: configMap('unmanaged') }));
    expect(unnamed.metadata.managedFields).toMatchObject([{ manager: 'conformance', operation: 'Update' }]);
  });

  it('have short names that can be read', async () => {
    const long = await cluster.request('POST', `${configMaps}?fieldManager=${'x'.repeat(129)}`, {
      body: configMap('x'),
    });
    expect(long).toMatchObject({ code: 422 });
    expect(long.body.message).toContain('fieldManager: Too long: may not be more than 128 bytes');
    const strange = await cluster.request('POST', `${configMaps}?fieldManager=a%01`, { body: configMap('x') });
    expect(strange.body.message).toContain('invalid character U+0001 (at position 1)');
  });
});
