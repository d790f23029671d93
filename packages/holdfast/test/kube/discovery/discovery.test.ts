import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Cluster, startCluster } from '../../../../embedded-cluster/src/cluster.ts';
import { accessOf, parseKubeconfig } from '../../../src/kube/config/kubeconfig.ts';
import { targetOf } from '../../../src/kube/config/target-of.ts';
import { Discovery } from '../../../src/kube/discovery/discovery.ts';
import { realClock } from '../../../src/kube/time/clock.ts';
import {
  clientOf,
  connect,
  json,
  plainTarget,
  type SyntheticServer,
  status,
  syntheticServer,
} from '../support/server.ts';
import { TestClock } from '../support/test-clock.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

describe('finding a kind', () => {
  let server: SyntheticServer;
  let discovery: Discovery;
  const clock = new TestClock();
  const documents = new Map<string, unknown>();

  beforeEach(async () => {
    documents.clear();
    documents.set('/apis/apps', { preferredVersion: { version: 'v1' }, versions: [] });
    documents.set('/apis/apps/v1', {
      resources: [
        { name: 'statefulsets', kind: 'StatefulSet', namespaced: true, verbs: ['get'] },
        { name: 'statefulsets/scale', kind: 'Scale', namespaced: true, verbs: ['get'] },
        { name: 'controllerrevisions', kind: 'ControllerRevision', namespaced: true, verbs: ['get'] },
      ],
    });
    documents.set('/api/v1', { resources: [{ name: 'nodes', kind: 'Node', namespaced: false, verbs: ['list'] }] });
    server = await syntheticServer((request, response) => {
      const document = documents.get(request.url ?? '');
      if (document === 'broken') json(response, 503, status(503, 'ServiceUnavailable'));
      else json(response, document === undefined ? 404 : 200, document ?? {});
    });
    const connection = connect(plainTarget(server.url));
    discovery = new Discovery({ client: clientOf(connection), clock });
    cleanups.push(
      () => server.close(),
      () => connection.close(),
    );
  });

  test('says where it lives, and whether it can be scaled', async () => {
    expect(await discovery.resourceOf({ group: 'apps', version: 'v1', kind: 'StatefulSet' })).toEqual({
      ok: true,
      value: {
        group: 'apps',
        version: 'v1',
        plural: 'statefulsets',
        namespaced: true,
        kind: 'StatefulSet',
        verbs: ['get'],
        scalable: true,
      },
    });
    expect(await discovery.resourceOf({ group: '', kind: 'Node' })).toMatchObject({
      value: { plural: 'nodes', namespaced: false, scalable: false },
    });
    expect(await discovery.resourceOf({ group: 'apps', kind: 'ControllerRevision' })).toMatchObject({
      value: { version: 'v1', scalable: false },
    });
    expect(server.asked).toEqual(['GET /apis/apps/v1', 'GET /api/v1', 'GET /apis/apps']);
  });

  test('looks through the other versions of a group for a kind that the preferred one does not have', async () => {
    const versions = [{ version: 'v1' }, { version: 'v1beta1' }, { version: 'v1alpha1' }];
    documents.set('/apis/scheduling.k8s.io', { preferredVersion: { version: 'v1' }, versions });
    documents.set('/apis/scheduling.k8s.io/v1', {
      resources: [{ name: 'priorityclasses', kind: 'PriorityClass', namespaced: false, verbs: ['list'] }],
    });
    // One that was listed and is not there is passed over.
    documents.set('/apis/scheduling.k8s.io/v1alpha1', {
      resources: [{ name: 'podgroups', kind: 'PodGroup', namespaced: true, verbs: ['list'] }],
    });
    const group = 'scheduling.k8s.io';
    expect(await discovery.resourceOf({ group, kind: 'PodGroup' })).toMatchObject({
      value: { version: 'v1alpha1', plural: 'podgroups' },
    });
    expect(await discovery.resourceOf({ group, kind: 'PriorityClass' })).toMatchObject({ value: { version: 'v1' } });
    expect(await discovery.resourceOf({ group, kind: 'Nothing' })).toMatchObject({ failure: { kind: 'notFound' } });
  });

  test('says that it cannot tell while a version cannot be asked', async () => {
    const versions = [{ version: 'v1' }, { version: 'v1beta1' }];
    documents.set('/apis/scheduling.k8s.io', { preferredVersion: { version: 'v1' }, versions });
    documents.set('/apis/scheduling.k8s.io/v1', { resources: [] });
    documents.set('/apis/scheduling.k8s.io/v1beta1', 'broken');
    const found = await discovery.resourceOf({ group: 'scheduling.k8s.io', kind: 'PodGroup' });
    expect(found).toMatchObject({ ok: false, failure: { kind: 'retry' } });
  });

  test('asks once for those who ask together', async () => {
    const name = { group: 'apps', version: 'v1', kind: 'StatefulSet' };
    await Promise.all(Array.from({ length: 10 }, () => discovery.resourceOf(name)));
    expect(server.asked).toHaveLength(1);
  });

  test('does not ask for an unknown kind again and again, and finds it soon after it came', async () => {
    const name = { group: 'x.io', kind: 'Thing' };
    for (let i = 0; i < 5; i += 1) {
      expect(await discovery.resourceOf(name)).toMatchObject({ ok: false, failure: { kind: 'notFound' } });
    }
    expect(server.asked).toEqual(['GET /apis/x.io']);
    documents.set('/apis/x.io', { preferredVersion: { version: 'v1' } });
    documents.set('/apis/x.io/v1', { resources: [] });
    await clock.advance(30_000);
    expect(await discovery.resourceOf(name)).toMatchObject({ failure: { kind: 'notFound' } });
    documents.set('/apis/x.io/v1', { resources: [{ name: 'things', kind: 'Thing', namespaced: true, verbs: [] }] });
    expect(await discovery.resourceOf(name)).toMatchObject({ failure: { kind: 'notFound' } });
    await clock.advance(30_000);
    expect(await discovery.resourceOf(name)).toMatchObject({ ok: true, value: { plural: 'things' } });
  });

  test('forgets a failure that may pass at once', async () => {
    documents.set('/apis/x.io/v1', 'broken');
    const name = { group: 'x.io', version: 'v1', kind: 'Thing' };
    expect(await discovery.resourceOf(name)).toMatchObject({ failure: { kind: 'retry' } });
    documents.set('/apis/x.io/v1', { resources: [{ name: 'things', kind: 'Thing', namespaced: true, verbs: [] }] });
    expect(await discovery.resourceOf(name)).toMatchObject({ ok: true });
  });

  test('is not misled by names that are made up', async () => {
    for (const name of [
      { group: '..', kind: 'X' },
      { group: 'apps', version: '..', kind: 'X' },
      { group: 'apps', version: 'v1', kind: 'constructor' },
    ]) {
      expect(await discovery.resourceOf(name)).toMatchObject({ failure: { kind: 'notFound' } });
    }
  });
});

test('the embedded cluster is understood', async () => {
  const cluster: Cluster = await startCluster({ controllers: false, report: () => {} });
  const connection = connect(targetOf(accessOf(parseKubeconfig(cluster.kubeconfig(), '/')), realClock));
  cleanups.push(
    () => cluster.close(),
    () => connection.close(),
  );
  const discovery = new Discovery({ client: clientOf(connection), clock: realClock });
  expect(await discovery.resourceOf({ group: 'apps', kind: 'Deployment' })).toMatchObject({
    value: { plural: 'deployments', scalable: true },
  });
  expect(await discovery.resourceOf({ group: 'policy', kind: 'PodDisruptionBudget' })).toMatchObject({
    value: { version: 'v1', scalable: false },
  });
});
