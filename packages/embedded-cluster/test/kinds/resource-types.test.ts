import { describe, expect, it } from 'vitest';
import { defaultColumns } from '../../src/kinds/builtin-types.ts';
import type { ResourceType } from '../../src/kinds/resource-type.ts';
import { createResourceTypes } from '../../src/kinds/resource-types.ts';
import type { Strategy } from '../../src/kinds/strategy.ts';
import { compareVersions } from '../../src/kinds/version-order.ts';
import type { KubeObject } from '../../src/objects.ts';
import { customType } from './custom-type.ts';

const metadata = { name: 'e', namespace: 'default' };
const noRules = { strategies: new Map(), cells: new Map() };

describe('resource types', () => {
  const types = createResourceTypes(noRules);

  it.each([
    ['', 'v1', 'pods', 'Pod', 'v1', 'pods', true],
    ['', 'v1', 'nodes', 'Node', 'v1', 'nodes', false],
    ['apps', 'v1', 'statefulsets', 'StatefulSet', 'v1', 'apps/statefulsets', true],
    [
      'autoscaling',
      'v1',
      'horizontalpodautoscalers',
      'HorizontalPodAutoscaler',
      'v2',
      'autoscaling/horizontalpodautoscalers',
      true,
    ],
    ['scheduling.k8s.io', 'v1alpha1', 'workloads', 'Workload', 'v1beta1', 'scheduling.k8s.io/workloads', true],
    ['scheduling.k8s.io', 'v1', 'priorityclasses', 'PriorityClass', 'v1', 'scheduling.k8s.io/priorityclasses', false],
    ['events.k8s.io', 'v1', 'events', 'Event', 'v1', 'events', true],
  ])('find %s %s %s by its path and by its kind', (group, version, plural, kind, storageVersion, key, namespaced) => {
    const type = types.find(group, version, plural);
    expect(type).toMatchObject({
      group,
      version,
      plural,
      kind,
      storageVersion,
      key,
      namespaced,
      listKind: `${kind}List`,
    });
    expect(types.byKind(group, version, kind)).toBe(type);
    expect(types.storage(key)?.version).toBe(storageVersion);
  });

  it.each([
    ['', 'v1', 'podz'],
    ['', 'v2', 'pods'],
    ['', 'v1', 'constructor'],
    ['__proto__', 'v1', 'pods'],
    ['scheduling.k8s.io', 'v1alpha1', 'podgroups'],
  ])('do not find %s %s %s', (group, version, plural) => {
    expect(types.find(group, version, plural)).toBeUndefined();
  });

  it('keep both kinds of events in one place, in the shape of the core group', () => {
    const stored = types.storage('events');
    expect(stored).toBe(types.find('', 'v1', 'events'));
    const other = types.find('events.k8s.io', 'v1', 'events');
    expect(other?.key).toBe('events');
    expect(other?.conversion.kind).toBe('function');
  });

  it('carry subresources with the kind they take', () => {
    const pods = types.find('', 'v1', 'pods');
    expect(pods?.subresources.get('eviction')).toEqual({
      name: 'eviction',
      kind: 'Eviction',
      group: 'policy',
      version: 'v1',
      verbs: ['create'],
    });
    expect(pods?.subresources.get('status')).toEqual({
      name: 'status',
      kind: 'Pod',
      verbs: ['get', 'patch', 'update'],
    });
    expect(types.find('apps', 'v1', 'deployments')?.subresources.get('scale')).toMatchObject({
      group: 'autoscaling',
      version: 'v1',
      kind: 'Scale',
    });
  });

  it('use the rules of a resource in all its versions', () => {
    const strategy: Strategy = { createOnUpdate: true };
    const cells = () => ['n', 'now'];
    const key = 'scheduling.k8s.io/workloads';
    const ruled = createResourceTypes({ strategies: new Map([[key, strategy]]), cells: new Map([[key, cells]]) });
    for (const version of ['v1alpha1', 'v1alpha2', 'v1alpha3', 'v1beta1']) {
      const type = ruled.find('scheduling.k8s.io', version, 'workloads');
      expect(type?.strategy).toBe(strategy);
      expect(
        type?.columns.cells({ apiVersion: `scheduling.k8s.io/${version}`, kind: 'Workload', metadata }, 0),
      ).toEqual(['n', 'now']);
      expect(type?.columns.definitions.map(({ name }) => name)).toEqual(['Name', 'Age']);
    }
  });

  it('compute cells from the shape that objects are kept in', () => {
    const cells = new Map([['events', (event: KubeObject) => [event['message']]]]);
    const ruled = createResourceTypes({ strategies: new Map(), cells });
    const event = { apiVersion: 'events.k8s.io/v1', kind: 'Event', metadata, note: 'hello' };
    expect(ruled.find('events.k8s.io', 'v1', 'events')?.columns.cells(event, 0)).toEqual(['hello']);
    const core = { apiVersion: 'v1', kind: 'Event', metadata, message: 'hello' };
    expect(ruled.find('', 'v1', 'events')?.columns.cells(core, 0)).toEqual(['hello']);
  });

  it('show the name and the time of creation where no other cells are computed', () => {
    const { columns } = types.find('', 'v1', 'pods') as ResourceType;
    expect(columns.definitions.map(({ name, type }) => [name, type])).toEqual([
      ['Name', 'string'],
      ['Created At', 'date'],
    ]);
    const created = { name: 'p', creationTimestamp: '2026-01-01T00:00:00Z' };
    expect(columns.cells({ apiVersion: 'v1', kind: 'Pod', metadata: created }, 0)).toEqual([
      'p',
      '2026-01-01T00:00:00Z',
    ]);
    expect(columns).toBe(defaultColumns);
  });
});

describe('custom resource types', () => {
  it('come, change and go, and every change is a new generation', () => {
    const types = createResourceTypes(noRules);
    const first = types.generation;
    types.replaceCustom('widgets.example.com', [customType({ version: 'v1' })]);
    expect(types.find('example.com', 'v1', 'widgets')?.kind).toBe('Widget');
    const second = types.generation;
    types.replaceCustom('widgets.example.com', [customType({ version: 'v2', storageVersion: 'v2' })]);
    expect(types.find('example.com', 'v1', 'widgets')).toBeUndefined();
    expect(types.storage('example.com/widgets')?.version).toBe('v2');
    const third = types.generation;
    types.removeCustom('widgets.example.com');
    expect(types.storage('example.com/widgets')).toBeUndefined();
    expect(new Set([first, second, third, types.generation]).size).toBe(4);
  });

  it('that were never there can be removed without a new generation', () => {
    const types = createResourceTypes(noRules);
    const before = types.generation;
    types.removeCustom('gone.example.com');
    expect(types.generation).toBe(before);
  });

  it('may keep objects in a version that is not served', () => {
    const types = createResourceTypes(noRules);
    types.replaceCustom('widgets.example.com', [customType({ version: 'v1', storageVersion: 'v1', verbs: [] })]);
    expect(types.storage('example.com/widgets')?.version).toBe('v1');
    expect(types.find('example.com', 'v1', 'widgets')).toBeUndefined();
    expect([...types.all()].some(({ group }) => group === 'example.com')).toBe(false);
  });

  it('cannot hide what is built in', () => {
    const types = createResourceTypes(noRules);
    types.replaceCustom('pods', [customType({ group: '', key: 'pods', plural: 'pods', kind: 'Pod' })]);
    expect(types.find('', 'v1', 'pods')?.custom).toBeUndefined();
    expect(types.byKind('', 'v1', 'Pod')?.custom).toBeUndefined();
    expect(types.storage('pods')?.custom).toBeUndefined();
  });
});

describe('versions', () => {
  it('are ordered by stability, then by number, then by name', () => {
    const ordered = 'v10 v2 v1 v11beta2 v10beta3 v3beta1 v12alpha1 v11alpha2 foo1 foo10 v01 v1gamma1'.split(' ');
    expect([...ordered].reverse().sort(compareVersions)).toEqual(ordered);
  });
});
