import { afterAll, describe, expect, it } from 'vitest';
import { made, testCluster } from '../support/cluster.ts';
import type { Answer } from '../support/kube-http.ts';

/** The budgets' status is written by these tests: they need no disruption controller, and must not have one. */
const cluster = await testCluster();
afterAll(() => cluster.close());

const merge = 'application/merge-patch+json';
const refusal = "Cannot evict pod as it would violate the pod's disruption budget.";

interface Health {
  readonly ready?: boolean;
  readonly phase?: string;
}

/** A namespace with a pod on a node and, where a status is given, a budget over it. */
async function scene(status?: object, health: Health = {}, spec: object = {}) {
  const namespace = await cluster.newNamespace();
  const pods = `/api/v1/namespaces/${namespace}/pods`;
  const budgets = `/apis/policy/v1/namespaces/${namespace}/poddisruptionbudgets`;
  const body = {
    metadata: { name: 'p', labels: { app: 'x' } },
    spec: { nodeName: cluster.name('node'), containers: [{ name: 'c', image: 'i' }] },
  };
  const pod = await made(cluster.request('POST', pods, { body }));
  const conditions = [{ type: 'Ready', status: health.ready === false ? 'False' : 'True' }];
  const podStatus = { phase: health.phase ?? 'Running', conditions };
  await made(cluster.request('PATCH', `${pods}/p/status`, { contentType: merge, body: { status: podStatus } }));
  if (status !== undefined) await budget(budgets, 'b', status, spec);
  return {
    uid: pod.metadata.uid,
    pod: () => cluster.request('GET', `${pods}/p`),
    budget: () => made(cluster.request('GET', `${budgets}/b`)),
    addBudget: (name: string, more: object) => budget(budgets, name, more),
    evict: (more: object = {}, query = ''): Promise<Answer> =>
      cluster.request('POST', `${pods}/p/eviction${query}`, {
        body: { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'p', namespace }, ...more },
      }),
  };
}

async function budget(path: string, name: string, status: object, spec: object = {}): Promise<void> {
  const body = { metadata: { name }, spec: { maxUnavailable: 1, selector: { matchLabels: { app: 'x' } }, ...spec } };
  await made(cluster.request('POST', path, { body }));
  const whole = { observedGeneration: 1, disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 };
  await made(
    cluster.request('PATCH', `${path}/${name}/status`, {
      contentType: merge,
      body: { status: { ...whole, ...status } },
    }),
  );
}

const causesOf = ({ body }: Answer) => body.details['causes'];

describe.skipIf(cluster.disturbed)('an eviction', () => {
  it('without a budget deletes the pod and says why it goes', async () => {
    const { evict, pod } = await scene();
    expect(await evict()).toMatchObject({ code: 201, body: { kind: 'Status', status: 'Success', code: 201 } });
    const { body } = await pod();
    expect(body.metadata.deletionTimestamp).toMatch(/Z$/);
    expect(body.status['conditions']).toContainEqual(
      expect.objectContaining({
        type: 'DisruptionTarget',
        status: 'True',
        reason: 'EvictionByEvictionAPI',
        message: 'Eviction API: evicting',
      }),
    );
  });

  it('within a budget spends one of it', async () => {
    const { evict, pod, budget } = await scene({ disruptionsAllowed: 2, currentHealthy: 3, desiredHealthy: 1 });
    expect((await evict()).code).toBe(201);
    expect((await pod()).body.metadata.deletionTimestamp).toMatch(/Z$/);
    const { status } = await budget();
    expect(status).toMatchObject({ disruptionsAllowed: 1, disruptedPods: { p: expect.stringMatching(/Z$/) } });
  });

  it('that takes the last one says so in the condition', async () => {
    const { evict, budget } = await scene({ disruptionsAllowed: 1, currentHealthy: 3, desiredHealthy: 2 });
    expect((await evict()).code).toBe(201);
    expect((await budget()).status['conditions']).toMatchObject([
      { type: 'DisruptionAllowed', status: 'False', reason: 'InsufficientPods' },
    ]);
  });

  it('beyond a budget is refused, to be tried again at will', async () => {
    const { evict, pod } = await scene({ currentHealthy: 1, desiredHealthy: 1 });
    const answer = await evict();
    expect(answer).toMatchObject({ code: 429, body: { reason: 'TooManyRequests', message: refusal } });
    expect(causesOf(answer)).toEqual([
      { reason: 'DisruptionBudget', message: 'The disruption budget b needs 1 healthy pods and has 1 currently' },
    ]);
    expect(answer.headers['retry-after']).toBeUndefined();
    expect((await pod()).body.metadata.deletionTimestamp).toBeUndefined();
  });

  const reasons: [string, object, string][] = [
    [
      'the budget failed to sync',
      {
        conditions: [
          {
            type: 'DisruptionAllowed',
            status: 'False',
            reason: 'SyncFailed',
            message: 'no scale',
            lastTransitionTime: '2026-01-01T00:00:00Z',
          },
        ],
      },
      'The disruption budget b does not allow evicting pods currently because it failed sync: no scale',
    ],
    [
      'the budget has a reason of its own',
      {
        currentHealthy: 2,
        desiredHealthy: 1,
        conditions: [
          {
            type: 'DisruptionAllowed',
            status: 'False',
            reason: 'Because',
            message: 'not now',
            lastTransitionTime: '2026-01-01T00:00:00Z',
          },
        ],
      },
      'The disruption budget b does not allow evicting pods currently (Because): not now',
    ],
    [
      'the budget says nothing',
      { currentHealthy: 2, desiredHealthy: 1 },
      'The disruption budget b does not allow evicting pods currently',
    ],
  ];
  it.each(reasons)('tells that %s', async (_what, status, message) => {
    const { evict } = await scene(status);
    const answer = await evict();
    expect(answer.code).toBe(429);
    expect(causesOf(answer)).toEqual([{ reason: 'DisruptionBudget', message }]);
  });

  it('under a budget that is not up to date is to be tried again in ten seconds', async () => {
    const { evict } = await scene({ observedGeneration: 0, disruptionsAllowed: 1 });
    const answer = await evict();
    expect(answer).toMatchObject({ code: 429, body: { details: { retryAfterSeconds: 10 } } });
    expect(answer.headers['retry-after']).toBe('10');
    expect(causesOf(answer)).toEqual([
      { reason: 'DisruptionBudget', message: 'The disruption budget b is still being processed by the server.' },
    ]);
  });

  it('under two budgets is not supported', async () => {
    const { evict, addBudget } = await scene({ disruptionsAllowed: 1 });
    await addBudget('second', { disruptionsAllowed: 1 });
    expect(await evict()).toMatchObject({
      code: 500,
      body: {
        message: 'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
      },
    });
  });

  it.each(['Pending', 'Succeeded', 'Failed'])('of a pod that is %s asks no budget', async (phase) => {
    const { evict } = await scene({}, { phase });
    expect((await evict()).code).toBe(201);
  });

  it('of a pod that is going already asks no budget', async () => {
    const { evict, budget } = await scene({ disruptionsAllowed: 1 });
    expect((await evict()).code).toBe(201);
    expect((await evict()).code).toBe(201);
    expect((await budget()).status['disruptionsAllowed']).toBe(0);
  });
});

describe.skipIf(cluster.disturbed)('an eviction of a pod that is not ready', () => {
  const cases: [string, object, object, number][] = [
    ['is free under AlwaysAllow', {}, { unhealthyPodEvictionPolicy: 'AlwaysAllow' }, 201],
    ['is free while the others are enough', { currentHealthy: 2, desiredHealthy: 2 }, {}, 201],
    ['is refused while they are not', { currentHealthy: 1, desiredHealthy: 2 }, {}, 429],
    ['is refused where none are wanted', { currentHealthy: 0, desiredHealthy: 0 }, {}, 429],
    [
      'is refused by IfHealthyBudget as by default',
      { desiredHealthy: 1 },
      { unhealthyPodEvictionPolicy: 'IfHealthyBudget' },
      429,
    ],
  ];
  it.each(cases)('%s', async (_what, status, spec, code) => {
    const { evict, budget } = await scene(status, { ready: false }, spec);
    expect((await evict()).code).toBe(code);
    expect((await budget()).status['disruptedPods']).toBeUndefined();
  });
});

describe.skipIf(cluster.disturbed)('the body of an eviction', () => {
  it('may be of the older version, or of none', async () => {
    const { evict } = await scene();
    expect((await evict({ apiVersion: 'policy/v1beta1' }, '?dryRun=All')).code).toBe(201);
    expect((await evict({ apiVersion: undefined, kind: undefined })).code).toBe(201);
  });

  it('sets the grace', async () => {
    const { evict, pod } = await scene();
    expect((await evict({ deleteOptions: { gracePeriodSeconds: 7 } })).code).toBe(201);
    expect((await pod()).body.metadata['deletionGracePeriodSeconds']).toBe(7);
  });

  const dryRuns: [string, object, string][] = [
    ['the query', {}, '?dryRun=All'],
    ['the body', { deleteOptions: { dryRun: ['All'] } }, ''],
  ];
  it.each(dryRuns)('asks for a dry run by %s: nothing is spent, nothing goes', async (_where, body, query) => {
    const { evict, pod, budget } = await scene({ disruptionsAllowed: 1 });
    expect((await evict(body, query)).code).toBe(201);
    expect((await pod()).body.metadata.deletionTimestamp).toBeUndefined();
    expect((await budget()).status['disruptionsAllowed']).toBe(1);
  });

  it('keeps to preconditions', async () => {
    const { evict, uid, pod } = await scene();
    const wrongVersion = await evict({ deleteOptions: { preconditions: { resourceVersion: '1' } } });
    expect(wrongVersion.code).toBe(409);
    expect((await evict({ deleteOptions: { preconditions: { uid } } })).code).toBe(201);
    expect((await pod()).body.metadata.deletionTimestamp).toMatch(/Z$/);
  });

  const refused: [string, object, string, number, string][] = [
    ['another name', { metadata: { name: 'q' } }, '', 400, 'name in URL does not match name in Eviction object'],
    [
      'another namespace',
      { metadata: { name: 'p', namespace: 'elsewhere' } },
      '',
      400,
      'the namespace of the provided object does not match the namespace sent on the request',
    ],
    ['another kind', { apiVersion: 'v1', kind: 'Pod' }, '', 400, 'Eviction'],
    [
      'dry runs that disagree',
      { deleteOptions: { dryRun: ['None'] } },
      '?dryRun=All',
      500,
      'Non-matching dry-run options',
    ],
    [
      'an option that breaks clusters',
      { deleteOptions: { ignoreStoreReadErrorWithClusterBreakingPotential: true } },
      '',
      422,
      'can not be set for pod eviction, try after removing the option',
    ],
  ];
  it.each(refused)('is refused with %s', async (_what, body, query, code, message) => {
    const { evict } = await scene();
    const answer = await evict(body, query);
    expect(answer.code).toBe(code);
    expect(answer.body.message).toContain(message);
  });

  it('names a pod that is there', async () => {
    const path = `/api/v1/namespaces/${cluster.namespace}/pods/none/eviction`;
    expect(await cluster.request('POST', path, { body: { metadata: { name: 'none' } } })).toMatchObject({
      code: 404,
      body: { message: 'pods "none" not found' },
    });
  });
});
