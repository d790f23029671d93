import { afterAll, describe, expect, it } from 'vitest';
import { made, testCluster } from '../support/cluster.ts';

const cluster = await testCluster();
afterAll(() => cluster.close());

const configMaps = `/api/v1/namespaces/${cluster.namespace}/configmaps`;
const deployments = `/apis/apps/v1/namespaces/${cluster.namespace}/deployments`;
const json = 'application/json-patch+json';
const merge = 'application/merge-patch+json';
const strategic = 'application/strategic-merge-patch+json';
const apply = 'application/apply-patch+yaml';

function configMap(name: string, data: Record<string, string> = { a: '1' }) {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data };
}

function deployment(name: string) {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name },
    spec: {
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name } },
        spec: { containers: [{ name: 'c', image: 'i', env: [{ name: 'X', value: '1' }] }] },
      },
    },
  };
}

async function there(name: string): Promise<string> {
  await made(cluster.request('POST', configMaps, { body: configMap(name) }));
  return `${configMaps}/${name}`;
}

describe('a JSON patch', () => {
  it('does one thing after another', async () => {
    const path = await there('json');
    const body = [
      { op: 'test', path: '/data/a', value: '1' },
      { op: 'add', path: '/data/b', value: 'x' },
      { op: 'copy', from: '/data/b', path: '/data/c' },
      { op: 'move', from: '/data/b', path: '/data/d' },
      { op: 'replace', path: '/data/a', value: '2' },
    ];
    expect((await made(cluster.request('PATCH', path, { contentType: json, body }))).data).toEqual({
      a: '2',
      c: 'x',
      d: 'x',
    });
  });

  const refused: [string, unknown, number][] = [
    ['a test that fails', [{ op: 'test', path: '/data/a', value: '2' }], 422],
    ['nothing to remove', [{ op: 'remove', path: '/data/zz' }], 422],
    ['an unknown operation', [{ op: 'foo', path: '/data/zz' }], 422],
    ['a value of the wrong type', [{ op: 'replace', path: '/data', value: 3 }], 422],
    ['something else than a list', {}, 400],
    ['something unreadable', '[{"op"', 400],
  ];
  it.each(refused)('is refused with %s', async (what, body, code) => {
    const path = await there(`json-${what.replaceAll(' ', '-')}`);
    expect((await cluster.request('PATCH', path, { contentType: json, body })).code).toBe(code);
    expect((await made(cluster.request('GET', path))).data).toEqual({ a: '1' });
  });
});

describe('a merge patch', () => {
  it('merges maps, removes what is null and replaces the rest', async () => {
    const path = await there('merge');
    const body = { data: { a: null, b: '2' }, metadata: { labels: { x: 'y' } } };
    const patched = await made(cluster.request('PATCH', path, { contentType: merge, body }));
    expect(patched).toMatchObject({ data: { b: '2' }, metadata: { labels: { x: 'y' } } });
  });

  it('that changes nothing writes nothing', async () => {
    const path = await there('merge-nothing');
    const before = await made(cluster.request('GET', path));
    const after = await made(cluster.request('PATCH', path, { contentType: merge, body: { data: { a: '1' } } }));
    expect(after.metadata.resourceVersion).toBe(before.metadata.resourceVersion);
  });

  it('with a version is for that version alone', async () => {
    const path = await there('merge-version');
    const body = { metadata: { resourceVersion: '1' }, data: { b: '2' } };
    expect(await cluster.request('PATCH', path, { contentType: merge, body })).toMatchObject({
      code: 409,
      body: { reason: 'Conflict' },
    });
  });

  const refused: [string, object, number, string][] = [
    ['another name', { metadata: { name: 'b' } }, 400, 'the name of the object (b) does not match the name on the URL'],
    ['another uid', { metadata: { uid: 'b' } }, 422, 'metadata.uid: Invalid value: "b": field is immutable'],
    ['another namespace', { metadata: { namespace: 'b' } }, 400, 'the namespace of the provided object does not match'],
    ['a wrong type', { data: 'x' }, 422, 'patch: Invalid value'],
    ['another kind', { kind: 'Secret' }, 422, 'patch: Invalid value'],
  ];
  it.each(refused)('is refused with %s', async (what, body, code, message) => {
    const path = await there(`merge-${what.replaceAll(' ', '-')}`);
    const answer = await cluster.request('PATCH', path, { contentType: merge, body });
    expect(answer.code).toBe(code);
    expect(answer.body.message).toContain(message);
  });

  it('is not forced, and needs an object', async () => {
    const path = await there('merge-forced');
    const forced = await cluster.request('PATCH', `${path}?force=true`, { contentType: merge, body: {} });
    expect(forced).toMatchObject({
      code: 422,
      body: {
        message: 'PatchOptions.meta.k8s.io "" is invalid: force: Forbidden: may not be specified for non-apply patch',
      },
    });
    expect((await cluster.request('PATCH', `${configMaps}/none`, { contentType: merge, body: {} })).code).toBe(404);
    expect((await cluster.request('PATCH', path, { contentType: 'text/plain', body: '{}' })).code).toBe(415);
  });
});

describe('a strategic merge patch', () => {
  const patchOf = (spec: object) => ({ spec: { template: { spec } } });
  const containersOf = (body: { spec: Record<string, unknown> }) =>
    (body.spec as unknown as { template: { spec: { containers: { name: string; env?: object[] }[] } } }).template.spec
      .containers;

  it('merges lists by their keys', async () => {
    await made(cluster.request('POST', deployments, { body: deployment('strategic') }));
    const path = `${deployments}/strategic`;
    const added = await made(
      cluster.request('PATCH', path, {
        contentType: strategic,
        body: patchOf({
          containers: [
            { name: 'c', env: [{ name: 'Y', value: '2' }] },
            { name: 'd', image: 'j' },
          ],
        }),
      }),
    );
    const byName = new Map(containersOf(added).map((container) => [container.name, container]));
    expect([...byName.keys()].sort()).toEqual(['c', 'd']);
    expect(byName.get('c')?.env).toEqual(
      expect.arrayContaining([
        { name: 'X', value: '1' },
        { name: 'Y', value: '2' },
      ]),
    );
    const removed = await made(
      cluster.request('PATCH', path, {
        contentType: strategic,
        body: patchOf({ containers: [{ name: 'd', $patch: 'delete' }] }),
      }),
    );
    expect(containersOf(removed).map(({ name }) => name)).toEqual(['c']);
    const replaced = await made(
      cluster.request('PATCH', path, {
        contentType: strategic,
        body: patchOf({ containers: [{ $patch: 'replace' }, { name: 'e', image: 'k' }] }),
      }),
    );
    expect(containersOf(replaced).map(({ name }) => name)).toEqual(['e']);
  });

  it('keeps only the keys that it says', async () => {
    await made(cluster.request('POST', deployments, { body: deployment('retain') }));
    const body = { spec: { strategy: { $retainKeys: ['type'], type: 'Recreate' } } };
    const patched = await made(cluster.request('PATCH', `${deployments}/retain`, { contentType: strategic, body }));
    expect(patched.spec['strategy']).toEqual({ type: 'Recreate' });
  });
});

describe('server-side apply', () => {
  const at = (name: string, query: string) => `${configMaps}/${name}?${query}`;
  const applied = (name: string, query: string, data: Record<string, string>) =>
    cluster.request('PATCH', at(name, query), { contentType: apply, body: configMap(name, data) });

  it('creates, and then changes nothing', async () => {
    const created = await applied('applied', 'fieldManager=one', { a: '1' });
    expect(created.code).toBe(201);
    expect(created.body.metadata.managedFields).toMatchObject([
      { manager: 'one', operation: 'Apply', apiVersion: 'v1', fieldsV1: { 'f:data': { 'f:a': {} } } },
    ]);
    const again = await applied('applied', 'fieldManager=one', { a: '1' });
    expect(again.code).toBe(200);
    expect(again.body.metadata.resourceVersion).toBe(created.body.metadata.resourceVersion);
  });

  it('refuses to take what another manager owns, and says whose it is', async () => {
    await made(applied('conflict', 'fieldManager=one', { a: '1' }));
    const answer = await applied('conflict', 'fieldManager=two', { a: '2' });
    expect(answer).toMatchObject({
      code: 409,
      body: {
        reason: 'Conflict',
        message: 'Apply failed with 1 conflict: conflict with "one": .data.a',
        details: { causes: [{ reason: 'FieldManagerConflict', message: 'conflict with "one"', field: '.data.a' }] },
      },
    });
  });

  it('takes it by force, shares what is the same, and removes what no manager applies any more', async () => {
    await made(applied('force', 'fieldManager=one', { a: '1', b: '1' }));
    const forced = await made(applied('force', 'fieldManager=two&force=true', { a: '2' }));
    expect(forced.data).toEqual({ a: '2', b: '1' });
    const shared = await made(applied('force', 'fieldManager=three', { a: '2' }));
    expect(shared.data).toEqual({ a: '2', b: '1' });
    const dropped = await made(applied('force', 'fieldManager=one', {}));
    expect(dropped.data).toEqual({ a: '2' });
    await made(applied('force', 'fieldManager=two', {}));
    expect((await made(cluster.request('GET', `${configMaps}/force`))).data).toEqual({ a: '2' });
    expect((await made(applied('force', 'fieldManager=three', {}))).data ?? {}).toEqual({});
  });

  it('knows the owners of updates, too', async () => {
    await made(applied('update', 'fieldManager=one', { a: '1' }));
    const body = { data: { a: '2' } };
    await made(cluster.request('PATCH', at('update', 'fieldManager=editor'), { contentType: merge, body }));
    const answer = await applied('update', 'fieldManager=one', { a: '1' });
    expect(answer.code).toBe(409);
    expect(answer.body.message).toMatch(/^Apply failed with 1 conflict: conflict with "editor" using v1.*: \.data\.a$/);
  });

  it('owns items of lists by their keys', async () => {
    const created = await made(
      cluster.request('PATCH', `${deployments}/owned?fieldManager=one`, {
        contentType: apply,
        body: deployment('owned'),
      }),
    );
    expect(created.metadata.managedFields[0]?.fieldsV1).toMatchObject({
      'f:spec': {
        'f:template': { 'f:spec': { 'f:containers': { 'k:{"name":"c"}': { 'f:image': {}, 'f:name': {} } } } },
      },
    });
    const sidecar = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'owned' },
      spec: { template: { spec: { containers: [{ name: 'sidecar', image: 's' }] } } },
    };
    const both = await made(
      cluster.request('PATCH', `${deployments}/owned?fieldManager=two`, { contentType: apply, body: sidecar }),
    );
    expect(JSON.stringify(both.spec)).toContain('"sidecar"');
    const rest = { ...sidecar, spec: {} };
    const without = await made(
      cluster.request('PATCH', `${deployments}/owned?fieldManager=two`, { contentType: apply, body: rest }),
    );
    expect(JSON.stringify(without.spec)).not.toContain('"sidecar"');
  });

  it('keeps status and specification apart', async () => {
    await made(cluster.request('POST', deployments, { body: deployment('parts') }));
    const body = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'parts' },
      spec: { replicas: 9 },
      status: { replicas: 2 },
    };
    const path = `${deployments}/parts/status?fieldManager=controller`;
    const after = await made(cluster.request('PATCH', path, { contentType: apply, body }));
    expect(after.status).toMatchObject({ replicas: 2 });
    expect(after.spec['replicas']).toBe(1);
    const entry = after.metadata.managedFields.find(({ manager }) => manager === 'controller');
    expect(entry).toMatchObject({ subresource: 'status', fieldsV1: { 'f:status': { 'f:replicas': {} } } });
    expect(entry?.fieldsV1['f:spec']).toBeUndefined();
  });

  const refused: [string, string, object, number, string][] = [
    ['no manager', '', {}, 422, 'fieldManager: Required value: is required for apply patch'],
    ['no kind', 'fieldManager=m', { kind: undefined, apiVersion: undefined }, 400, 'invalid object type'],
    ['no name', 'fieldManager=m', { metadata: {} }, 400, 'was undeterminable: name must be provided'],
    [
      'managed fields',
      'fieldManager=m',
      { metadata: { name: 'refused', managedFields: [{}] } },
      400,
      'metadata.managedFields must be nil',
    ],
    ['unknown fields', 'fieldManager=m', { foo: 1 }, 500, '.foo: field not declared in schema'],
    ['a uid of nothing', 'fieldManager=m', { metadata: { name: 'refused', uid: 'u' } }, 409, 'uid mismatch'],
  ];
  it.each(refused)('is refused with %s', async (_what, query, change, code, message) => {
    const body = { ...configMap('refused'), ...change };
    const answer = await cluster.request('PATCH', at('refused', query), { contentType: apply, body });
    expect(answer.code).toBe(code);
    expect(answer.body.message).toContain(message);
  });
});

describe('managed fields of a create', () => {
  it('name what was said and what was defaulted, and no structure that is always there', async () => {
    const created = await made(
      cluster.request('POST', `${deployments}?fieldManager=me`, { body: deployment('created') }),
    );
    expect(created.metadata.managedFields).toHaveLength(1);
    expect(created.metadata.managedFields[0]?.fieldsV1).toMatchObject({
      'f:spec': {
        'f:progressDeadlineSeconds': {},
        'f:replicas': {},
        'f:selector': {},
        'f:strategy': { 'f:rollingUpdate': { '.': {}, 'f:maxSurge': {} }, 'f:type': {} },
        'f:template': {
          'f:metadata': { 'f:labels': { '.': {}, 'f:app': {} } },
          'f:spec': { 'f:containers': { 'k:{"name":"c"}': { '.': {}, 'f:env': { '.': {} } } } },
        },
      },
    });
    const spec = created.metadata.managedFields[0]?.fieldsV1['f:spec'] as Record<string, object>;
    expect(spec).not.toHaveProperty(['.']);
    expect(spec['f:template']).not.toHaveProperty(['.']);
  });
});
