import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { waitUntil } from '../e2e/support/wait.ts';
import { tally } from '../faults/support/shop.ts';
import { type AvailabilityObserver, observeAvailability } from '../support/availability.ts';
import { pause } from '../support/cluster.ts';
import { evictInALoop, type Load } from './support/load.ts';
import { note } from './support/notes.ts';
import { deployment, pub } from './support/objects.ts';
import { killHard, leader, operatorPods, waitOperators } from './support/operators.ts';
import { type NodesScene, nodesScene, patience } from './support/scene.ts';

const replicas = 6;
/** So short that its pods still count as ready: those that a node loses are no evictions, and no budget is spent by them. */
const cutMs = 20_000;
let scene: NodesScene;
let observer: AvailabilityObserver;
let load: Load;

beforeAll(async () => {
  scene = await nodesScene();
  const budget = pub('web', { selector: { matchLabels: { app: 'web' } }, maxUnavailable: 1 });
  await scene.apply(deployment('web', replicas, { graceSeconds: 1 }), budget);
  await scene.waitReady(replicas, 'app=web');
  await scene.waitEnforced('pub', 'web');
});
afterAll(() => scene.close());
beforeEach(async () => {
  await waitOperators(scene);
  await scene.waitReady(replicas, 'app=web');
  observer = await observeAvailability(scene.cluster, { namespace: scene.namespace, selector: 'app=web' });
  load = evictInALoop(scene, 'app=web', 3);
  await admittedAgain();
});
afterEach(() => observer.close());

/** Evictions are admitted that were asked for from now on. */
async function admittedAgain(more = 3): Promise<void> {
  const before = load.answers.length;
  const admitted = () => load.answers.slice(before).filter(({ code }) => code === 201).length;
  await waitUntil('evictions are admitted', admitted, (count) => count >= more, patience);
}

/** @returns what was neither admitted nor refused by a budget */
async function judge(what: string): Promise<readonly string[]> {
  const answers = await load.stop();
  await observer.caughtUp();
  note(what, JSON.stringify(tally(answers)));
  expect(observer.lowest, observer.describe()).toBeGreaterThanOrEqual(replicas - 1);
  return answers.filter(({ code }) => code >= 500 || code === 0).map(({ code, text }) => `${code} ${text}`);
}

describe('under load, a budget is not overspent', () => {
  it('[I1] when the leading operator is killed with -9', async () => {
    await killHard(scene, await leader(scene));
    await admittedAgain();
    const failures = await judge('kill -9 of the leader');
    // Whatever was under way there, or was sent to it before its Service forgot it, is answered by the API server: as an error, never as a yes.
    for (const failure of failures) expect(failure).toContain('failed calling webhook');
  });

  it('[I1] when the leading operator is deleted, without one failed request', async () => {
    const name = await leader(scene);
    await scene.kubectl('-n', 'holdfast-system', 'delete', 'pod', name, '--wait=false');
    await waitUntil(
      `${name} ends`,
      async () => (await operatorPods(scene)).some(({ metadata }) => metadata.name === name),
      (there) => !there,
      patience,
    );
    await admittedAgain();
    expect(await judge('graceful deletion of the leader')).toEqual([]);
  });

  it('[I1] when the API server is killed with -9 and comes back', async () => {
    await scene.bed.kill('kube-apiserver', 'KILL');
    await admittedAgain();
    await judge('API server killed and restarted');
  });

  it("[I1] when the leader's node is cut off, and heals", async () => {
    const name = await leader(scene);
    const node = (await operatorPods(scene)).find(({ metadata }) => metadata.name === name)?.spec['nodeName'];
    await scene.bed.cutOff(String(node));
    await pause(cutMs);
    await scene.bed.heal(String(node));
    await admittedAgain();
    await judge('node of the leader cut off and healed');
  });
});
