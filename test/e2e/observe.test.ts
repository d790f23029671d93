import { describe, expect, it } from 'vitest';
import { label } from '../../packages/holdfast/src/api/names.ts';
import { made, pause } from '../support/cluster.ts';
import type { Answer } from '../support/kube-http.ts';
import { addNode } from './support/nodes.ts';
import { type Named, pdb, pod, pub } from './support/objects.ts';
import { expectDone, expectNotNow } from './support/refusals.ts';
import { conditionOf, contentTypes, pathOf, type Scene, sceneIn } from './support/scene.ts';
import { suite } from './support/suite.ts';
import { waitUntil } from './support/wait.ts';

/** Namespaces that are observed: everything is judged, nothing is refused, and what would have been is told. */

const { cluster, skipped } = await suite({ replicas: 2 });
const node = skipped ? '' : await addNode(cluster, 'any');

const grouping = { 'holdfast.dev/budget-scope': 'PodGroup', 'holdfast.dev/group-label': 'shard' };
const selector = { matchLabels: { app: 'llm' } };
const everyGroup: Named = pdb('llm', { selector, minAvailable: 2 }, grouping);
const projected = 'holdfast.dev/disruptions-allowed';

async function labelled(scene: Scene, value: string | null): Promise<void> {
  const path = `/api/v1/namespaces/${scene.namespace}`;
  const body = { metadata: { labels: { [label.guard]: value } } };
  await made(cluster.request('PATCH', path, { contentType: contentTypes.merge, body }));
}

/** Two groups of two pods. */
async function twoGroups(): Promise<Scene> {
  const scene = await sceneIn(cluster);
  const names = ['0', '1'].flatMap((shard) => ['a', 'b'].map((one) => ({ shard, name: `${one}-${shard}` })));
  await scene.addPods(...names.map(({ shard, name }) => pod(name, { node, labels: { app: 'llm', shard } })));
  return scene;
}

async function observedScene(...budgets: readonly Named[]): Promise<Scene> {
  const scene = await twoGroups();
  await labelled(scene, 'observe');
  await scene.apply(...budgets);
  for (const budget of budgets) await untilObserved(scene, budget);
  return scene;
}

async function untilObserved(scene: Scene, { kind, metadata }: Named): Promise<void> {
  const isPub = kind === 'PodUnavailableBudget';
  const type = isPub ? 'Enforced' : 'holdfast.dev/GroupBudget';
  await waitUntil(
    `${kind} ${metadata.name} is observed`,
    async () =>
      conditionOf(await scene.read(isPub ? 'PodUnavailableBudget' : 'PodDisruptionBudget', metadata.name), type),
    (condition) => condition?.reason === 'Observed' && condition.status === (isPub ? 'False' : 'Unknown'),
  );
}

function warningOf({ headers }: Answer): string {
  return String(headers['warning'] ?? '');
}

async function eventsOf(scene: Scene, reason: string): Promise<readonly string[]> {
  const { items } = await made(cluster.request('GET', pathOf(scene.namespace, 'Event')));
  return items
    .filter((one) => one.reason === reason)
    .map((one) => (one['involvedObject'] as { readonly kind: string }).kind)
    .sort();
}

describe.skipIf(skipped).concurrent('a namespace that is observed', () => {
  it('[E1] lets an eviction pass that would be refused, with a warning and events, and without a reservation', async () => {
    const scene = await observedScene(everyGroup);
    const evicted = await scene.evict('a-0');
    expectDone(evicted);
    expect(warningOf(evicted)).toMatch(/Holdfast would refuse this, and observe mode lets it pass .*a-0/);
    expect(await scene.reservations()).toEqual([]);
    expect((await scene.pod('a-0')).body.metadata.deletionTimestamp).toBeDefined();
    await waitUntil(
      'events tell of it',
      () => eventsOf(scene, 'DisruptionObserved'),
      (kinds) => kinds.join() === 'Pod,PodDisruptionBudget',
    );
    expect(await eventsOf(scene, 'DisruptionRefused')).toEqual([]);
  });

  it('[E1] says nothing about what would be allowed, and reserves nothing for it', async () => {
    const scene = await observedScene(pdb('llm', { selector, minAvailable: 1 }, grouping));
    const evicted = await scene.evict('a-0');
    expectDone(evicted);
    expect(warningOf(evicted)).toBe('');
    expect(await scene.reservations()).toEqual([]);
  });

  it('[E1] lets deletions pass that a PodUnavailableBudget would refuse', async () => {
    const scene = await observedScene(pub('llm', { selector, minAvailable: 4 }));
    const removed = await scene.remove('a-0');
    expectDone(removed);
    expect(warningOf(removed)).toContain('Holdfast would refuse this');
    expect(await scene.reservations()).toEqual([]);
  });

  it('[E1] keeps the number that Kubernetes computes, in pods', async () => {
    const scene = await observedScene(everyGroup);
    await pause(1_000);
    const { status, metadata } = await scene.read('PodDisruptionBudget', 'llm');
    expect(status?.['disruptionsAllowed']).toBe(2);
    expect(metadata.annotations?.[projected]).toBeUndefined();
  });

  it('[E1] [I6] answers a dry run with the warning, and leaves no trace of it', async () => {
    const scene = await observedScene(everyGroup);
    const asked = await scene.evict('a-0', {}, '?dryRun=All');
    expectDone(asked);
    expect(warningOf(asked)).toContain('Holdfast would refuse this');
    await pause(1_000);
    expect(await eventsOf(scene, 'DisruptionObserved')).toEqual([]);
    expect((await scene.pod('a-0')).body.metadata.deletionTimestamp).toBeUndefined();
  });

  it('[E1] writes of budgets that are not valid pass with a warning', async () => {
    const scene = await twoGroups();
    await labelled(scene, 'observe');
    const wrong = pub('llm', { selector, maxUnavailable: 1, minAvailable: 1 });
    // Replicas see the label a moment later.
    const written = await waitUntil(
      'the budget is written',
      () => scene.tryApply(wrong),
      ({ code }) => code < 300,
    );
    expect(warningOf(written)).toContain('observe mode lets it pass');
  });

  it('[E1] keeps its label: the leader neither enables it nor takes it away', async () => {
    const scene = await observedScene(everyGroup);
    await pause(1_000);
    const { metadata } = await made(cluster.request('GET', `/api/v1/namespaces/${scene.namespace}`));
    expect(metadata.labels[label.guard]).toBe('observe');
  });
});

describe.skipIf(skipped).concurrent('from observing to enforcing and back', () => {
  it('[E3] [I1] counts what passed before: its budget is not overspent once it says that it is enforced', async () => {
    const scene = await observedScene(pdb('llm', { selector, minAvailable: 1 }, grouping));
    expectDone(await scene.evict('a-0'));
    await labelled(scene, 'enabled');
    // At once, and until it is enforced: nothing may go that would take the last group down.
    const evict = () =>
      cluster.request('POST', `${pathOf(scene.namespace, 'Pod')}/a-1/eviction`, {
        body: { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'a-1', namespace: scene.namespace } },
      });
    for (let i = 0; i < 10; i += 1) expectNotNow(await evict());
    await waitUntil(
      'the budget is enforced',
      async () => conditionOf(await scene.read('PodDisruptionBudget', 'llm'), 'holdfast.dev/GroupBudget'),
      (condition) => condition?.status === 'True' || condition?.status === 'False',
      { withinMs: 90_000 },
    );
    expectNotNow(await evict());
    // The other pod of the group that is down costs nothing.
    expectDone(await scene.evict('b-0'));
  });

  it('[E3] leaves no reservation behind that blocks later', async () => {
    const scene = await twoGroups();
    const budget = pdb('llm', { selector, minAvailable: 1 }, grouping);
    await scene.apply(budget);
    await scene.waitEnforced(budget);
    expectDone(await scene.evict('a-0'));
    await labelled(scene, 'observe');
    await untilObserved(scene, budget);
    await waitUntil(
      'the ledger is empty',
      () => scene.reservations(),
      (left) => left.length === 0,
    );
    const evicted = await scene.evict('a-1');
    expectDone(evicted);
    expect(warningOf(evicted)).toContain('Holdfast would refuse this');
  });
});

describe.skipIf(skipped)('where no operator answers', () => {
  it('[E2] requests pass in a namespace that is observed, and fail in one that is enforced', async () => {
    const observed = await observedScene(everyGroup);
    const enforced = await twoGroups();
    const budget = pub('llm', { selector, maxUnavailable: 3 });
    await enforced.apply(budget);
    await enforced.waitEnforced(budget);
    const ports = cluster.operators.map(({ webhookPort }) => webhookPort);
    for (const port of ports) cluster.balancer.remove(port);
    cluster.balancer.cut();
    try {
      expectDone(await observed.evict('a-0'));
      expectDone(await observed.remove('a-1'));
      expectDone(await observed.tryApply(pub('new', { selector, maxUnavailable: 1 })));
      const { code } = await cluster.request('DELETE', `${pathOf(enforced.namespace, 'Pod')}/a-0`);
      expect(code).toBe(500);
    } finally {
      for (const port of ports) cluster.balancer.add(port);
    }
  });
});
