import { describe, expect, it } from 'vitest';
import type { Answer, Body } from '../support/kube-http.ts';
import { addNode } from './support/nodes.ts';
import { pod, pub } from './support/objects.ts';
import { expectDone, expectNotNow } from './support/refusals.ts';
import { type Scene, sceneIn } from './support/scene.ts';
import { suite } from './support/suite.ts';
import { waitUntil } from './support/wait.ts';

/** Plays OpenKruise's controller: it takes a pod out of service by a readiness gate, changes the image, and puts it back. */

const { cluster, skipped } = await suite({ replicas: 2 });
const node = skipped ? '' : await addNode(cluster, 'any');

const gate = 'InPlaceUpdateReady';
const budget = pub('eight', { minAvailable: 8 });
const names = Array.from({ length: 10 }, (_, i) => `web-${i}`);

async function tenPods(): Promise<Scene> {
  const scene = await sceneIn(cluster);
  const spec = { readinessGates: [{ conditionType: gate }] };
  await Promise.all(
    names.map((name) =>
      cluster.request('POST', `/api/v1/namespaces/${scene.namespace}/pods`, {
        body: pod(name, { node, goes: true, spec }),
      }),
    ),
  );
  await waitUntil(
    'all of them run',
    () => scene.pods(),
    (pods) => pods.length === names.length && pods.every((one) => conditionOf(one, 'ContainersReady') === 'True'),
  );
  for (const name of names) expectDone(await flip(scene, name, 'True'));
  await scene.waitReady(names.length);
  await scene.apply(budget);
  await scene.waitEnforced(budget);
  return scene;
}

function conditionOf(body: Body, type: string): string | undefined {
  const conditions = (body.status?.['conditions'] ?? []) as readonly { type: string; status: string }[];
  return conditions.find((one) => one.type === type)?.status;
}

/** Ready goes with it; on the embedded cluster its kubelets see to that. */
async function flip(scene: Scene, name: string, status: 'True' | 'False'): Promise<Answer> {
  const conditions = cluster.embedded
    ? [{ type: gate, status }]
    : [
        { type: gate, status },
        { type: 'Ready', status },
      ];
  const answer = await scene.patchPod(name, { status: { conditions } }, 'status');
  if (answer.code < 300) {
    await waitUntil(
      `${name} is ${status === 'True' ? 'ready' : 'not ready'}`,
      async () => (await scene.pod(name)).body,
      (body) => conditionOf(body, 'Ready') === status,
    );
  }
  return answer;
}

const setImage = (scene: Scene, name: string, image: string): Promise<Answer> =>
  scene.patchPod(name, { spec: { containers: [{ name: 'main', image }] } });

async function flipAll(scene: Scene): Promise<{ readonly flipped: string[]; readonly refused: string[] }> {
  const flipped: string[] = [];
  const refused: string[] = [];
  for (const name of names) {
    const answer = await flip(scene, name, 'False');
    if (answer.code >= 300) expectNotNow(answer);
    (answer.code < 300 ? flipped : refused).push(name);
  }
  return { flipped, refused };
}

const freed = (scene: Scene) =>
  waitUntil(
    'nothing is reserved any more',
    () => scene.reservations(),
    (reservations) => reservations.length === 0,
    { withinMs: 15_000 },
  );

describe.skipIf(skipped).concurrent('an update in place that a controller announces by a readiness gate', () => {
  it('[I1] [C2] is judged where the pod is taken out of service, and frees nothing by that', async () => {
    const scene = await tenPods();
    const { flipped, refused } = await flipAll(scene);
    expect([flipped.length, refused.length]).toEqual([2, 8]);
    for (const name of refused) expectNotNow(await setImage(scene, name, 'example.com/app:broken'));
    for (const name of flipped) expectDone(await setImage(scene, name, 'example.com/app:broken'));
    // They do not come back, and so do not free the others.
    for (const name of refused) expectNotNow(await flip(scene, name, 'False'));
    for (const name of refused) expectNotNow(await scene.evict(name));
  });

  it('[I9] [C2] is over when the pod was updated and is back in service', async () => {
    const scene = await tenPods();
    const { flipped, refused } = await flipAll(scene);
    for (const name of flipped) {
      const before = restartsOf((await scene.pod(name)).body);
      expectDone(await setImage(scene, name, 'example.com/app:2'));
      await waitUntil(
        `${name} is another container`,
        async () => (await scene.pod(name)).body,
        (body) => restartsOf(body) > before,
      );
    }
    expect((await scene.reservations()).map((one) => one.pod).sort()).toEqual([...flipped].sort());
    for (const name of flipped) expectDone(await flip(scene, name, 'True'));
    await freed(scene);
    expectDone(await flip(scene, refused[0] ?? '', 'False'));
  });

  it('[I9] [C2] is over when the pod is put back in service without an update', async () => {
    const scene = await tenPods();
    const { flipped } = await flipAll(scene);
    expect((await scene.reservations()).map((one) => one.pod).sort()).toEqual([...flipped].sort());
    for (const name of flipped) expectDone(await flip(scene, name, 'True'));
    await freed(scene);
  });
});

function restartsOf(body: Body): number {
  const statuses = (body.status?.['containerStatuses'] ?? []) as readonly { restartCount: number }[];
  return statuses[0]?.restartCount ?? 0;
}
