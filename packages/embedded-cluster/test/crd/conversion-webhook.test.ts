import { describe, expect, test } from 'vitest';
import { createPostReview, type PostReview } from '../../src/crd/conversion-post.ts';
import { conversionWebhook } from '../../src/crd/conversion-webhook.ts';
import type { KubeObject } from '../../src/objects.ts';
import { realClock } from '../../src/time/clock.ts';
import { widgets } from './widgets.ts';

const crd = widgets((made) => {
  made.spec.conversion = {
    strategy: 'Webhook',
    webhook: { clientConfig: { url: 'https://hook/convert' }, conversionReviewVersions: ['v9', 'v1'] },
  };
});

function widget(name: string, version: string): KubeObject {
  return {
    apiVersion: `example.com/${version}`,
    kind: 'Widget',
    metadata: { name, uid: `uid-${name}`, labels: { old: 'label' }, generation: 4 },
    spec: {},
  };
}

type Review = { request: { uid: string; desiredAPIVersion: string; objects: KubeObject[] } };

/** Answers as the given function says; by default as a webhook should. */
function hook(
  change: (answer: { apiVersion: string; kind: string; response: Record<string, unknown> }) => void = () => {},
): { post: PostReview; seen: Review[] } {
  const seen: Review[] = [];
  const post: PostReview = async (_config, body) => {
    const review = JSON.parse(body) as Review;
    seen.push(review);
    const convertedObjects = review.request.objects.map((object) => ({
      ...object,
      apiVersion: review.request.desiredAPIVersion,
      metadata: { ...object.metadata, labels: { new: 'label' }, generation: 99 },
    }));
    const answer = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'ConversionReview',
      response: { uid: review.request.uid, result: { status: 'Success' }, convertedObjects } as Record<string, unknown>,
    };
    change(answer);
    return { kind: 'answer', body: JSON.stringify(answer) };
  };
  return { post, seen };
}

const newUid = () => 'review-1';

test('only objects in another version are sent, and come back in their places', async () => {
  const { post, seen } = hook();
  const result = await conversionWebhook(crd, { post, newUid })(
    [widget('a', 'v1'), widget('b', 'v2'), widget('c', 'v1')],
    'example.com/v2',
  );
  expect(result.map((object) => [object.metadata.name, object.apiVersion])).toEqual([
    ['a', 'example.com/v2'],
    ['b', 'example.com/v2'],
    ['c', 'example.com/v2'],
  ]);
  expect(seen).toEqual([
    {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'ConversionReview',
      request: {
        uid: 'review-1',
        desiredAPIVersion: 'example.com/v2',
        objects: [widget('a', 'v1'), widget('c', 'v1')],
      },
    },
  ]);
});

test('nothing is sent when nothing is to be converted', async () => {
  const { post, seen } = hook();
  const objects = [widget('a', 'v2')];
  expect(await conversionWebhook(crd, { post, newUid })(objects, 'example.com/v2')).toBe(objects);
  expect(seen).toEqual([]);
});

test('labels and annotations may change, other metadata may not', async () => {
  const [object] = await conversionWebhook(crd, { post: hook().post, newUid })([widget('a', 'v1')], 'example.com/v2');
  expect(object?.metadata).toEqual({ name: 'a', uid: 'uid-a', labels: { new: 'label' }, generation: 4 });
});

describe('answers that are not believed', () => {
  const subject = 'Internal error occurred: conversion webhook for example.com/v1, Kind=Widget';
  const first = (answer: { response: Record<string, unknown> }) =>
    (answer.response['convertedObjects'] as KubeObject[])[0] ?? widget('', '');
  test.each<[string, Parameters<typeof hook>[0], string]>([
    [
      'a failure',
      (answer) => {
        answer.response['result'] = { status: 'Failed', message: 'no idea' };
      },
      'failed: no idea',
    ],
    [
      'a failure without words',
      (answer) => {
        answer.response['result'] = { status: 'Failed' };
      },
      "failed: response.result.status was 'Failed', not 'Success'",
    ],
    [
      'another review',
      (answer) => {
        answer.response['uid'] = 'other';
      },
      'failed: expected response.uid="review-1", got "other"',
    ],
    [
      'another kind of answer',
      (answer) => {
        answer.kind = 'Pod';
      },
      'failed: expected webhook response of apiextensions.k8s.io/v1, Kind=ConversionReview, got apiextensions.k8s.io/v1, Kind=Pod',
    ],
    [
      'no answer',
      (answer) => {
        Object.assign(answer, { response: undefined });
      },
      'failed: no response provided',
    ],
    [
      'too few objects',
      (answer) => {
        answer.response['convertedObjects'] = [];
      },
      'returned 0 objects, expected 1',
    ],
    [
      'another version',
      (answer) => {
        first(answer).apiVersion = 'example.com/v3';
      },
      'returned invalid converted object at index 0: invalid groupVersion (expected example.com/v2, received example.com/v3)',
    ],
    [
      'another kind',
      (answer) => {
        first(answer).kind = 'Gadget';
      },
      'returned invalid converted object at index 0: invalid kind (expected Widget, received Gadget)',
    ],
    [
      'another name',
      (answer) => {
        first(answer).metadata.name = 'z';
      },
      'returned invalid converted object at index 0: must have the same name: a != z',
    ],
    [
      'another uid',
      (answer) => {
        first(answer).metadata.uid = 'z';
      },
      'returned invalid converted object at index 0: must have the same UID: uid-a != z',
    ],
    [
      'no metadata',
      (answer) => {
        Object.assign(first(answer), { metadata: undefined });
      },
      'returned invalid converted object at index 0: missing metadata in converted object',
    ],
  ])('%s', async (_, change, text) => {
    const convert = conversionWebhook(crd, { post: hook(change).post, newUid });
    await expect(convert([widget('a', 'v1')], 'example.com/v2')).rejects.toMatchObject({
      status: { code: 500, message: `${subject} ${text}` },
    });
  });

  test('no JSON', async () => {
    const convert = conversionWebhook(crd, { post: async () => ({ kind: 'answer', body: '<html>' }), newUid });
    await expect(convert([widget('a', 'v1')], 'example.com/v2')).rejects.toThrow(
      `${subject} failed: the response is not a JSON object`,
    );
  });
});

test('a service that cannot be found, and an address that cannot be reached, are said', async () => {
  const post = createPostReview({ clock: realClock, resolveService: () => undefined });
  expect(await post({ service: { namespace: 'n', name: 's', path: '/c', port: 8443 } }, '{}', 30_000)).toEqual({
    kind: 'failed',
    reason: 'Post "https://s.n.svc:8443/c?timeout=30s": service "s" not found',
  });
  expect(await post({ url: 'https://127.0.0.1:1/c' }, '{}', 30_000)).toEqual({
    kind: 'failed',
    reason: expect.stringContaining('Post "https://127.0.0.1:1/c?timeout=30s": '),
  });
  expect(await post({}, '{}', 30_000)).toMatchObject({ kind: 'failed' });
});
