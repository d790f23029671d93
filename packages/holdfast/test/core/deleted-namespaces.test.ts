import { describe, expect, it } from 'vitest';
import { ask, aWorld, inShort } from '../../../../test/support/a-world.ts';
import { aLedger, aPdb, aPod, ns } from '../../../../test/support/builders.ts';
import { podsOf, pubFor, reserveIn } from '../../../../test/support/fleet.ts';
import type { World } from '../../src/core/world/world.ts';

const states = (world: World) => [...world.namespaces()].length;

/** Everything that a namespace of a CI run has, in the order in which it comes. */
function come(world: World, name: string): void {
  world.setNamespace({ metadata: { name } });
  world.upsertPod(aPod('web').in(name).labels({ app: 'web' }).build());
  const pdb = aPdb('web', { app: 'web' }, { minAvailable: 1 });
  world.upsertPdb({ ...pdb, metadata: { ...pdb.metadata, namespace: name } });
  world.setLedger(name, { ...aLedger(), metadata: { ...aLedger().metadata, namespace: name } });
}

describe('a namespace that was deleted', () => {
  it('[W3] leaves nothing behind: 20,000 come and go', () => {
    const world = aWorld();
    const base = states(world);
    for (let i = 0; i < 20_000; i += 1) {
      const name = `ci-${i}`;
      come(world, name);
      world.setNamespace({ metadata: { name, deletionTimestamp: '2026-01-01T00:00:00Z' } });
      world.deletePod(name, 'web');
      world.deletePdb(name, 'web');
      world.deleteNamespace(name);
    }
    expect(states(world)).toBe(base);
  });

  it('[W3] whose pods and budgets are seen to be deleted later leaves nothing behind, either', () => {
    const world = aWorld();
    const base = states(world);
    come(world, 'ci');
    world.deleteNamespace('ci');
    expect(states(world)).toBe(base + 1);
    world.deletePdb('ci', 'web');
    world.deletePod('ci', 'web');
    expect(states(world)).toBe(base);
  });

  it('[W3] is not brought back by late news', () => {
    const world = aWorld();
    const base = states(world);
    world.deleteNamespace('ci');
    const late = aPod('web').in('ci').terminating().build();
    world.upsertPod(late);
    world.deletePod('ci', 'web');
    world.setLedger('ci', aLedger());
    const owner = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'ci', name: 'web', uid: 'u' };
    world.setOwner(owner);
    world.setOwnerGone(owner);
    world.deleteWorkload('ci', 'w');
    world.deletePdb('ci', 'web');
    expect(states(world)).toBe(base);
  });

  it('[W3] [X3] lets its last pods go while they are in view', () => {
    const world = aWorld({ pods: [aPod('web').labels({ app: 'web' })], pubs: [pubFor('web', { minAvailable: 9 })] });
    expect(inShort(ask(world, 'DELETE', 'web'))).toBe('deny BudgetExhausted');
    world.deleteNamespace(ns);
    expect(inShort(ask(world, 'DELETE', 'web'))).toBe('allow NamespaceTerminating');
  });

  it('[W3] and is created again is judged like any other, without what was reserved in the first', () => {
    const world = aWorld({ pods: podsOf('web', 2), pubs: [pubFor('web', { minAvailable: 1 })] });
    reserveIn(world, 'web-0');
    world.deletePub(ns, 'web');
    for (const { metadata } of podsOf('web', 2).map((one) => one.build())) world.deletePod(ns, metadata.name);
    world.deleteNamespace(ns);
    expect(world.namespace(ns)).toBeUndefined();

    world.setNamespace({ metadata: { name: ns } });
    for (const pod of podsOf('web', 2)) world.upsertPod(pod.build());
    world.upsertPub(pubFor('web', { minAvailable: 1 }));
    expect(inShort(ask(world, 'EVICT', 'web-0'))).toBe('deny LedgerUnknown');
    world.setLedger(ns, aLedger());
    expect(inShort(ask(world, 'EVICT', 'web-0'))).toBe('allow WithinBudget');
    world.deleteNamespace(ns);
    world.setNamespace({ metadata: { name: ns } });
    expect(inShort(ask(world, 'EVICT', 'web-0'))).toBe('allow WithinBudget');
  });

  it('[W3] whose successor has pods in view before the namespace itself keeps them', () => {
    const world = aWorld();
    world.deleteNamespace(ns);
    world.upsertPod(aPod('web').labels({ app: 'web' }).build());
    world.upsertPub(pubFor('web', { minAvailable: 9 }));
    expect(inShort(ask(world, 'DELETE', 'web'))).toMatch(/^deny /);
    world.setNamespace({ metadata: { name: ns } });
    world.setLedger(ns, aLedger());
    expect(inShort(ask(world, 'DELETE', 'web'))).toBe('deny BudgetExhausted');
  });
});
