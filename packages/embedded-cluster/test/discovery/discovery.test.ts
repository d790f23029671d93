import { describe, expect, it } from 'vitest';
import { createDiscovery, type DocumentAnswer } from '../../src/discovery/discovery.ts';
import { createResourceTypes } from '../../src/kinds/resource-types.ts';
import { customType } from '../kinds/custom-type.ts';

const aggregated = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
const allVerbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];

function setup() {
  const types = createResourceTypes({ strategies: new Map(), cells: new Map() });
  return { types, discovery: createDiscovery(types, { serverAddress: '127.0.0.1:6443' }) };
}

function parsed(answer: DocumentAnswer | undefined) {
  return JSON.parse(String(answer?.body ?? 'null'));
}

function named<T extends { name: string }>(list: readonly T[], name: string): T | undefined {
  return list.find((of) => of.name === name);
}

describe('plain discovery', () => {
  const { discovery } = setup();

  it('tells the versions of the core group and where the server is', () => {
    expect(discovery.api('application/json')).toEqual({
      contentType: 'application/json',
      body: '{"kind":"APIVersions","versions":["v1"],"serverAddressByClientCIDRs":[{"clientCIDR":"0.0.0.0/0","serverAddress":"127.0.0.1:6443"}]}\n',
    });
  });

  it('lists the groups in the order of a real server, the core group not among them', () => {
    const { kind, apiVersion, groups } = parsed(discovery.apis(undefined));
    expect([kind, apiVersion]).toEqual(['APIGroupList', 'v1']);
    expect(groups.map(({ name }: { name: string }) => name)).toEqual([
      'apiregistration.k8s.io',
      'apps',
      'events.k8s.io',
      'authentication.k8s.io',
      'authorization.k8s.io',
      'autoscaling',
      'batch',
      'certificates.k8s.io',
      'networking.k8s.io',
      'policy',
      'rbac.authorization.k8s.io',
      'storage.k8s.io',
      'admissionregistration.k8s.io',
      'apiextensions.k8s.io',
      'scheduling.k8s.io',
      'coordination.k8s.io',
      'node.k8s.io',
      'discovery.k8s.io',
      'resource.k8s.io',
      'flowcontrol.apiserver.k8s.io',
      'storagemigration.k8s.io',
    ]);
  });

  it('prefers stable versions to beta and beta to alpha', () => {
    const { versions, preferredVersion } = parsed(discovery.group('scheduling.k8s.io'));
    expect(versions.map(({ version }: { version: string }) => version)).toEqual([
      'v1',
      'v1beta1',
      'v1alpha3',
      'v1alpha2',
      'v1alpha1',
    ]);
    expect(preferredVersion).toEqual({ groupVersion: 'scheduling.k8s.io/v1', version: 'v1' });
  });

  it('describes one group', () => {
    expect(parsed(discovery.group('policy'))).toEqual({
      kind: 'APIGroup',
      apiVersion: 'v1',
      name: 'policy',
      versions: [{ groupVersion: 'policy/v1', version: 'v1' }],
      preferredVersion: { groupVersion: 'policy/v1', version: 'v1' },
    });
  });

  it('describes the resources of one version exactly as a real server does', () => {
    expect(discovery.version('policy', 'v1')?.body).toBe(
      `${JSON.stringify({
        kind: 'APIResourceList',
        apiVersion: 'v1',
        groupVersion: 'policy/v1',
        resources: [
          {
            name: 'poddisruptionbudgets',
            singularName: 'poddisruptionbudget',
            namespaced: true,
            kind: 'PodDisruptionBudget',
            verbs: allVerbs,
            shortNames: ['pdb'],
            storageVersionHash: 'EVWiDmWqyJw=',
          },
          {
            name: 'poddisruptionbudgets/status',
            singularName: '',
            namespaced: true,
            kind: 'PodDisruptionBudget',
            verbs: ['get', 'patch', 'update'],
          },
        ],
      })}\n`,
    );
  });

  it('lets kubectl drain find the eviction subresource with its own group and version', () => {
    const { resources, apiVersion } = parsed(discovery.version('', 'v1'));
    expect(apiVersion).toBeUndefined();
    expect(named(resources, 'pods/eviction')).toEqual({
      name: 'pods/eviction',
      singularName: '',
      namespaced: true,
      group: 'policy',
      version: 'v1',
      kind: 'Eviction',
      verbs: ['create'],
    });
    expect(named(resources, 'replicationcontrollers/scale')).toMatchObject({ group: 'autoscaling', version: 'v1' });
    expect(named(resources, 'serviceaccounts/token')).toMatchObject({ group: 'authentication.k8s.io', version: 'v1' });
  });

  it.each([
    ['', 'v1', 'configmaps', 'qFsyl6wFWjQ='],
    ['', 'v1', 'events', 'r2yiGXH7wu8='],
    ['events.k8s.io', 'v1', 'events', 'r2yiGXH7wu8='],
    ['scheduling.k8s.io', 'v1beta1', 'workloads', 'Fgcxusx6IUo='],
    ['', 'v1', 'bindings', undefined],
  ])('gives %s %s %s the storage hash of a real server', (group, version, name, hash) => {
    expect(
      named<{ name: string; storageVersionHash?: string }>(parsed(discovery.version(group, version)).resources, name)
        ?.storageVersionHash,
    ).toBe(hash);
  });

  it.each([
    ['nothing', 'v1'],
    ['apps', 'v2'],
    ['__proto__', 'v1'],
  ])('knows no %s %s', (group, version) => {
    expect(discovery.version(group, version)).toBeUndefined();
  });

  it('has no document for the core group under /apis', () => {
    expect(discovery.group('')).toBeUndefined();
    expect(discovery.group('nothing')).toBeUndefined();
  });
});

describe('aggregated discovery', () => {
  const { discovery } = setup();

  it.each(['v2', 'v2beta1'])('answers %s with the content type that the client asked for', (version) => {
    const contentType = `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`;
    const answer = discovery.apis(`${contentType},application/json`);
    expect(answer?.contentType).toBe(contentType);
    expect(answer?.etag).toMatch(/^"[0-9A-F]{128}"$/);
    expect(parsed(answer)).toMatchObject({
      kind: 'APIGroupDiscoveryList',
      apiVersion: `apidiscovery.k8s.io/${version}`,
      metadata: {},
    });
  });

  it('describes a group exactly as a real server does', () => {
    const { items } = parsed(discovery.apis(aggregated));
    expect(items.find((item: { metadata: { name: string } }) => item.metadata.name === 'policy')).toEqual({
      metadata: { name: 'policy' },
      versions: [
        {
          version: 'v1',
          resources: [
            {
              resource: 'poddisruptionbudgets',
              responseKind: { group: '', version: '', kind: 'PodDisruptionBudget' },
              scope: 'Namespaced',
              singularResource: 'poddisruptionbudget',
              verbs: allVerbs,
              shortNames: ['pdb'],
              subresources: [
                {
                  subresource: 'status',
                  responseKind: { group: '', version: '', kind: 'PodDisruptionBudget' },
                  verbs: ['get', 'patch', 'update'],
                },
              ],
            },
          ],
          freshness: 'Current',
        },
      ],
    });
  });

  it('has the core group, and only it, under /api', () => {
    const { items } = parsed(discovery.api(aggregated));
    expect(items).toHaveLength(1);
    expect(items[0].metadata).toEqual({});
    const [{ resources }] = items[0].versions;
    const pods = resources.find(({ resource }: { resource: string }) => resource === 'pods');
    expect(pods.subresources).toContainEqual({
      subresource: 'eviction',
      responseKind: { group: 'policy', version: 'v1', kind: 'Eviction' },
      verbs: ['create'],
    });
    expect(resources.find(({ resource }: { resource: string }) => resource === 'nodes').scope).toBe('Cluster');
  });
});

describe('discovery of custom kinds', () => {
  it('puts their groups behind the built-in ones, by name, with the best version first', () => {
    const { types, discovery } = setup();
    const before = discovery.apis(aggregated)?.etag;
    types.replaceCustom('z.zoo.dev', [customType({ group: 'zoo.dev', key: 'zoo.dev/z' })]);
    types.replaceCustom('widgets.example.com', [
      customType({ version: 'v1beta1' }),
      customType({ version: 'v1' }),
      customType({ version: 'v2alpha1' }),
    ]);
    const { groups } = parsed(discovery.apis('application/json'));
    expect(groups.slice(-2).map(({ name }: { name: string }) => name)).toEqual(['example.com', 'zoo.dev']);
    expect(groups.at(-2).preferredVersion.version).toBe('v1');
    expect(groups.at(-2).versions.map(({ version }: { version: string }) => version)).toEqual([
      'v1',
      'v1beta1',
      'v2alpha1',
    ]);
    expect(discovery.apis(aggregated)?.etag).not.toBe(before);
    const item = parsed(discovery.apis(aggregated)).items.at(-1);
    expect(item.versions[0].resources[0].responseKind).toEqual({ group: 'zoo.dev', version: 'v1', kind: 'Widget' });
  });

  it('forgets them when their CRD is deleted, and is computed again only then', () => {
    const { types, discovery } = setup();
    types.replaceCustom('widgets.example.com', [customType()]);
    const answer = discovery.version('example.com', 'v1');
    expect(parsed(answer).resources).toHaveLength(2);
    expect(discovery.version('example.com', 'v1')).toBe(answer);
    types.removeCustom('widgets.example.com');
    expect(discovery.version('example.com', 'v1')).toBeUndefined();
    expect(discovery.group('example.com')).toBeUndefined();
  });
});
