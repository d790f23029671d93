import { afterAll, describe, expect, it } from 'vitest';
import { JumpClock } from '../../packages/holdfast/test/operator/certificates/jump-clock.ts';
import { isReady } from '../support/availability.ts';
import { made, pause } from '../support/cluster.ts';
import { ConnectionProxy } from '../support/connection-proxy.ts';
import { addNode } from './support/nodes.ts';
import { pod, pub } from './support/objects.ts';
import { blockersOf } from './support/refusals.ts';
import { contentTypes, type Scene, sceneIn } from './support/scene.ts';
import { suite } from './support/suite.ts';
import { waitUntil } from './support/wait.ts';

let proxy: ConnectionProxy | undefined;
const clock = new JumpClock();
const { cluster, skipped } = await suite({
  accessOf: async (_, access) => {
    proxy = await ConnectionProxy.start(access);
    return proxy.through(access);
  },
  clockOf: () => clock,
});
afterAll(() => proxy?.close());
const node = skipped ? '' : await addNode(cluster, 'any');

/** Much longer than the 15 seconds that a dead connection may stay unnoticed, and much shorter than the 130 that it once did. */
const withinMs = 45_000;

/** Asked once, without the patience of clients: what one answer says is what these tests are about. Nothing comes of asking. */
async function ask({ namespace }: Scene, name: string): Promise<string> {
  const path = `/api/v1/namespaces/${namespace}/pods/${name}/eviction?dryRun=All`;
  const body = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace } };
  const answer = await cluster.request('POST', path, { body });
  return answer.code < 300 ? 'allowed' : `${answer.code} ${blockersOf(answer).join(', ')}`;
}

/** The pod fails; the operator may not have seen it. */
async function fail({ namespace }: Scene, name: string): Promise<void> {
  const path = `/api/v1/namespaces/${namespace}/pods/${name}`;
  if (cluster.embedded) {
    const body = { metadata: { annotations: { 'sim.holdfast.dev/ready': 'false' } } };
    await made(cluster.request('PATCH', path, { contentType: contentTypes.merge, body }));
  } else {
    const body = { status: { conditions: [{ type: 'Ready', status: 'False' }] } };
    await made(cluster.request('PATCH', `${path}/status`, { contentType: contentTypes.strategic, body }));
  }
  await waitUntil(
    `${name} is not ready`,
    () => made(cluster.request('GET', path)),
    (body) => !isReady(body),
  );
}

async function threePodsOfWhichTwoAreNeeded(): Promise<Scene> {
  const scene = await sceneIn(cluster);
  await scene.addPods(...['web-0', 'web-1', 'web-2'].map((name) => pod(name, { node })));
  const budget = pub('web', { minAvailable: 2 });
  await scene.apply(budget);
  await scene.waitEnforced(budget);
  await waitUntil(
    'one pod may be evicted',
    () => ask(scene, 'web-1'),
    (answer) => answer === 'allowed',
  );
  return scene;
}

describe.skipIf(skipped).sequential('connections to the API server', () => {
  it('[W1] [I1] that died without being closed are noticed, and what happened meanwhile is known from then on', async () => {
    const scene = await threePodsOfWhichTwoAreNeeded();
    proxy?.freeze();
    await fail(scene, 'web-0');
    const answers: string[] = [];
    await waitUntil(
      'the eviction of another pod is refused',
      async () => answers[answers.push(await ask(scene, 'web-1')) - 1] ?? '',
      (answer) => answer !== 'allowed',
      { withinMs, everyMs: 100 },
    );
    // From here on nothing is let go: first because the view is not current, then because the failed pod is in it.
    await waitUntil(
      'the failed pod is seen',
      async () => answers[answers.push(await ask(scene, 'web-1')) - 1] ?? '',
      (answer) => answer === '429 BudgetExhausted',
      { withinMs, everyMs: 100 },
    );
    expect(answers.slice(answers.findIndex((answer) => answer !== 'allowed'))).not.toContain('allowed');
    // Nor does it come and go.
    for (let round = 0; round < 20; round += 1) {
      expect(await ask(scene, 'web-1')).toBe('429 BudgetExhausted');
      await pause(50);
    }
  });

  it('[W1] that are refused for three minutes let nothing go, and when they come back the operator judges again', async () => {
    const scene = await threePodsOfWhichTwoAreNeeded();
    proxy?.cutOff();
    await fail(scene, 'web-0');
    for (let seconds = 0; seconds < 180; seconds += 10) {
      clock.jump(10_000);
      await pause(50);
    }
    expect(await ask(scene, 'web-1')).toBe('429 NotSynced');
    expect(cluster.operators[0]?.missing()).toContain('a current view of the cluster');
    proxy?.restore();
    const start = clock.monotonic();
    await waitUntil(
      'the failed pod is seen',
      () => ask(scene, 'web-1'),
      (answer) => answer === '429 BudgetExhausted',
    );
    await waitUntil(
      'the operator is ready',
      () => cluster.operators.flatMap((operator) => operator.missing()),
      (missing) => missing.length === 0,
    );
    // The test does not assert on it: how long it takes is measured on a machine that does nothing else.
    process.stderr.write(`judged again ${Math.round(clock.monotonic() - start)} ms after the API server was back\n`);
  });
});
