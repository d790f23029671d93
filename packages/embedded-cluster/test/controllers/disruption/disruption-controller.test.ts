import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Client } from '../../../src/client.ts';
import type { PodObject } from '../../../src/controllers/common/workloads.ts';
import { startCrdController } from '../../../src/controllers/crd/crd-controller.ts';
import type { BudgetObject } from '../../../src/controllers/disruption/budget.ts';
import { startDisruptionController } from '../../../src/controllers/disruption/disruption-controller.ts';
import { conflict, internalError, isApiError, staleObject } from '../../../src/errors.ts';
import { evict } from '../../../src/eviction/eviction.ts';
import type { KubeObject, Metadata } from '../../../src/objects.ts';
import { timestamp } from '../../../src/time/clock.ts';
import { aContext } from '../../registry/a-plane.ts';
import { crd } from '../custom-kind.ts';
import { TestPlane } from '../test-plane.ts';
import { deployment, replicaSet, statefulSet, template } from '../workloads.ts';

const budgets = 'policy/poddisruptionbudgets';
let bed: TestPlane;

beforeEach(async () => {
  bed = new TestPlane();
  await bed.namespace('default');
  bed.start((context, plane) => startDisruptionController(context, { types: plane.types }));
});

afterEach(() => {
  bed.stop();
  expect(bed.errors).toEqual([]);
});

async function budget(spec: BudgetObject['spec'], name = 'web'): Promise<void> {
  await bed.create(budgets, {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name, namespace: 'default' },
    spec: { selector: { matchLabels: { app: 'web' } }, ...spec },
  });
}

const statusOf = (name = 'web') => bed.get<BudgetObject>(budgets, 'default', name).status;
const condition = (name = 'web') => statusOf(name)?.conditions?.find(({ type }) => type === 'DisruptionAllowed');
const podOf = (name: string) => bed.get<PodObject>('pods', 'default', name);
const ready = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };

function reference({ apiVersion, kind, metadata }: KubeObject): NonNullable<Metadata['ownerReferences']> {
  return [{ apiVersion, kind, name: metadata.name, uid: metadata.uid ?? '', controller: true }];
}

async function readyPods(count: number, owner?: KubeObject, prefix = 'p'): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    const metadata = { labels: { app: 'web' }, ...(owner ? { ownerReferences: reference(owner) } : {}) };
    await bed.pod('default', `${prefix}-${index}`, metadata, { nodeName: 'node-1' });
    await bed.setPodStatus('default', `${prefix}-${index}`, ready);
  }
  await bed.quiet();
}

function eventsAbout(name: string): readonly string[] {
  return bed.plane.view
    .list('events', 'default')
    .filter((event) => (event['involvedObject'] as { name: string }).name === name)
    .map((event) => `${event['type']} ${event['reason']}: ${event['message']}`);
}

async function tryEviction(name: string): Promise<string> {
  const { registry } = bed.plane;
  const type = registry.types.storage('pods');
  if (!type) throw new Error('no pods');
  const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace: 'default' } };
  try {
    await evict(registry, { type, namespace: 'default', name }, eviction, aContext(), () => ({
      options: {},
      dryRun: false,
    }));
    return 'evicted';
  } catch (error) {
    if (!isApiError(error)) throw error;
    return `${error.code} ${error.status.details?.causes?.[0]?.message ?? error.message}`;
  }
}

describe('where the expected number comes from', () => {
  async function stored(resource: string, object: KubeObject): Promise<KubeObject> {
    return bed.create(resource, object);
  }

  it('a StatefulSet', async () => {
    await budget({ maxUnavailable: 1 });
    await readyPods(2, await stored('apps/statefulsets', statefulSet('db', { replicas: 4 })));
    expect(statusOf()).toMatchObject({ expectedPods: 4, desiredHealthy: 3, currentHealthy: 2, disruptionsAllowed: 0 });
  });

  it('a ReplicaSet on its own', async () => {
    await budget({ maxUnavailable: 1 });
    await readyPods(3, await stored('apps/replicasets', replicaSet('web', { replicas: 3 })));
    expect(statusOf()).toMatchObject({ expectedPods: 3, desiredHealthy: 2, disruptionsAllowed: 1 });
  });

  it('a ReplicationController', async () => {
    const spec = { replicas: 3, selector: { app: 'web' }, template: template() };
    const metadata = { name: 'old', namespace: 'default' };
    const made = await stored('replicationcontrollers', {
      apiVersion: 'v1',
      kind: 'ReplicationController',
      metadata,
      spec,
    });
    await budget({ minAvailable: '50%' });
    await readyPods(3, made);
    expect(statusOf()).toMatchObject({ expectedPods: 3, desiredHealthy: 2, disruptionsAllowed: 1 });
  });

  it('a Deployment, once, whatever its ReplicaSets say', async () => {
    const owner = await stored('apps/deployments', deployment('web', { replicas: 5 }));
    await budget({ maxUnavailable: 1 });
    for (const name of ['old', 'new']) {
      const set = replicaSet(name, { replicas: 3 });
      set.metadata.ownerReferences = reference(owner);
      await readyPods(3, await stored('apps/replicasets', set), name);
    }
    expect(statusOf()).toMatchObject({ expectedPods: 5, desiredHealthy: 4, currentHealthy: 6, disruptionsAllowed: 2 });
  });

  it('the ReplicaSet after all, when its Deployment is gone', async () => {
    const set = replicaSet('web', { replicas: 3 });
    set.metadata.ownerReferences = [
      { apiVersion: 'apps/v1', kind: 'Deployment', name: 'gone', uid: 'gone', controller: true },
    ];
    await budget({ maxUnavailable: 1 });
    await readyPods(3, await stored('apps/replicasets', set));
    expect(statusOf()).toMatchObject({ expectedPods: 3, disruptionsAllowed: 1 });
  });

  it('not the ReplicaSet in a group that is no longer served, when its Deployment is gone', async () => {
    const set = replicaSet('web', { replicas: 3 });
    set.metadata.ownerReferences = [
      { apiVersion: 'apps/v1', kind: 'Deployment', name: 'gone', uid: 'gone', controller: true },
    ];
    const made = await stored('apps/replicasets', set);
    await budget({ maxUnavailable: 1 });
    await readyPods(1, { ...made, apiVersion: 'extensions/v1beta1' });
    expect(condition()?.message).toBe('no matches for kind "ReplicaSet" in version "extensions/v1beta1"');
  });

  it('any custom resource with a scale', async () => {
    bed.start((context, { types }) => startCrdController(context, { types, convertByWebhook: () => async () => [] }));
    await bed.create('apiextensions.k8s.io/customresourcedefinitions', scaledCrd());
    await bed.quiet();
    const spec = { size: 6 };
    const metadata = { name: 'own', namespace: 'default' };
    const made = await stored('example.com/widgets', { apiVersion: 'example.com/v1', kind: 'Widget', metadata, spec });
    await budget({ minAvailable: '50%' });
    await readyPods(4, made);
    expect(statusOf()).toMatchObject({ expectedPods: 6, desiredHealthy: 3, disruptionsAllowed: 1 });
  });

  it.each([
    ['a controller that does not exist', 'apps/v1', 'StatefulSet', 'found no controllers for pod "p-0"'],
    ['a kind without a scale', 'batch/v1', 'Job', 'jobs.batch does not implement the scale subresource'],
    ['a kind without a scale of the core', 'v1', 'Node', 'nodes does not implement the scale subresource'],
    ['a kind that is not served', 'x.io/v1', 'Thing', 'no matches for kind "Thing" in version "x.io/v1"'],
  ])('nowhere for %s', async (_name, apiVersion, kind, message) => {
    await budget({ maxUnavailable: 1 });
    await bed.quiet();
    await readyPods(1, { apiVersion, kind, metadata: { name: 'gone', uid: 'gone' } });
    expect(condition()).toMatchObject({ status: 'False', reason: 'SyncFailed', message });
    expect(statusOf()?.observedGeneration).toBe(1);
    expect(await tryEviction('p-0')).toBe(
      `429 The disruption budget web does not allow evicting pods currently because it failed sync: ${message}`,
    );
  });

  it('a budget that could never be worked out is said to be processed still', async () => {
    await readyPods(1, { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'gone', uid: 'gone' } });
    await budget({ maxUnavailable: 1 });
    await bed.quiet();
    expect(condition()).toMatchObject({ reason: 'SyncFailed' });
    expect(statusOf()).not.toHaveProperty('observedGeneration');
    expect(await tryEviction('p-0')).toBe('429 The disruption budget web is still being processed by the server.');
  });

  it('nowhere for another controller of the same name', async () => {
    const made = await stored('apps/statefulsets', statefulSet('db', { replicas: 4 }));
    await budget({ maxUnavailable: 1 });
    await readyPods(1, { ...made, metadata: { ...made.metadata, uid: 'an-earlier-one' } });
    expect(condition()).toMatchObject({ reason: 'SyncFailed', message: 'found no controllers for pod "p-0"' });
  });
});

function scaledCrd(): KubeObject {
  const made = crd();
  const properties = {
    spec: { type: 'object', properties: { size: { type: 'integer' } } },
    status: { type: 'object', properties: { size: { type: 'integer' } } },
  };
  const version = {
    name: 'v1',
    served: true,
    storage: true,
    schema: { openAPIV3Schema: { type: 'object', properties } },
    subresources: { scale: { specReplicasPath: '.spec.size', statusReplicasPath: '.status.size' } },
  };
  return { ...made, spec: { ...made.spec, versions: [version] } } as KubeObject;
}

describe('which pods a budget is about', () => {
  it('an empty selector is about all pods of the namespace, none at all about none', async () => {
    await readyPods(2);
    await budget({ minAvailable: 1, selector: {} }, 'all');
    await bed.create(budgets, {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name: 'nothing', namespace: 'default' },
      spec: { minAvailable: 1 },
    });
    await bed.quiet();
    expect(statusOf('all')).toMatchObject({ expectedPods: 2, disruptionsAllowed: 1 });
    expect(statusOf('nothing')).toMatchObject({ expectedPods: 0, disruptionsAllowed: 0 });
    expect(eventsAbout('nothing')).toContain('Normal NoPods: No matching pods found');
  });

  it('a pod under two budgets is told so', async () => {
    await budget({ minAvailable: 1 }, 'a');
    await budget({ minAvailable: 1 }, 'b');
    await readyPods(1);
    expect(eventsAbout('p-0')).toContain(
      'Warning MultiplePodDisruptionBudgets: Pod "default"/"p-0" matches multiple PodDisruptionBudgets.  Chose "a" arbitrarily.',
    );
  });

  it('a pod that leaves by its labels goes unnoticed until the next look', async () => {
    await budget({ minAvailable: 1 });
    await readyPods(3);
    const relabel = (draft: PodObject) => ({ ...draft, metadata: { ...draft.metadata, labels: {} } });
    await bed.client.modify<PodObject>('pods', 'default', 'p-0', relabel);
    await bed.quiet();
    expect(statusOf()).toMatchObject({ currentHealthy: 3 });
    await bed.setPodStatus('default', 'p-1', { conditions: [{ type: 'Ready', status: 'False' }] });
    await bed.quiet();
    expect(statusOf()).toMatchObject({ currentHealthy: 1, expectedPods: 2 });
  });
});

describe('evictions under a budget', () => {
  it('one is allowed, the next is not until the first is replaced', async () => {
    await budget({ minAvailable: 2 });
    await readyPods(3);
    expect(statusOf()).toMatchObject({ currentHealthy: 3, disruptionsAllowed: 1 });
    expect(await tryEviction('p-0')).toBe('evicted');
    expect(await tryEviction('p-1')).toMatch(/^429 The disruption budget web/);
    await bed.quiet();
    expect(statusOf()).toMatchObject({ currentHealthy: 2, expectedPods: 3, disruptionsAllowed: 0 });
    expect(statusOf()).not.toHaveProperty('disruptedPods');
    expect(await tryEviction('p-1')).toBe('429 The disruption budget web needs 2 healthy pods and has 2 currently');
    await readyPods(1, undefined, 'new');
    expect(statusOf()).toMatchObject({ currentHealthy: 3, disruptionsAllowed: 1 });
    expect(await tryEviction('p-1')).toBe('evicted');
  });

  it('one that does not happen gives its place back after two minutes', async () => {
    await budget({ minAvailable: 1 });
    await readyPods(2);
    const spent = timestamp(bed.clock.now());
    const spend = (draft: BudgetObject): BudgetObject => ({
      ...draft,
      status: {
        currentHealthy: 0,
        desiredHealthy: 0,
        expectedPods: 0,
        ...draft.status,
        disruptionsAllowed: 0,
        disruptedPods: { 'p-0': spent },
      },
    });
    await bed.client.modify<BudgetObject>(budgets, 'default', 'web', spend, { subresource: 'status' });
    await bed.quiet();
    expect(statusOf()).toMatchObject({ currentHealthy: 1, disruptionsAllowed: 0, disruptedPods: { 'p-0': spent } });
    await bed.clock.advance(118_000);
    expect(statusOf()).toMatchObject({ currentHealthy: 1, disruptionsAllowed: 0 });
    await bed.clock.advance(3000);
    expect(statusOf()).toMatchObject({ currentHealthy: 2, disruptionsAllowed: 1 });
    expect(statusOf()).not.toHaveProperty('disruptedPods');
    expect(eventsAbout('p-0')).toContain(
      "Warning NotDeleted: Pod was expected by PDB default/default to be deleted but it wasn't",
    );
  });

  it('a change of the budget is worked out before anything is allowed by it', async () => {
    await budget({ minAvailable: 1 });
    await readyPods(2);
    const stricter = (draft: BudgetObject): BudgetObject => ({ ...draft, spec: { ...draft.spec, minAvailable: 2 } });
    await bed.client.modify<BudgetObject>(budgets, 'default', 'web', stricter);
    expect(await tryEviction('p-0')).toBe('429 The disruption budget web is still being processed by the server.');
    await bed.quiet();
    expect(statusOf()).toMatchObject({ observedGeneration: 2, disruptionsAllowed: 0 });
  });

  it('a condition of others stays', async () => {
    await budget({ minAvailable: 1 });
    await readyPods(1);
    const foreign = {
      type: 'x.io/Y',
      status: 'True',
      reason: 'R',
      message: '',
      lastTransitionTime: '2026-01-01T00:00:00Z',
    };
    const add = (draft: BudgetObject) =>
      ({
        ...draft,
        status: { ...draft.status, conditions: [...(draft.status?.conditions ?? []), foreign] },
      }) as BudgetObject;
    await bed.client.modify<BudgetObject>(budgets, 'default', 'web', add, { subresource: 'status' });
    await readyPods(1, undefined, 'more');
    expect(statusOf()).toMatchObject({ currentHealthy: 2, disruptionsAllowed: 1 });
    expect(statusOf()?.conditions).toContainEqual(foreign);
  });
});

describe('a status that cannot be written', () => {
  /** A second controller, which the API refuses the first status that it writes. */
  async function refusedOnce(refusal: () => Error): Promise<readonly string[]> {
    bed.stop();
    bed = new TestPlane();
    await bed.namespace('default');
    const written: string[] = [];
    bed.start((context, { types }) => {
      const clientFor = (controller: string): Client => {
        const client = context.clientFor(controller);
        return {
          ...client,
          async update(resource, object, options) {
            written.push(String((object as unknown as BudgetObject).status?.conditions?.[0]?.reason));
            if (written.length === 1) throw refusal();
            return client.update(resource, object, options);
          },
        };
      };
      return startDisruptionController({ ...context, clientFor }, { types });
    });
    await budget({ minAvailable: 1 });
    await bed.quiet();
    return written;
  }

  it('because another client was faster is tried again, and nothing is wrong', async () => {
    const lost = () => conflict({ group: 'policy', resource: 'poddisruptionbudgets' }, 'web', staleObject);
    expect(await refusedOnce(lost)).toEqual(['InsufficientPods', 'InsufficientPods']);
  });

  it('for another reason closes the budget, until the next look', async () => {
    const refused = await refusedOnce(() => internalError('no luck'));
    expect(refused).toEqual(['InsufficientPods', 'SyncFailed', 'InsufficientPods']);
    expect(statusOf()).toMatchObject({ observedGeneration: 1 });
  });
});

describe('a pod that was marked for disruption', () => {
  async function mark(status: string, reason: string, phase = 'Running'): Promise<void> {
    await readyPods(1);
    const lastTransitionTime = timestamp(bed.clock.now());
    const target = { type: 'DisruptionTarget', status, reason, message: 'm', lastTransitionTime };
    await bed.setPodStatus('default', 'p-0', { phase, conditions: [...ready.conditions, target] });
    await bed.quiet();
  }
  const target = () => podOf('p-0').status?.conditions?.find(({ type }) => type === 'DisruptionTarget');

  it('and lives on, loses the mark after two minutes', async () => {
    await mark('True', 'EvictionByEvictionAPI');
    await bed.clock.advance(115_000);
    expect(target()?.status).toBe('True');
    await bed.clock.advance(6000);
    expect(target()).toMatchObject({ status: 'False', lastTransitionTime: expect.any(String) });
    expect(target()).not.toHaveProperty('reason');
    expect(target()).not.toHaveProperty('message');
  });

  it.each([
    ['by the kubelet', 'True', 'TerminationByKubelet', 'Running'],
    ['and has finished', 'True', 'EvictionByEvictionAPI', 'Failed'],
  ])('%s keeps it', async (_name, status, reason, phase) => {
    await mark(status, reason, phase);
    await bed.clock.advance(300_000);
    expect(target()).toMatchObject({ status: 'True', reason });
  });
});
