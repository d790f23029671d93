import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { aPub } from '../../../../../test/support/builders.ts';
import type { PodUnavailableBudget } from '../../../src/api/pub/pub.ts';
import { ObjectCache } from '../../../src/kube/reflector/cache.ts';
import { realClock } from '../../../src/kube/time/clock.ts';
import { Deadline } from '../../../src/operator/admission/deadline.ts';
import { type AdmissionAnswer, readReview } from '../../../src/operator/admission/wire/review.ts';
import { budgetsHandler } from '../../../src/operator/handlers/budgets.ts';
import {
  clientOf,
  connect,
  type Handler,
  json,
  plainTarget,
  status,
  syntheticServer,
  until,
} from '../../kube/support/server.ts';
import { TestClock } from '../../kube/support/test-clock.ts';
import { type ReviewWish, reviewText } from '../admission/reviews.ts';

type Json = Readonly<Record<string, unknown>>;

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

const selector = { matchLabels: { app: 'web' } };
const fine = { selector, maxUnavailable: 1 };
const stored = [aPub('other', { selector, minAvailable: 2 })];
const elsewhere = [{ ...aPub('other', { selector, minAvailable: 2 }), metadata: { name: 'other', namespace: 'bank' } }];

function budget(spec: unknown, metadata: Json = {}, version = 'v1beta1'): Json {
  return {
    apiVersion: `policy.kruise.io/${version}`,
    kind: 'PodUnavailableBudget',
    metadata: { name: 'web', namespace: 'shop', ...metadata },
    spec,
  };
}

interface Setting {
  /** What the watch has shown. Undefined: nothing yet. */
  readonly known?: readonly PodUnavailableBudget[] | undefined;
  /** What the API server answers to a list; else what the watch has shown. */
  readonly server?: Handler;
  readonly leftToOthers?: boolean;
}

const listOf = (items: readonly object[]): Handler => {
  return (_, response) => json(response, 200, { metadata: { resourceVersion: '9' }, items });
};

async function handlerFor({ known, server = listOf(inShop(known)), leftToOthers = false }: Setting) {
  const pubs = new ObjectCache<PodUnavailableBudget>({
    report: (error) => {
      throw error;
    },
  });
  if (known !== undefined) pubs.replace(known, '5');
  const api = await syntheticServer(server);
  const connection = connect(plainTarget(api.url));
  cleanups.push(
    () => api.close(),
    () => connection.close(),
  );
  const client = clientOf(connection);
  const parts = { pubs, client, clock: realClock, leftToOthers: () => leftToOthers };
  return { handler: budgetsHandler(parts), asked: api.asked };
}

function inShop(pubs: readonly PodUnavailableBudget[] = []): readonly PodUnavailableBudget[] {
  return pubs.filter(({ metadata }) => metadata.namespace === 'shop');
}

function reviewOf(wish: ReviewWish) {
  const resource = { group: 'policy.kruise.io', version: 'v1beta1', resource: 'podunavailablebudgets' };
  const read = readReview(Buffer.from(reviewText({ name: 'web', resource, ...wish })));
  if (!read.ok) throw new Error(read.problem);
  return read.request;
}

const deadline = new Deadline(new TestClock(), 9_000);

async function answerTo(wish: ReviewWish, setting: Setting = { known: [] }): Promise<AdmissionAnswer> {
  const { handler } = await handlerFor(setting);
  return handler.answer(reviewOf(wish), { deadline });
}

const created = (object: unknown): ReviewWish => ({ operation: 'CREATE', object });
const updated = (oldObject: unknown, object: unknown): ReviewWish => ({ operation: 'UPDATE', oldObject, object });

describe('a budget that is written', () => {
  it.each<readonly [string, ReviewWish, readonly PodUnavailableBudget[]]>([
    ['is valid', created(budget(fine)), []],
    ['is valid, in the old version', created(budget(fine, {}, 'v1alpha1')), []],
    ['is like one of another namespace', created(budget(fine)), elsewhere],
    ['is changed', updated(budget(fine), budget({ selector, maxUnavailable: '30%' })), [aPub('web', fine)]],
    [
      'is going, and not even valid',
      updated(budget({}), budget({ a: 1 }, { deletionTimestamp: '2026-01-01T00:00:00Z' })),
      stored,
    ],
    ['was never valid, and gets another label', updated(budget({}), budget({}, { labels: { a: 'b' } })), stored],
    ['is deleted', { operation: 'DELETE', oldObject: budget({}) }, stored],
    ['gets its status', { ...updated(budget({}), budget({ a: 1 })), subResource: 'status' }, stored],
    ['is no budget', { ...created({}), resource: { group: '', version: 'v1', resource: 'pods' } }, stored],
  ])('passes when it %s', async (_, wish, known) => {
    const answer = await answerTo(wish, { known });
    expect([answer.allowed, answer.warnings ?? []]).toEqual([true, []]);
  });

  it.each<readonly [string, ReviewWish, readonly PodUnavailableBudget[], string]>([
    ['has no limit', created(budget({ selector })), [], 'spec.maxUnavailable, minAvailable'],
    ['has no spec', created(budget(undefined)), [], 'spec.selector, targetRef'],
    [
      'is not valid in the old version',
      created(budget({ selector }, {}, 'v1alpha1')),
      [],
      'spec.maxUnavailable, minAvailable',
    ],
    ['wants the pods of another', created(budget(fine)), stored, 'spec.selector'],
    [
      'wants the pods of another, and names its namespace in the path alone',
      created(budget(fine, { namespace: undefined })),
      stored,
      'spec.selector',
    ],
    [
      'gets its name from the server, and wants the pods of another',
      { ...created(budget(fine, { name: undefined, generateName: 'web-' })), name: '' },
      stored,
      'spec.selector',
    ],
    [
      'gets another target',
      updated(budget(fine), budget({ ...fine, selector: { matchLabels: { app: 'api' } } })),
      [],
      'spec.selector, targetRef',
    ],
    [
      'gets an annotation that cannot be read',
      updated(budget(fine), budget(fine, { annotations: { 'pub.kruise.io/protect-total-replicas': 'many' } })),
      [],
      'metadata.annotations[pub.kruise.io/protect-total-replicas]',
    ],
  ])('is a 422 that names the field when it %s', async (_, wish, known, field) => {
    const answer = await answerTo(wish, { known });
    expect(answer).toMatchObject({
      allowed: false,
      code: 422,
      reason: 'Invalid',
      causes: expect.arrayContaining([expect.objectContaining({ field })]),
    });
  });

  it.each<readonly [string, ReviewWish, string]>([
    ['there is no object', created(null), 'request.object must be an object'],
    ['the object has no metadata', created({ spec: fine }), 'request.object.metadata must be an object'],
    ['an update lacks the old object', updated(null, budget(fine)), 'request.oldObject must be an object'],
  ])('is a 400 when %s', async (_, wish, message) => {
    expect(await answerTo(wish)).toMatchObject({ allowed: false, code: 400, message });
  });

  it('and overlaps with another since before can still be changed, with a warning', async () => {
    const answer = await answerTo(updated(budget(fine), budget({ selector, maxUnavailable: 2 })), { known: stored });
    expect(answer).toMatchObject({
      allowed: true,
      warnings: [expect.stringContaining('in conflict with other PodUnavailableBudget other')],
    });
  });
});

it('budgets that belong to Kruise are judged by its rules', async () => {
  const both = created(budget({ ...fine, minAvailable: 1 }));
  expect(await answerTo(both, { known: [] })).toMatchObject({ allowed: false });
  expect(await answerTo(both, { known: [], leftToOthers: true })).toEqual({ allowed: true });
});

describe('warnings', () => {
  const spelt = (operations: string) => ({ annotations: { 'kruise.io/pub-protect-operations': operations } });
  it.each<readonly [string, Json, Json, readonly string[]]>([
    [
      'both spellings, which differ',
      { ...fine, protectOperations: ['EVICT'] },
      spelt('DELETE'),
      ['contradicts spec.protectOperations'],
    ],
    ['both spellings, which agree', { ...fine, protectOperations: ['EVICT', 'DELETE'] }, spelt('DELETE, EVICT'), []],
    ['an annotation beside an empty list', { ...fine, protectOperations: [] }, spelt('DELETE'), []],
    ['maxUnavailable 0', { selector, maxUnavailable: 0 }, {}, ['spec.maxUnavailable is 0: no healthy pod']],
    ['maxUnavailable 0%', { selector, maxUnavailable: '0%' }, {}, ['spec.maxUnavailable is 0%: no healthy pod']],
    ['minAvailable 100%', { selector, minAvailable: '100%' }, {}, ['spec.minAvailable is 100%: no healthy pod']],
    ['minAvailable 0', { selector, minAvailable: 0 }, {}, ['spec.minAvailable is 0: this budget protects nothing']],
    ['maxUnavailable 100%', { selector, maxUnavailable: '100%' }, {}, ['this budget protects nothing']],
    [
      'two limits, of which one protects nothing',
      { selector, maxUnavailable: '100%', minAvailable: 1, podGroupPolicy: { groupLabelKey: 'g' } },
      {},
      [],
    ],
    [
      'two limits, of which one lets nothing go',
      { selector, maxUnavailable: '100%', minAvailable: '100%', podGroupPolicy: { groupLabelKey: 'g' } },
      {},
      ['spec.minAvailable is 100%: no healthy pod'],
    ],
  ])('%s', async (_, spec, metadata, warnings) => {
    const answer = await answerTo(created(budget(spec, metadata)));
    expect(answer.allowed).toBe(true);
    expect(answer.warnings).toEqual(warnings.map((text) => expect.stringContaining(text)));
  });
});

describe('the other budgets of the namespace', () => {
  it('[U8] are read from the API server, whatever the watch has shown', async () => {
    const { handler, asked } = await handlerFor({ known: [], server: listOf(stored) });
    const answer = await handler.answer(reviewOf(created(budget(fine))), { deadline });
    expect(answer).toMatchObject({ allowed: false, code: 422, reason: 'Invalid' });
    expect(asked).toEqual([
      expect.stringMatching('^GET /apis/policy.kruise.io/v1beta1/namespaces/shop/podunavailablebudgets?'),
    ]);
    expect(asked[0]).not.toContain('resourceVersion=');
    expect(await answerTo(created(budget(fine)), { known: stored, server: listOf([]) })).toMatchObject({
      allowed: true,
    });
  });

  it.each<readonly [string, Handler]>([
    ['fails', (_, response) => json(response, 500, status(500, 'InternalError', 'no'))],
    ['is garbled', (_, response) => json(response, 200, { items: [] })],
  ])(
    '[U8] [I4] cannot be compared while the list %s: a 503 that says so, whatever the watch has shown',
    async (_, server) => {
      const answer = await answerTo(created(budget(fine)), { known: [], server });
      expect(answer).toMatchObject({
        allowed: false,
        code: 503,
        reason: 'ServiceUnavailable',
        message: expect.stringContaining('; retry'),
      });
    },
  );

  it('[U8] do not matter to what is wrong by itself, nor to a change, which cannot begin to overlap', async () => {
    const server: Handler = (_, response) => json(response, 500, status(500, 'InternalError', 'no'));
    expect(await answerTo(updated(budget({}), budget({})), { server })).toEqual({ allowed: true });
    expect(await answerTo(created(null), { server })).toMatchObject({ code: 400 });
    expect(await answerTo(created(budget({ selector })), { server })).toMatchObject({ code: 422 });
    const frozen = updated(budget(fine), budget({ selector, maxUnavailable: 0 }));
    expect(await answerTo(frozen, { server })).toMatchObject({ allowed: true });
  });

  it('[U8] are waited for when one was just admitted and is not stored yet', async () => {
    let listed: readonly object[] = [];
    const { handler, asked } = await handlerFor({ server: (_, response) => listOf(listed)({} as never, response, '') });
    const ask = (name: string, spec: object = fine) =>
      handler.answer(reviewOf({ ...created(budget(spec, { name })), name }), { deadline });
    expect(await ask('first')).toMatchObject({ allowed: true });
    const second = ask('second');
    await until(() => asked.length >= 3, 'the second one to be compared again');
    listed = [aPub('first', fine)];
    expect(await second).toMatchObject({ allowed: false, code: 422 });
  });

  it('[U8] are not waited for without end when what was admitted is never stored', async () => {
    const { handler, asked } = await handlerFor({ known: [] });
    const ask = (name: string, spec: object, dryRun = false) =>
      handler.answer(reviewOf({ ...created(budget(spec, { name })), name, dryRun }), { deadline });
    expect(await ask('dry', fine, true)).toMatchObject({ allowed: true });
    expect(await ask('first', fine)).toMatchObject({ allowed: true });
    expect(await ask('other', { ...fine, selector: { matchLabels: { app: 'db' } } })).toMatchObject({ allowed: true });
    expect(asked).toHaveLength(3);
    expect(await ask('second', fine)).toMatchObject({ allowed: true });
    expect(asked.length).toBeGreaterThan(4);
  });
});

it.each(['late', 'failed'] as const)('doubt (%s) is a 503, and never a yes', async (why) => {
  const { handler } = await handlerFor({ known: [] });
  expect(handler.inDoubt(reviewOf(created(budget(fine))), why)).toMatchObject({ allowed: false, code: 503 });
});

it('whatever is written, there is an answer', async () => {
  const { handler } = await handlerFor({ known: stored });
  const spec = fc.oneof(
    fc.jsonValue(),
    fc.record(
      {
        selector: fc.oneof(fc.constant(selector), fc.jsonValue()),
        maxUnavailable: fc.oneof(fc.constantFrom(0, 1, '0%', '100%'), fc.jsonValue()),
        minAvailable: fc.oneof(fc.constantFrom(0, 1, '100%'), fc.jsonValue()),
        protectOperations: fc.oneof(fc.constant(['EVICT']), fc.jsonValue()),
        podGroupPolicy: fc.oneof(fc.constant({ groupLabelKey: 'g' }), fc.jsonValue()),
      },
      { requiredKeys: [] },
    ),
  );
  const metadata = fc.oneof(fc.jsonValue(), fc.record({ annotations: fc.jsonValue() }));
  const object = fc.oneof(fc.jsonValue(), fc.record({ metadata, spec }));
  await fc.assert(
    fc.asyncProperty(object, object, fc.constantFrom('CREATE', 'UPDATE'), async (now, old, operation) => {
      const answer = await handler.answer(reviewOf({ operation, object: now, oldObject: old }), { deadline });
      if (!answer.allowed) expect([400, 422]).toContain(answer.code);
    }),
  );
});
