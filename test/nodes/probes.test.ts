import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { annotation, condition } from '../../packages/holdfast/src/api/names.ts';
import { blockersOf, expectDone, expectNotNow } from '../e2e/support/refusals.ts';
import { conditionOf } from '../e2e/support/scene.ts';
import { waitUntil } from '../e2e/support/wait.ts';
import { execNamespace } from './support/installation.ts';
import { barePod, pub } from './support/objects.ts';
import { type NodesScene, nodesScene, patience } from './support/scene.ts';

/** Each asks the application in another way, at a port of its own; the application answers each by a file of that name. */
const probes = {
  http: { httpGet: { path: '/disruptable', port: 8080 } },
  tcp: { tcpSocket: { port: 8081 } },
  grpc: { grpc: { port: 8082 } },
  exec: { exec: { command: ['/testapp', 'check', 'exec'] } },
} as const;
const kinds = Object.keys(probes) as (keyof typeof probes)[];
let scene: NodesScene;

beforeAll(async () => {
  scene = await nodesScene(execNamespace);
  const probe = (kind: keyof typeof probes) =>
    JSON.stringify({ ...probes[kind], periodSeconds: 1, failureThreshold: 1 });
  await scene.apply(
    ...kinds.map((kind) => barePod(kind, { app: 'probed' }, {}, { [annotation.disruptionProbe]: probe(kind) })),
    pub('probed', { selector: { matchLabels: { app: 'probed' } }, maxUnavailable: 1 }),
  );
  await scene.waitReady(kinds.length, 'app=probed');
  await scene.waitEnforced('pub', 'probed');
});
afterAll(async () => {
  await scene.kubectl('delete', 'pub,pod', '--all', '--force', '--wait=false');
  await scene.close();
});

const becomes = (pod: string, status: string) =>
  waitUntil(
    `the probe of ${pod} says ${status}`,
    async () => (await scene.pods()).find(({ metadata }) => metadata.name === pod),
    (found) => found !== undefined && conditionOf(found, condition.disruptable)?.status === status,
    patience,
  );

/** An answer counts when the agent has confirmed it; until then it is a no. */
const evictable = (pod: string) =>
  waitUntil(
    `${pod} may be evicted`,
    () => scene.evict(pod, true),
    ({ code }) => code === 201,
    patience,
  );

/** Each begins and ends with an application that can be disrupted: the budget counts all of them. */
afterEach(async () => {
  for (const kind of kinds) await answer(kind, 'yes');
});

async function answer(kind: string, word: 'yes' | 'no'): Promise<void> {
  expect(await scene.kubectl('exec', kind, '--', '/testapp', 'set', kind, word)).toMatchObject({ code: 0 });
}

describe('disruption probes of real containers', () => {
  it.each(kinds)('%s: the answer of the application decides about its eviction', async (kind) => {
    await becomes(kind, 'True');
    expectDone(await evictable(kind));
    await answer(kind, 'no');
    await becomes(kind, 'False');
    const refused = await waitUntil(
      `${kind} may not be evicted`,
      () => scene.evict(kind, true),
      ({ code }) => code === 429,
      patience,
    );
    expectNotNow(refused);
    expect(blockersOf(refused)).toEqual(['ProbeVeto']);
    await answer(kind, 'yes');
    await becomes(kind, 'True');
    expectDone(await evictable(kind));
  });
});
