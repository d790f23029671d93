import { afterAll, describe, expect, it } from 'vitest';
import { observeAvailability } from '../support/availability.ts';
import { made } from '../support/cluster.ts';
import { testWebhooks } from '../support/cluster-webhooks.ts';
import { addForeignWebhook } from './support/foreign-webhook.ts';
import { addNode } from './support/nodes.ts';
import { pod, pub } from './support/objects.ts';
import { expectDone, expectNotNow } from './support/refusals.ts';
import { pathOf, type Scene, sceneIn } from './support/scene.ts';
import { suite } from './support/suite.ts';
import { waitUntil } from './support/wait.ts';

const { cluster, skipped } = await suite({ replicas: 2 });
const node = skipped ? '' : await addNode(cluster, 'any');
const foreign = await testWebhooks();
afterAll(() => foreign.close());

/** Another program's webhook, which keeps the API server waiting about one pod until it is told to let go. */
async function heldUp(scene: Scene, name: string): Promise<{ isHeld(): boolean; letGo(): void }> {
  let asked = 0;
  let held = false;
  let letGo = () => {};
  const released = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  await addForeignWebhook(scene, foreign, {
    name: scene.namespace,
    rules: [
      { operations: ['CREATE'], resources: ['pods/eviction'] },
      { operations: ['DELETE'], resources: ['pods'] },
    ],
    async handler({ review: { request } }) {
      asked += 1;
      if (request['name'] === name && request['dryRun'] !== true) {
        held = true;
        await released;
      }
      return { allowed: true };
    },
  });
  await waitUntil(
    'the API server asks the webhook',
    async () => {
      await scene.remove('serving', {}, '?dryRun=All');
      return asked;
    },
    (count) => count > 0,
  );
  return { isHeld: () => held, letGo };
}

describe.skipIf(skipped)('a pod that is asked for before it runs, and comes up before it goes', () => {
  it.each(['evict', 'remove'] as const)('[I1] [X1] is counted as gone: %s', async (way) => {
    const scene = await sceneIn(cluster);
    const budget = pub('web', { minAvailable: 1 });
    await scene.addPods(pod('serving', { node }));
    await scene.apply(budget);
    await scene.waitEnforced(budget);
    const observer = await observeAvailability(cluster, { namespace: scene.namespace });
    const { isHeld, letGo } = await heldUp(scene, 'starting');
    const starting = pod('starting', { node, annotations: { 'sim.holdfast.dev/start-delay': '4s' } });
    await made(cluster.request('POST', pathOf(scene.namespace, 'Pod'), { body: starting }));

    const going = scene[way]('starting');
    await waitUntil('the API server waits', async () => isHeld(), Boolean);
    expect((await scene.pod('starting')).body.status?.['phase']).toBe('Pending');
    await scene.waitReady(2);
    // Two serve. If both may go, none does.
    const refused = await scene.evict('serving');
    letGo();
    expectDone(await going);
    expectNotNow(refused);
    await observer.caughtUp();
    expect(observer.lowest, observer.describe()).toBe(1);
    observer.close();
  });
});
