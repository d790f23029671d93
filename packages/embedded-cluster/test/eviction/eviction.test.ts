import type { PodDisruptionBudget } from 'kubernetes-types/policy/v1.js';
import { describe, expect, it } from 'vitest';
import type { AdmissionRequest } from '../../src/admission/admission.ts';
import { evict } from '../../src/eviction/eviction.ts';
import { readDeleteOptions } from '../../src/http/options.ts';
import type { KubeObject } from '../../src/objects.ts';
import { type APlane, aContext, aPlane, aPod, object } from '../registry/a-plane.ts';

type Status = NonNullable<PodDisruptionBudget['status']>;

async function withPod(
  status: object = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
): Promise<APlane> {
  const a = await aPlane();
  await a.client.create('pods', aPod('p', { app: 'x' }));
  await a.client.bind('default', 'p', '', 'node-1');
  await a.client.modify(
    'pods',
    'default',
    'p',
    (pod: KubeObject) => ({ ...pod, status: { ...(pod['status'] as object), ...status } }),
    { subresource: 'status' },
  );
  return a;
}

async function withBudget(a: APlane, name: string, status: Partial<Status>, spec: object = {}): Promise<void> {
  await a.client.create(
    'policy/poddisruptionbudgets',
    object('policy/v1', 'PodDisruptionBudget', name, {
      spec: { minAvailable: 1, selector: { matchLabels: { app: 'x' } }, ...spec },
    }),
  );
  await a.client.modify(
    'policy/poddisruptionbudgets',
    'default',
    name,
    (draft: KubeObject) => ({
      ...draft,
      status: {
        observedGeneration: 1,
        disruptionsAllowed: 0,
        currentHealthy: 1,
        desiredHealthy: 1,
        expectedPods: 1,
        ...status,
      },
    }),
    { subresource: 'status' },
  );
}

function evictPod(a: APlane, deleteOptions: object = {}, dryRun = false, name = 'p'): Promise<void> {
  const eviction = { ...object('policy/v1', 'Eviction', name), deleteOptions };
  return evict(a.plane.registry, a.target('pods', name), eviction, aContext({ dryRun }), (source) =>
    readDeleteOptions(source, new URLSearchParams()),
  );
}

const podOf = (a: APlane) => a.plane.view.get('pods', 'default', 'p');
const conditionsOf = (a: APlane) =>
  (podOf(a)?.['status'] as { conditions?: { type: string }[] } | undefined)?.conditions ?? [];
const budgetOf = (a: APlane) =>
  a.plane.view.get('policy/poddisruptionbudgets', 'default', 'b') as unknown as PodDisruptionBudget;
const refusal = (code: number) => expect.objectContaining({ status: expect.objectContaining({ code }) });

describe('eviction', () => {
  it('without a budget: the pod goes, and says why', async () => {
    const a = await withPod();
    await evictPod(a);
    expect(podOf(a)?.metadata.deletionTimestamp).toBeDefined();
    expect(podOf(a)).toMatchObject({
      status: {
        conditions: expect.arrayContaining([
          expect.objectContaining({ type: 'DisruptionTarget', reason: 'EvictionByEvictionAPI' }),
        ]),
      },
    });
  });

  it('spends the budget once, and remembers the pod in it', async () => {
    const a = await withPod();
    await withBudget(a, 'b', { disruptionsAllowed: 1, currentHealthy: 2 });
    await evictPod(a);
    expect(budgetOf(a).status).toMatchObject({ disruptionsAllowed: 0, disruptedPods: { p: '2026-01-01T00:00:00Z' } });
  });

  it('refuses with 429 and leaves the pod untouched', async () => {
    const a = await withPod();
    await withBudget(a, 'b', {});
    const before = podOf(a)?.metadata.resourceVersion;
    await expect(evictPod(a)).rejects.toEqual(refusal(429));
    expect(podOf(a)?.metadata.resourceVersion).toBe(before);
  });

  it('does not know what to do with two budgets', async () => {
    const a = await withPod();
    await withBudget(a, 'b', { disruptionsAllowed: 1 });
    await withBudget(a, 'c', { disruptionsAllowed: 1 });
    await expect(evictPod(a)).rejects.toEqual(refusal(500));
  });

  const ignorable: [what: string, status: object][] = [
    ['a pod that has not started', { phase: 'Pending' }],
    ['a pod that is done', { phase: 'Succeeded' }],
    ['a pod that failed', { phase: 'Failed' }],
  ];
  it.each(ignorable)('asks no budget about %s', async (_what, status) => {
    const a = await withPod(status);
    await withBudget(a, 'b', {});
    await evictPod(a);
    expect(podOf(a)?.metadata.deletionTimestamp ?? 'gone').toBeDefined();
    expect(budgetOf(a).status?.disruptedPods).toBeUndefined();
  });

  it('asks no budget about a pod that is going already, so that a webhook may have sent it away', async () => {
    const a = await withPod();
    await withBudget(a, 'b', {});
    await withBudget(a, 'c', {});
    await a.client.delete('pods', 'default', 'p');
    await evictPod(a);
    expect(podOf(a)?.metadata.deletionTimestamp).toBeDefined();
  });

  const notReady = { phase: 'Running', conditions: [{ type: 'Ready', status: 'False' }] };
  const unhealthy: [policy: string | undefined, numbers: Partial<Status>, goes: boolean][] = [
    ['AlwaysAllow', { currentHealthy: 0, desiredHealthy: 5 }, true],
    ['IfHealthyBudget', { currentHealthy: 5, desiredHealthy: 5 }, true],
    ['IfHealthyBudget', { currentHealthy: 4, desiredHealthy: 5 }, false],
    [undefined, { currentHealthy: 5, desiredHealthy: 5 }, true],
    [undefined, { currentHealthy: 0, desiredHealthy: 0 }, false],
  ];
  it.each(unhealthy)('a pod that does not serve, policy %s, %o: goes %s', async (policy, numbers, goes) => {
    const a = await withPod(notReady);
    await withBudget(a, 'b', numbers, policy === undefined ? {} : { unhealthyPodEvictionPolicy: policy });
    if (goes) await evictPod(a);
    else await expect(evictPod(a)).rejects.toEqual(refusal(429));
    expect(podOf(a)?.metadata.deletionTimestamp !== undefined).toBe(goes);
    expect(budgetOf(a).status?.disruptedPods).toBeUndefined();
  });

  it.each([
    ['the query', {}, true],
    ['the body', { dryRun: ['All'] }, false],
  ] as const)('leaves no trace in a dry run that %s asks for', async (_where, options, dryRun) => {
    const a = await withPod();
    await withBudget(a, 'b', { disruptionsAllowed: 1, currentHealthy: 2 });
    const before = a.plane.registry.store.revision;
    await evictPod(a, options, dryRun);
    expect(a.plane.registry.store.revision).toBe(before);
  });

  it('a dry run is refused as the eviction itself would be', async () => {
    const a = await withPod();
    await withBudget(a, 'b', {});
    await expect(evictPod(a, {}, true)).rejects.toEqual(refusal(429));
  });

  it('keeps to the pod that the client means, after the budget was asked', async () => {
    const a = await withPod();
    await withBudget(a, 'b', { disruptionsAllowed: 1, currentHealthy: 2 });
    await expect(evictPod(a, { preconditions: { uid: 'other' } })).rejects.toEqual(refusal(409));
    expect(budgetOf(a).status?.disruptionsAllowed).toBe(0);
    expect(podOf(a)?.metadata.deletionTimestamp).toBeUndefined();
  });

  it('takes a resourceVersion precondition that is right', async () => {
    const a = await withPod();
    const resourceVersion = podOf(a)?.metadata.resourceVersion;
    await evictPod(a, { preconditions: { resourceVersion } });
    expect(podOf(a)?.metadata.deletionTimestamp).toBeDefined();
  });

  it('lets the client choose the grace', async () => {
    const a = await withPod();
    await evictPod(a, { gracePeriodSeconds: 3 });
    expect(podOf(a)?.metadata.deletionGracePeriodSeconds).toBe(3);
  });

  it('of many at once exactly as many go as the budget allows', async () => {
    const a = await aPlane();
    const names = Array.from({ length: 10 }, (_, index) => `p${index}`);
    for (const name of names) {
      await a.client.create('pods', aPod(name, { app: 'x' }));
      await a.client.bind('default', name, '', 'node-1');
      await a.client.modify(
        'pods',
        'default',
        name,
        (pod: KubeObject) => ({
          ...pod,
          status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
        }),
        { subresource: 'status' },
      );
    }
    await withBudget(a, 'b', { disruptionsAllowed: 4, currentHealthy: 10, desiredHealthy: 6 });
    const outcomes = Promise.allSettled(names.map((name) => evictPod(a, {}, false, name)));
    await a.clock.advance(30_000);
    const allowed = (await outcomes).filter(({ status }) => status === 'fulfilled').length;
    expect(allowed).toBe(4);
    expect(Object.keys(budgetOf(a).status?.disruptedPods ?? {})).toHaveLength(4);
  });

  it('says once why the pod goes, in the place where something was said before', async () => {
    const before = { type: 'DisruptionTarget', status: 'False', observedGeneration: 3 };
    const a = await withPod({
      phase: 'Running',
      conditions: [before, { type: 'Ready', status: 'True' }],
    });
    const saved = a.plane.registry.store.revision;
    await evictPod(a);
    expect(conditionsOf(a)[0]).toMatchObject({ type: 'DisruptionTarget', status: 'True', observedGeneration: 3 });
    expect(a.plane.registry.store.revision).toBe(saved + 2);
    await evictPod(a);
    expect(a.plane.registry.store.revision).toBe(saved + 2);
  });

  it('does not claim to have seen a generation', async () => {
    const a = await withPod();
    await evictPod(a);
    expect(conditionsOf(a).find(({ type }) => type === 'DisruptionTarget')).not.toHaveProperty('observedGeneration');
  });

  it('a pod that does not serve goes as the one that was looked at, whatever version the client named', async () => {
    const a = await withPod(notReady);
    await withBudget(a, 'b', {}, { unhealthyPodEvictionPolicy: 'AlwaysAllow' });
    await evictPod(a, { preconditions: { resourceVersion: '1' } });
    expect(podOf(a)?.metadata.deletionTimestamp).toBeDefined();
  });

  it('shows the dry run of the query in its options to those who validate it', async () => {
    const a = await withPod();
    const seen: unknown[] = [];
    const { admission } = a.plane.registry;
    const registry = {
      ...a.plane.registry,
      admission: {
        mutate: (request: AdmissionRequest) => admission.mutate(request),
        validate: async (request: AdmissionRequest) => void seen.push(request.object?.['deleteOptions']),
      },
    };
    const eviction = { ...object('policy/v1', 'Eviction', 'p'), deleteOptions: { gracePeriodSeconds: 1 } };
    await evict(registry, a.target('pods', 'p'), eviction, aContext({ dryRun: true }), (source) =>
      readDeleteOptions(source, new URLSearchParams()),
    );
    expect(seen).toEqual([{ gracePeriodSeconds: 1, dryRun: ['All'] }]);
  });
});
