import fc from 'fast-check';
import type { ResourceQuotaSpec } from 'kubernetes-types/core/v1.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startQuotaController } from '../../src/controllers/quota/quota-controller.ts';
import type { KubeObject } from '../../src/objects.ts';
import { Quotas, type StoredQuota } from '../../src/quota/quotas.ts';
import { isInScope } from '../../src/quota/scopes.ts';
import { usageOf } from '../../src/quota/usage.ts';
import { TestPlane } from '../controllers/test-plane.ts';

const object = (spec: object, status: object = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Thing',
  metadata: { name: 'x', namespace: 'ns' },
  spec,
  status,
});
const units = (usage: ReadonlyMap<string, bigint>) =>
  Object.fromEntries([...usage].map(([name, nanos]) => [name, Number(nanos) / 1e9]));
const container = (requests: object, limits: object = {}) => ({
  name: 'c',
  image: 'i',
  resources: { requests, limits },
});

describe('what an object takes of quotas', () => {
  it.each([
    { resource: 'configmaps', of: object({}), want: { configmaps: 1, 'count/configmaps': 1 } },
    { resource: 'apps/deployments', of: object({}), want: { 'count/deployments.apps': 1 } },
    {
      resource: 'services',
      of: object({ type: 'NodePort', ports: [{ port: 1 }, { port: 2 }] }),
      want: { services: 1, 'count/services': 1, 'services.nodeports': 2 },
    },
    {
      resource: 'services',
      of: object({ type: 'LoadBalancer', ports: [{ port: 1 }] }),
      want: { services: 1, 'count/services': 1, 'services.nodeports': 1, 'services.loadbalancers': 1 },
    },
    {
      resource: 'services',
      of: object({ type: 'LoadBalancer', ports: [{ port: 1 }], allocateLoadBalancerNodePorts: false }),
      want: { services: 1, 'count/services': 1, 'services.loadbalancers': 1 },
    },
    {
      resource: 'persistentvolumeclaims',
      of: object({ storageClassName: 'gold', resources: { requests: { storage: '1Ki' } } }),
      want: {
        persistentvolumeclaims: 1,
        'count/persistentvolumeclaims': 1,
        'requests.storage': 1024,
        'gold.storageclass.storage.k8s.io/persistentvolumeclaims': 1,
        'gold.storageclass.storage.k8s.io/requests.storage': 1024,
      },
    },
    {
      resource: 'resource.k8s.io/resourceclaims',
      of: object({
        devices: {
          requests: [
            { name: 'a', exactly: { deviceClassName: 'gold', allocationMode: 'ExactCount', count: 2 } },
            {
              name: 'b',
              firstAvailable: [
                { name: 'x', deviceClassName: 'gold', allocationMode: 'ExactCount', count: 3 },
                { name: 'y', deviceClassName: 'gold', allocationMode: 'ExactCount', count: 1 },
                { name: 'z', deviceClassName: 'silver', allocationMode: 'All' },
              ],
            },
          ],
        },
      }),
      want: {
        'count/resourceclaims.resource.k8s.io': 1,
        'gold.deviceclass.resource.k8s.io/devices': 5,
        'silver.deviceclass.resource.k8s.io/devices': 32,
      },
    },
    {
      resource: 'pods',
      of: object({
        containers: [container({ cpu: '250m', memory: '1Ki', 'example.com/chip': '2' }, { cpu: '1' })],
        overhead: { cpu: '50m', memory: '1Ki' },
      }),
      want: {
        'count/pods': 1,
        pods: 1,
        cpu: 0.3,
        'requests.cpu': 0.3,
        memory: 2048,
        'requests.memory': 2048,
        'requests.example.com/chip': 2,
        'limits.cpu': 1.05,
      },
    },
    {
      resource: 'pods',
      of: object({ containers: [container({ cpu: '1' })] }, { phase: 'Failed' }),
      want: { 'count/pods': 1 },
    },
  ])('$resource: $want', ({ resource, of, want }) => {
    expect(units(usageOf(resource, of))).toEqual(want);
  });
});

describe('the scopes of a quota', () => {
  const plain = { containers: [{ name: 'c', image: 'i' }] };
  const scoped = (scopeName: string, operator = 'Exists', values?: string[]): ResourceQuotaSpec => ({
    scopeSelector: { matchExpressions: [{ scopeName, operator, ...(values && { values }) }] },
  });
  it.each<{ spec: ResourceQuotaSpec; pod: object; want: boolean }>([
    { spec: {}, pod: plain, want: true },
    { spec: { scopes: ['Terminating'] }, pod: plain, want: false },
    { spec: { scopes: ['Terminating'] }, pod: { ...plain, activeDeadlineSeconds: 5 }, want: true },
    { spec: { scopes: ['NotTerminating'] }, pod: { ...plain, activeDeadlineSeconds: 5 }, want: false },
    { spec: { scopes: ['BestEffort'] }, pod: plain, want: true },
    { spec: { scopes: ['NotBestEffort'] }, pod: plain, want: false },
    { spec: { scopes: ['NotBestEffort'] }, pod: { containers: [container({ cpu: '1' })] }, want: true },
    { spec: { scopes: ['BestEffort', 'Terminating'] }, pod: plain, want: false },
    { spec: scoped('PriorityClass', 'In', ['high']), pod: { ...plain, priorityClassName: 'high' }, want: true },
    { spec: scoped('PriorityClass', 'In', ['high']), pod: plain, want: false },
    { spec: scoped('PriorityClass', 'NotIn', ['high']), pod: plain, want: true },
    { spec: scoped('PriorityClass'), pod: plain, want: false },
    { spec: scoped('PriorityClass', 'DoesNotExist'), pod: plain, want: true },
    { spec: scoped('CrossNamespacePodAffinity'), pod: plain, want: false },
    {
      spec: scoped('CrossNamespacePodAffinity'),
      pod: {
        ...plain,
        affinity: {
          podAntiAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'z', namespaces: ['other'] }],
          },
        },
      },
      want: true,
    },
    { spec: { scopes: ['Unheard'] }, pod: plain, want: false },
  ])('$spec about $pod: $want', ({ spec, pod, want }) => {
    expect(isInScope(spec, 'pods', object(pod))).toBe(want);
  });

  it('are about pods, so that a quota with scopes is about nothing else', () => {
    expect(isInScope({ scopes: ['NotTerminating'] }, 'configmaps', object({}))).toBe(false);
  });
});

describe('a namespace with a quota', () => {
  let test: TestPlane;
  beforeEach(async () => {
    test = new TestPlane().start((context, { quotas }) => startQuotaController(context, { quotas }));
    await test.namespace('ns');
  });
  afterEach(() => {
    test.stop();
    expect(test.errors).toEqual([]);
  });
  const quota = async (name: string, hard: Record<string, string>, more: ResourceQuotaSpec = {}) => {
    const spec = { hard, ...more };
    await test.create('resourcequotas', {
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: { name, namespace: 'ns' },
      spec,
    });
    await test.quiet();
  };
  const statusOf = (name: string) => test.get<StoredQuota>('resourcequotas', 'ns', name).status;
  const refusal = (making: Promise<unknown>): Promise<string> =>
    making.then(
      () => 'none',
      (error: Error) => error.message,
    );

  it('shows what is used, and counts what was there before', async () => {
    await test.configMap('ns', 'early');
    await quota('q', { configmaps: '3', memory: '1Gi', 'count/deployments.apps': '1' });
    expect(statusOf('q')).toEqual({
      hard: { configmaps: '3', memory: '1Gi', 'count/deployments.apps': '1' },
      used: { configmaps: '1', memory: '0', 'count/deployments.apps': '0' },
    });
    await test.configMap('ns', 'late');
    await test.quiet();
    expect(statusOf('q')?.used).toMatchObject({ configmaps: '2' });
    await test.client.delete('configmaps', 'ns', 'early');
    await test.quiet();
    expect(statusOf('q')?.used).toMatchObject({ configmaps: '1' });
  });

  it('takes no more than there is, and says what was asked for, used and allowed', async () => {
    await quota('q', { configmaps: '1' });
    await test.configMap('ns', 'a');
    expect(await refusal(test.configMap('ns', 'b'))).toBe(
      'configmaps "b" is forbidden: exceeded quota: q, requested: configmaps=1, used: configmaps=1, limited: configmaps=1',
    );
    await test.client.delete('configmaps', 'ns', 'a');
    await test.configMap('ns', 'b');
  });

  it('takes no more than there is when many ask at once', async () => {
    await quota('q', { configmaps: '3' });
    const names = Array.from({ length: 10 }, (_, index) => `c-${index}`);
    const results = await Promise.all(names.map((name) => refusal(test.configMap('ns', name))));
    expect(results.filter((result) => result === 'none')).toHaveLength(3);
  });

  it('limits nothing before its status says so, as on the real server', async () => {
    const spec = { hard: { configmaps: '0' } };
    await test.create('resourcequotas', {
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: { name: 'q', namespace: 'ns' },
      spec,
    });
    await test.configMap('ns', 'a');
  });

  it('asks every container of a pod for what it limits', async () => {
    await quota('q', { 'requests.cpu': '1', 'limits.memory': '1Gi' });
    expect(await refusal(test.pod('ns', 'p'))).toBe(
      'pods "p" is forbidden: failed quota: q: must specify limits.memory for: main; requests.cpu for: main',
    );
    const resources = { requests: { cpu: '1' }, limits: { memory: '512Mi' } };
    await test.pod('ns', 'p', {}, { containers: [{ name: 'main', image: 'i', resources }] });
    await test.quiet();
    expect(statusOf('q')?.used).toEqual({ 'requests.cpu': '1', 'limits.memory': '512Mi' });
    expect(await refusal(test.pod('ns', 'r', {}, { containers: [{ name: 'main', image: 'i', resources }] }))).toBe(
      'pods "r" is forbidden: exceeded quota: q, requested: requests.cpu=1, used: requests.cpu=1, limited: requests.cpu=1',
    );
  });

  it('is about the pods of its scope alone, and lets finished ones go', async () => {
    await quota('short', { pods: '1' }, { scopes: ['Terminating'] });
    await test.pod('ns', 'service');
    await test.pod('ns', 'batch', {}, { activeDeadlineSeconds: 60 });
    expect(await refusal(test.pod('ns', 'more', {}, { activeDeadlineSeconds: 60 }))).toContain('exceeded quota: short');
    await test.setPodStatus('ns', 'batch', { phase: 'Succeeded' });
    await test.pod('ns', 'more', {}, { activeDeadlineSeconds: 60 });
  });

  it('refuses a change that takes more, and lets one pass that takes less', async () => {
    const service = (type: string) => ({ type, ports: [{ port: 80 }], selector: { app: 'x' } });
    await test.create('services', {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 's', namespace: 'ns' },
      spec: service('ClusterIP'),
    });
    await quota('q', { 'services.nodeports': '0', services: '0' });
    const change = (type: string) =>
      test.client.modify('services', 'ns', 's', (draft) => ({
        ...draft,
        spec: { ...(draft['spec'] as object), type },
      }));
    expect(await refusal(change('NodePort'))).toContain('requested: services.nodeports=1, used: services.nodeports=0');
    await test.client.modify('services', 'ns', 's', (draft) => {
      draft.metadata.labels = { a: 'b' };
      return draft;
    });
  });

  it('follows a change of its limits', async () => {
    await quota('q', { configmaps: '0' });
    expect(await refusal(test.configMap('ns', 'a'))).toContain('exceeded quota');
    await test.client.modify('resourcequotas', 'ns', 'q', (draft) => ({ ...draft, spec: { hard: { secrets: '5' } } }));
    await test.quiet();
    expect(statusOf('q')).toEqual({ hard: { secrets: '5' }, used: { secrets: '0' } });
    await test.configMap('ns', 'a');
  });

  it('never counts anything else than counting all over again would', async () => {
    await quota('all', { pods: '100', configmaps: '100', resourcequotas: '10' });
    await quota('short', { pods: '100' }, { scopes: ['Terminating'] });
    const step = fc.record({
      what: fc.constantFrom('map', 'pod', 'finish', 'quota'),
      index: fc.nat(4),
      gone: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 15 }), async (steps) => {
        for (const one of steps) await act(one).catch(() => undefined);
        const again = new Quotas(test.store);
        for (const { object } of test.store.list('resourcequotas')) {
          const found = object as StoredQuota;
          const counted = [...again.usedOf(found)].filter(([, amount]) => amount !== 0n).sort();
          const kept = [...test.plane.quotas.usedOf(found)].filter(([, amount]) => amount !== 0n).sort();
          expect(kept).toEqual(counted);
        }
        again.close();
      }),
      { numRuns: 40 },
    );
  });

  async function act({ what, index, gone }: { what: string; index: number; gone: boolean }): Promise<unknown> {
    const name = `x-${index}`;
    if (what === 'map') return gone ? test.client.delete('configmaps', 'ns', name) : test.configMap('ns', name);
    if (what === 'finish') return test.setPodStatus('ns', name, { phase: gone ? 'Failed' : 'Running' });
    if (what === 'quota') {
      if (gone) return test.client.delete('resourcequotas', 'ns', name);
      return quota(name, { 'count/pods': '9' }, { scopes: index % 2 === 0 ? ['BestEffort'] : ['NotTerminating'] });
    }
    if (gone) return test.client.delete('pods', 'ns', name, { gracePeriodSeconds: 0 });
    return test.pod('ns', name, {}, index % 2 === 0 ? { activeDeadlineSeconds: 9 } : {});
  }
});

describe('the scope of classes of volume attributes', () => {
  const scoped = (operator: string, values?: string[]): ResourceQuotaSpec => ({
    scopeSelector: { matchExpressions: [{ scopeName: 'VolumeAttributesClass', operator, ...(values && { values }) }] },
  });
  const gold = { spec: { volumeAttributesClassName: 'gold' } };
  const changing = {
    spec: { volumeAttributesClassName: 'silver' },
    status: {
      currentVolumeAttributesClassName: 'gold',
      modifyVolumeStatus: { targetVolumeAttributesClassName: 'tin' },
    },
  };
  it.each<{ spec: ResourceQuotaSpec; claim: object; want: boolean }>([
    { spec: scoped('In', ['gold']), claim: gold, want: true },
    { spec: scoped('In', ['silver']), claim: gold, want: false },
    { spec: scoped('In', ['gold']), claim: changing, want: true },
    { spec: scoped('In', ['silver']), claim: changing, want: true },
    { spec: scoped('In', ['tin']), claim: changing, want: true },
    { spec: scoped('In', ['lead']), claim: changing, want: false },
    { spec: scoped('Exists'), claim: gold, want: true },
    { spec: scoped('Exists'), claim: { spec: {} }, want: false },
    { spec: scoped('DoesNotExist'), claim: { spec: {} }, want: true },
    { spec: { scopes: ['BestEffort'] }, claim: gold, want: false },
  ])('$spec about $claim: $want', ({ spec, claim, want }) => {
    const object = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: 'a' }, ...claim };
    expect(isInScope(spec, 'persistentvolumeclaims', object)).toBe(want);
  });
});
