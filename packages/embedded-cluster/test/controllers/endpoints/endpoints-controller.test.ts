import type { EndpointSubset, ServiceSpec } from 'kubernetes-types/core/v1.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PodObject } from '../../../src/controllers/common/workloads.ts';
import { startEndpointsController } from '../../../src/controllers/endpoints/endpoints-controller.ts';
import type { SliceObject } from '../../../src/controllers/endpoints/types.ts';
import { startGarbageCollector } from '../../../src/controllers/garbage/garbage-collector.ts';
import type { KubeObject } from '../../../src/objects.ts';
import { TestPlane } from '../test-plane.ts';

const slicesKey = 'discovery.k8s.io/endpointslices';
let plane: TestPlane;

beforeEach(async () => {
  plane = new TestPlane();
  await plane.namespace('default');
  plane.start((context) => startEndpointsController(context));
});

afterEach(() => {
  plane.stop();
  expect(plane.errors).toEqual([]);
});

function service(spec: Partial<ServiceSpec> = {}, labels: Record<string, string> = {}): Promise<KubeObject> {
  return plane.create('services', {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'web', namespace: 'default', labels },
    spec: { selector: { app: 'web' }, ports: [{ port: 80, targetPort: 8080 }], ...spec },
  });
}

async function pod(name: string, ip: string, ready: boolean, spec: Partial<PodObject['spec']> = {}): Promise<void> {
  await plane.pod('default', name, { labels: { app: 'web' } }, { nodeName: 'node-a', ...spec });
  await setReady(name, ready, ip);
}

async function setReady(name: string, ready: boolean, ip?: string): Promise<void> {
  await plane.setPodStatus('default', name, {
    phase: 'Running',
    ...(ip === undefined ? {} : { podIP: ip }),
    conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }],
  });
}

function slices(): readonly SliceObject[] {
  return plane.plane.view.list<SliceObject>(slicesKey, 'default');
}

function subsets(): EndpointSubset[] {
  return plane.get<KubeObject & { subsets?: EndpointSubset[] }>('endpoints', 'default', 'web').subsets ?? [];
}

const endpoints = () => slices().flatMap((slice) => slice.endpoints ?? []);

/** address: ready, serving, terminating */
function conditions(): Record<string, string> {
  const rows = endpoints().map(({ addresses, conditions: c }) => [
    addresses[0] ?? '',
    [c?.ready, c?.serving, c?.terminating].map((is) => (is ? 'yes' : 'no')).join(' '),
  ]);
  return Object.fromEntries(rows);
}

describe('a service', () => {
  it('has its pods in slices and endpoints, by whether they are ready', async () => {
    await service({}, { team: 'blue' });
    await pod('a', '10.0.0.1', true);
    await pod('b', '10.0.0.2', false);
    await plane.quiet();
    const { uid } = plane.get('pods', 'default', 'a').metadata;
    const [slice] = slices();
    expect(slices()).toHaveLength(1);
    expect(slice?.metadata.labels).toEqual({
      team: 'blue',
      'kubernetes.io/service-name': 'web',
      'endpointslice.kubernetes.io/managed-by': 'endpointslice-controller.k8s.io',
    });
    expect(slice?.metadata.ownerReferences).toMatchObject([{ kind: 'Service', name: 'web', controller: true }]);
    expect(slice?.addressType).toBe('IPv4');
    expect(slice?.ports).toEqual([{ name: '', port: 8080, protocol: 'TCP' }]);
    expect(slice?.endpoints?.[0]).toEqual({
      addresses: ['10.0.0.1'],
      conditions: { ready: true, serving: true, terminating: false },
      nodeName: 'node-a',
      targetRef: { kind: 'Pod', namespace: 'default', name: 'a', uid },
    });
    expect(conditions()).toEqual({ '10.0.0.1': 'yes yes no', '10.0.0.2': 'no no no' });
    expect(subsets()).toMatchObject([
      {
        addresses: [{ ip: '10.0.0.1', nodeName: 'node-a', targetRef: { kind: 'Pod', name: 'a', uid } }],
        notReadyAddresses: [{ ip: '10.0.0.2' }],
        ports: [{ port: 8080, protocol: 'TCP' }],
      },
    ]);
    expect(plane.get('endpoints', 'default', 'web').metadata.labels).toEqual({
      team: 'blue',
      'endpoints.kubernetes.io/managed-by': 'endpoint-controller',
    });
  });

  it('without pods has an empty slice and empty endpoints', async () => {
    await service();
    await plane.quiet();
    expect(slices()).toHaveLength(1);
    expect(endpoints()).toEqual([]);
    expect(subsets()).toEqual([]);
    await pod('a', '10.0.0.1', true);
    await plane.quiet();
    expect(slices()).toHaveLength(1);
    expect(Object.keys(conditions())).toEqual(['10.0.0.1']);
    await plane.client.delete('pods', 'default', 'a', { gracePeriodSeconds: 0 });
    await plane.quiet();
    expect(slices().map(({ endpoints: left, ports }) => [left ?? [], ports ?? []])).toEqual([[[], []]]);
    expect(subsets()).toEqual([]);
  });

  it('forgets a pod that finishes, or whose labels do not fit any more', async () => {
    await service();
    await pod('a', '10.0.0.1', true);
    await pod('b', '10.0.0.2', true);
    await pod('c', '10.0.0.3', true);
    await plane.quiet();
    await plane.setPodStatus('default', 'a', { phase: 'Succeeded' });
    await plane.client.modify('pods', 'default', 'b', (draft) => {
      draft.metadata.labels = { app: 'other' };
      return draft;
    });
    await plane.quiet();
    expect(Object.keys(conditions())).toEqual(['10.0.0.3']);
    expect(subsets().flatMap(({ addresses = [] }) => addresses.map(({ ip }) => ip))).toEqual(['10.0.0.3']);
  });

  it('shows terminating pods in slices only', async () => {
    await service();
    await pod('a', '10.0.0.1', true);
    await plane.client.delete('pods', 'default', 'a');
    await plane.quiet();
    expect(conditions()).toEqual({ '10.0.0.1': 'no yes yes' });
    expect(subsets()).toEqual([]);
  });

  it('that publishes what is not ready calls everything ready', async () => {
    await service({ publishNotReadyAddresses: true });
    await pod('a', '10.0.0.1', false);
    await plane.client.delete('pods', 'default', 'a');
    await plane.quiet();
    expect(conditions()).toEqual({ '10.0.0.1': 'yes no yes' });
    expect(subsets()).toMatchObject([{ addresses: [{ ip: '10.0.0.1' }] }]);
  });

  it('finds named ports in each pod', async () => {
    await service({ ports: [{ name: 'http', port: 80, targetPort: 'web' }] });
    const named = (port: number) => ({
      containers: [{ name: 'main', image: 'app:1', ports: [{ name: 'web', containerPort: port }] }],
    });
    await pod('a', '10.0.0.1', true, named(8001));
    await pod('b', '10.0.0.2', true, named(8002));
    await pod('c', '10.0.0.3', true);
    await plane.quiet();
    const found = slices().map((slice) => `${slice.endpoints?.[0]?.addresses[0]} ${slice.ports?.[0]?.port ?? 'none'}`);
    expect(found.sort()).toEqual(['10.0.0.1 8001', '10.0.0.2 8002', '10.0.0.3 none']);
    expect(subsets().map(({ addresses, ports }) => [addresses?.[0]?.ip, ports?.[0]?.port])).toEqual([
      ['10.0.0.1', 8001],
      ['10.0.0.2', 8002],
    ]);
  });

  it('without an address of its own gives its pods names', async () => {
    await service({ clusterIP: 'None', ports: [] });
    await pod('web-0', '10.0.0.1', true, { hostname: 'web-0', subdomain: 'web' });
    await pod('web-1', '10.0.0.2', true, { hostname: 'web-1', subdomain: 'elsewhere' });
    await plane.quiet();
    expect(endpoints().map(({ hostname }) => hostname)).toEqual(['web-0', undefined]);
    expect(slices()[0]?.metadata.labels?.['service.kubernetes.io/headless']).toBe('');
    expect(subsets()).toMatchObject([{ addresses: [{ ip: '10.0.0.1', hostname: 'web-0' }, { ip: '10.0.0.2' }] }]);
    expect(subsets()[0]?.ports).toBeUndefined();
  });

  it('follows a change of its own', async () => {
    await service();
    await pod('a', '10.0.0.1', true);
    await plane.quiet();
    await plane.client.modify<KubeObject & { spec: ServiceSpec }>('services', 'default', 'web', (draft) => {
      draft.spec.ports = [{ port: 80, targetPort: 9090 }];
      draft.metadata.labels = { team: 'red' };
      return draft;
    });
    await plane.quiet();
    expect(slices().map(({ ports }) => ports?.[0]?.port)).toEqual([9090]);
    expect(slices()[0]?.metadata.labels?.['team']).toBe('red');
    expect(subsets()[0]?.ports?.[0]?.port).toBe(9090);
  });

  it('knows the zones of its pods, also when they change', async () => {
    const zone = (name: string) => ({ labels: { 'topology.kubernetes.io/zone': name } });
    await plane.create('nodes', { apiVersion: 'v1', kind: 'Node', metadata: { name: 'node-a', ...zone('east') } });
    await service();
    await pod('a', '10.0.0.1', true);
    await plane.quiet();
    expect(endpoints().map((endpoint) => endpoint.zone)).toEqual(['east']);
    await plane.client.modify('nodes', '', 'node-a', (draft) => {
      Object.assign(draft.metadata, zone('west'));
      return draft;
    });
    await plane.quiet();
    expect(endpoints().map((endpoint) => endpoint.zone)).toEqual(['west']);
  });

  it('without a selector is left to others', async () => {
    const { selector: _none, ...rest } = { selector: {}, ports: [{ port: 80 }] };
    await plane.create('services', {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'web', namespace: 'default' },
      spec: rest,
    });
    await plane.create('endpoints', {
      apiVersion: 'v1',
      kind: 'Endpoints',
      metadata: { name: 'web', namespace: 'default' },
      subsets: [{ addresses: [{ ip: '192.0.2.1' }], ports: [{ port: 80 }] }],
    });
    await plane.quiet();
    expect(slices()).toEqual([]);
    expect(subsets()).toMatchObject([{ addresses: [{ ip: '192.0.2.1' }] }]);
  });

  it('takes its endpoints with it', async () => {
    plane.start((context, { types, registry }) => startGarbageCollector(context, { types, store: registry.store }));
    await service();
    await plane.quiet();
    await plane.client.delete('services', 'default', 'web');
    await plane.quiet();
    expect(slices()).toEqual([]);
    expect(plane.find('endpoints', 'default', 'web')).toBeUndefined();
  });
});

describe('what another client does to the slices', () => {
  beforeEach(async () => {
    await service();
    await pod('a', '10.0.0.1', true);
    await plane.quiet();
  });

  it('is put right when one is deleted', async () => {
    await plane.client.delete(slicesKey, 'default', slices()[0]?.metadata.name ?? '');
    await plane.quiet();
    expect(Object.keys(conditions())).toEqual(['10.0.0.1']);
  });

  it('is put right when one is changed', async () => {
    await plane.client.modify<SliceObject>(slicesKey, 'default', slices()[0]?.metadata.name ?? '', (draft) => ({
      ...draft,
      endpoints: [{ addresses: ['10.9.9.9'], conditions: { ready: true } }],
    }));
    await plane.quiet();
    expect(Object.keys(conditions())).toEqual(['10.0.0.1']);
  });

  it('is put right in endpoints too', async () => {
    await plane.client.delete('endpoints', 'default', 'web');
    await plane.quiet();
    expect(subsets()).toMatchObject([{ addresses: [{ ip: '10.0.0.1' }] }]);
  });

  it('is taken over by the next process', async () => {
    const again = new TestPlane(plane.store);
    const before = plane.store.revision;
    again.start((context) => startEndpointsController(context));
    await again.quiet();
    expect(again.store.revision).toBe(before);
    again.stop();
  });
});

describe('many pods', () => {
  it('share slices of a hundred, and a change of one pod changes one slice', async () => {
    await service();
    for (let index = 0; index < 250; index += 1) await pod(`p${index}`, `10.0.${index >> 7}.${index & 127}`, true);
    await plane.quiet();
    expect(slices().map(({ endpoints: list }) => list?.length)).toEqual(expect.arrayContaining([100, 100, 50]));
    const before = plane.store.revision;
    await setReady('p7', false);
    await plane.quiet();
    // The pod, its slice, and the endpoints.
    expect(plane.store.revision).toBe(before + 3);
  });

  it('that change together are written together', async () => {
    await service();
    for (let index = 0; index < 20; index += 1) await pod(`p${index}`, `10.0.0.${index}`, false);
    await plane.quiet();
    const before = plane.store.revision;
    for (let index = 0; index < 20; index += 1) await setReady(`p${index}`, true);
    await plane.quiet();
    expect(plane.store.revision).toBeLessThanOrEqual(before + 20 + 4);
    expect(Object.values(conditions())).toEqual(Array(20).fill('yes yes no'));
  });
});
