import { describe, expect, it } from 'vitest';
import { aPod, type PodBuilder } from '../../../../../test/support/builders.ts';
import { World } from '../../../src/core/world/world.ts';
import { Deadline } from '../../../src/operator/admission/deadline.ts';
import { pinHandler } from '../../../src/operator/admission/pod-handler.ts';
import type { PodReading } from '../../../src/operator/admission/verify.ts';
import { readReview } from '../../../src/operator/admission/wire/review.ts';
import { TestClock } from '../../kube/support/test-clock.ts';
import { evictionWish, podObject, type ReviewWish, reviewText } from './reviews.ts';

interface Setting {
  /** What a read says. Without a pod in the view, the pod is only there. */
  readonly reading?: PodReading;
  readonly inView?: PodBuilder;
  readonly observed?: boolean;
}

async function answerTo(wish: ReviewWish, { reading, inView, observed = false }: Setting = {}) {
  const world = new World();
  if (reading === undefined || inView !== undefined) world.upsertPod((inView ?? aPod('web-0')).build());
  const read = readReview(Buffer.from(reviewText(wish)));
  if (!read.ok) throw new Error(read.problem);
  const pods = { read: async () => reading ?? ({ kind: 'missing' } as const) };
  const handler = pinHandler({ world, pods, guards: { modeOf: () => (observed ? 'observe' : 'enforce') } });
  return handler.answer(read.request, { deadline: new Deadline(new TestClock(), 1_000) });
}

describe('[P9] an eviction', () => {
  it.each([
    ['without delete options', undefined, { path: '/deleteOptions', value: { preconditions: { uid: 'uid-web-0' } } }],
    [
      'with a grace period',
      { gracePeriodSeconds: 5 },
      { path: '/deleteOptions/preconditions', value: { uid: 'uid-web-0' } },
    ],
    [
      'with a resourceVersion',
      { preconditions: { resourceVersion: '10' } },
      { path: '/deleteOptions/preconditions/uid', value: 'uid-web-0' },
    ],
  ])('%s is bound to the uid of the pod in view', async (_, options, patch) => {
    expect(await answerTo(evictionWish(options))).toEqual({ allowed: true, patch: [{ op: 'add', ...patch }] });
  });

  it('[E1] stays as it came where requests are only observed', async () => {
    expect(await answerTo(evictionWish(), { observed: true })).toEqual({ allowed: true });
  });

  it('is bound to what is read where the pod is not in view', async () => {
    const reading: PodReading = { kind: 'found', uid: 'uid-new', resourceVersion: '42' };
    const patch = [{ op: 'add', path: '/deleteOptions', value: { preconditions: { uid: 'uid-new' } } }];
    expect(await answerTo(evictionWish(), { reading })).toEqual({ allowed: true, patch });
  });

  it('is bound to the successor of a pod that is terminating in view: bound to that, it would be a 409', async () => {
    const reading: PodReading = { kind: 'found', uid: 'uid-new', resourceVersion: '42' };
    const patch = [{ op: 'add', path: '/deleteOptions', value: { preconditions: { uid: 'uid-new' } } }];
    const inView = aPod('web-0').terminating();
    expect(await answerTo(evictionWish(), { reading, inView })).toEqual({ allowed: true, patch });
  });

  it('is bound to a terminating pod that nothing has replaced', async () => {
    const patch = [{ op: 'add', path: '/deleteOptions', value: { preconditions: { uid: 'uid-web-0' } } }];
    const inView = aPod('web-0').terminating();
    expect(await answerTo(evictionWish(), { reading: { kind: 'missing' }, inView })).toEqual({ allowed: true, patch });
  });

  it('of a pod that does not exist is bound to none: one that is created meanwhile is not meant', async () => {
    const answer = await answerTo(evictionWish(), { reading: { kind: 'missing' } });
    expect(answer).toMatchObject({
      patch: [{ path: '/deleteOptions', value: { preconditions: { uid: 'no-such-pod' } } }],
    });
  });

  it.each([
    ['that has a uid', evictionWish({ preconditions: { uid: 'of-the-client' } }), {}],
    ['of a pod that cannot be read', evictionWish(), { reading: { kind: 'failed', message: 'no route' } }],
    ['that cannot be read', evictionWish({ preconditions: 7 }), {}],
    ['that is a deletion', { oldObject: podObject() }, {}],
  ] as const)('%s is left as it is', async (_, wish, setting) => {
    expect(await answerTo(wish, setting)).toEqual({ allowed: true });
  });

  it('is left as it is in doubt: the validating webhook lets nothing pass by a name alone', () => {
    const read = readReview(Buffer.from(reviewText(evictionWish())));
    if (!read.ok) throw new Error(read.problem);
    const handler = pinHandler({ world: new World(), pods: { read: async () => ({ kind: 'missing' }) } });
    expect(handler.inDoubt(read.request, 'late')).toEqual({ allowed: true });
  });
});
