import { describe, expect, it } from 'vitest';
import { ask, aWorld, inShort, pubNumbers } from '../../../../../test/support/a-world.ts';
import { aPod, aPub, type PodBuilder } from '../../../../../test/support/builders.ts';
import type { PodUnavailableBudgetSpec } from '../../../src/api/pub/pub.ts';
import { decide } from '../../../src/core/decide/decide.ts';
import type { World } from '../../../src/core/world/world.ts';
import { podRequestOf } from '../../../src/operator/admission/pod-request.ts';
import { readReview } from '../../../src/operator/admission/wire/review.ts';
import { podObject, reviewText } from './reviews.ts';

/** Updates that change what a budget is to a pod: which of them are judged, and what is left afterwards. */

type Json = Readonly<Record<string, unknown>>;

const web = (name: string): PodBuilder => aPod(name).labels({ app: 'web', group: 'a' });
const noProtect = { 'pub.kruise.io/no-protect': 'true' };
const ignored = { app: 'web', group: 'a', debug: 'true' };
const unavailable = { app: 'web', group: 'a', 'unavailable-pod.kruise.io/drill': '' };

function shop(spec: PodUnavailableBudgetSpec): World {
  const selector = { matchLabels: { app: 'web' } };
  const ignoredPodSelector = { matchLabels: { debug: 'true' } };
  const pods = ['web-0', 'web-1'].map(web);
  return aWorld({ pods, pubs: [aPub('web', { selector, ignoredPodSelector, ...spec })] });
}

/** What becomes of an UPDATE of web-0 that gives it this metadata, and perhaps another image. */
function update(world: World, metadata: Json, image = 'web:1'): string {
  const before = podObject({ labels: { app: 'web', group: 'a' } });
  const containers = [{ name: 'main', image, resources: { requests: { cpu: '1' } } }];
  const after = podObject({ labels: { app: 'web', group: 'a' }, ...metadata }, { containers });
  const read = readReview(Buffer.from(reviewText({ operation: 'UPDATE', oldObject: before, object: after })));
  if (!read.ok) throw new Error(read.problem);
  const asked = podRequestOf(read.request, { username: 'us' });
  return asked.kind === 'disruption' ? inShort(decide(world, asked.request, 0)) : `${asked.kind} unjudged`;
}

describe('of a budget that has nothing to spare', () => {
  const spent = { minAvailable: 2 };

  it.each<readonly [string, Json, string, string]>([
    ['that opts out by its annotation', { annotations: noProtect }, 'web:1', 'pass unjudged'],
    ['that the budget ignores from now on', { labels: ignored }, 'web:1', 'allow NotProtected'],
    ['that says it is not available', { labels: unavailable }, 'web:1', 'deny BudgetExhausted'],
    ['that opts out, and restarts in the same update', { annotations: noProtect }, 'web:2', 'deny BudgetExhausted'],
    ['that is ignored, and restarts in the same update', { labels: ignored }, 'web:2', 'deny BudgetExhausted'],
    [
      'that is ignored, and leaves the budget in the same update',
      { labels: { ...ignored, app: 'stolen' } },
      'web:1',
      'deny BudgetExhausted',
    ],
  ])('[U1] [U6] [C1] a pod %s: %j %s', (_, metadata, image, expected) => {
    expect(update(shop(spent), metadata, image)).toBe(expected);
  });

  it.each<readonly [string, PodBuilder]>([
    ['opted out', web('web-0').annotate(noProtect)],
    ['is ignored', web('web-0').labels(ignored)],
  ])('[U1] a pod that %s still counts, may go, and leaves the others protected', (_, pod) => {
    const world = shop(spent);
    world.upsertPod(pod.build());
    expect(pubNumbers(world, 'web')).toMatchObject({ available: 2, desired: 2 });
    expect(inShort(ask(world, 'DELETE', 'web-0'))).toBe('allow NotProtected');
    expect(inShort(ask(world, 'DELETE', 'web-1'))).toBe('deny BudgetExhausted');
  });
});

describe('of a budget that has one to spare', () => {
  const room = { minAvailable: 1 };

  it('[U1] [H3] a pod may say that it is not available, and then the budget is spent', () => {
    const world = shop(room);
    expect(update(world, { labels: unavailable })).toBe('allow WithinBudget');
    world.upsertPod(web('web-0').labels(unavailable).build());
    expect(pubNumbers(world, 'web')).toMatchObject({ available: 1 });
    expect(inShort(ask(world, 'EVICT', 'web-1'))).toBe('deny BudgetExhausted');
    expect(inShort(ask(world, 'EVICT', 'web-0'))).toBe('allow WithinBudget');
  });

  it('[U1] a budget that does not protect UPDATE lets any pod say so', () => {
    const world = shop({ minAvailable: 2, protectOperations: ['DELETE', 'EVICT'] });
    expect(update(world, { labels: unavailable })).toBe('allow NotProtected');
  });
});
