import { afterAll, describe, expect, it } from 'vitest';
import { testCluster } from '../support/cluster.ts';

const cluster = await testCluster();
afterAll(() => cluster.close());

const aggregated = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

interface Resource {
  readonly name: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  readonly group?: string;
  readonly version?: string;
  readonly shortNames?: readonly string[];
}

async function resourcesAt(path: string): Promise<Map<string, Resource>> {
  const { body } = await cluster.request('GET', path);
  return new Map((body['resources'] as Resource[]).map((resource) => [resource.name, resource]));
}

describe('plain discovery', () => {
  it('names the version of the core group', async () => {
    const { code, body } = await cluster.request('GET', '/api');
    expect(code).toBe(200);
    expect(body).toMatchObject({ kind: 'APIVersions', versions: ['v1'] });
  });

  it('names groups with their versions and the preferred one', async () => {
    const { body } = await cluster.request('GET', '/apis');
    expect(body).toMatchObject({ kind: 'APIGroupList', apiVersion: 'v1' });
    const groups = body['groups'] as { name: string; preferredVersion: { groupVersion: string } }[];
    const preferred = new Map(groups.map((group) => [group.name, group.preferredVersion.groupVersion]));
    expect(preferred.get('apps')).toBe('apps/v1');
    expect(preferred.get('policy')).toBe('policy/v1');
    expect(preferred.get('autoscaling')).toBe('autoscaling/v2');
    expect(preferred.get('apiextensions.k8s.io')).toBe('apiextensions.k8s.io/v1');
  });

  it('names one group', async () => {
    const { body } = await cluster.request('GET', '/apis/policy');
    expect(body).toMatchObject({
      kind: 'APIGroup',
      apiVersion: 'v1',
      name: 'policy',
      versions: [{ groupVersion: 'policy/v1', version: 'v1' }],
    });
  });

  it('says what drains look for: evictions of pods are of group policy, version v1', async () => {
    const resources = await resourcesAt('/api/v1');
    expect(resources.get('pods/eviction')).toMatchObject({
      kind: 'Eviction',
      group: 'policy',
      version: 'v1',
      namespaced: true,
      verbs: ['create'],
    });
    expect(resources.get('pods')).toMatchObject({ kind: 'Pod', namespaced: true, shortNames: ['po'] });
    expect(resources.get('nodes')).toMatchObject({ namespaced: false });
  });

  it('has the subresources of workloads', async () => {
    const resources = await resourcesAt('/apis/apps/v1');
    expect(resources.get('deployments/scale')).toMatchObject({ kind: 'Scale', group: 'autoscaling', version: 'v1' });
    expect(resources.get('statefulsets/status')).toMatchObject({ verbs: ['get', 'patch', 'update'] });
  });

  it('does not find a group or a version that is not there', async () => {
    for (const path of ['/apis/none.example.com', '/apis/apps/v9', '/api/v9']) {
      expect((await cluster.request('GET', path)).code, path).toBe(404);
    }
  });
});

describe('aggregated discovery', () => {
  it('says everything in two answers, with the media type that was asked for', async () => {
    const core = await cluster.request('GET', '/api', { accept: aggregated });
    expect(core.headers['content-type']).toBe(aggregated);
    expect(core.body).toMatchObject({ kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2' });
    const groups = await cluster.request('GET', '/apis', { accept: aggregated });
    expect(groups.body.items.map(({ metadata }) => metadata.name)).toEqual(
      expect.arrayContaining(['apps', 'policy', 'batch', 'rbac.authorization.k8s.io']),
    );
  });

  it('tells subresources with their own kinds', async () => {
    const { body } = await cluster.request('GET', '/api', { accept: aggregated });
    const versions = body.items[0]?.['versions'] as { resources: { resource: string; subresources: unknown[] }[] }[];
    const pods = versions[0]?.resources.find(({ resource }) => resource === 'pods');
    expect(pods?.subresources).toContainEqual({
      subresource: 'eviction',
      responseKind: { group: 'policy', version: 'v1', kind: 'Eviction' },
      verbs: ['create'],
    });
  });

  it('gives plain answers to who can read nothing else', async () => {
    const accept = `${aggregated.replace('v2;', 'v9;')},application/json`;
    expect((await cluster.request('GET', '/apis', { accept })).body.kind).toBe('APIGroupList');
  });

  it('is not sent twice to who still has it', async () => {
    const first = await cluster.request('GET', '/apis', { accept: aggregated });
    const etag = first.headers.etag ?? '';
    expect(etag).not.toBe('');
    const again = await cluster.request('GET', '/apis', { accept: aggregated, headers: { 'if-none-match': etag } });
    expect(again.code).toBe(304);
  });
});

describe('other documents', () => {
  it('has a version', async () => {
    const { body } = await cluster.request('GET', '/version');
    expect(body['gitVersion']).toMatch(/^v1\.\d+\.\d+/);
  });

  it.each(['/healthz', '/livez', '/readyz'])('is well: %s', async (path) => {
    expect(await cluster.request('GET', path)).toMatchObject({ code: 200, text: 'ok' });
  });

  it.each(['healthz', 'livez', 'readyz'])('says what is well of %s, and is asked for one thing alone', async (path) => {
    const { text } = await cluster.request('GET', `/${path}?verbose`);
    expect(text).toContain('[+]ping ok\n');
    expect(text).toContain(`${path} check passed\n`);
    expect(await cluster.request('GET', `/${path}/ping`)).toMatchObject({ code: 200, text: 'ok' });
    expect(await cluster.request('GET', `/${path}/nonsense`)).toMatchObject({ code: 404 });
    expect((await cluster.request('GET', `/${path}?verbose&exclude=ping`)).text).toContain('[+]ping excluded: ok\n');
  });

  it('asks the parts of the control plane how they are, and says that this is deprecated', async () => {
    const { headers, body } = await cluster.request('GET', '/api/v1/componentstatuses');
    expect(body.kind).toBe('ComponentStatusList');
    const names = body.items.map(({ metadata }) => metadata.name);
    expect(names).toEqual(expect.arrayContaining(['controller-manager', 'scheduler']));
    expect(headers.warning).toContain('v1 ComponentStatus is deprecated in v1.19+');
    const one = await cluster.request('GET', '/api/v1/componentstatuses/scheduler');
    expect(one.body).toMatchObject({ kind: 'ComponentStatus', conditions: [{ type: 'Healthy' }] });
    const none = await cluster.request('GET', '/api/v1/componentstatuses/nonsense');
    expect(none.body).toMatchObject({ code: 404, reason: 'NotFound' });
    expect(none.body.message).toBe('componentstatus "nonsense" not found');
  });

  it('describes its schemas version by version', async () => {
    const { body } = await cluster.request('GET', '/openapi/v3');
    const paths = body['paths'] as Record<string, { serverRelativeURL: string }>;
    const policy = await cluster.request('GET', paths['apis/policy/v1']?.serverRelativeURL ?? '');
    const schemas = (policy.body['components'] as { schemas: Record<string, unknown> }).schemas;
    expect(schemas['io.k8s.api.policy.v1.PodDisruptionBudget']).toMatchObject({
      'x-kubernetes-group-version-kind': [{ group: 'policy', kind: 'PodDisruptionBudget', version: 'v1' }],
    });
  });

  it('lists its paths', async () => {
    const { body } = await cluster.request('GET', '/');
    expect(body['paths']).toEqual(expect.arrayContaining(['/api', '/apis', '/apis/apps/v1', '/version']));
  });

  it('does not find what is nowhere', async () => {
    const { code, text } = await cluster.request('GET', '/nowhere');
    expect(code).toBe(404);
    expect(text).toBe('404 page not found\n');
  });
});
