import { describe, expect, it } from 'vitest';
import { inShort } from '../../../../test/support/a-world.ts';
import { anOwner, aPdb, aPod, aPub } from '../../../../test/support/builders.ts';
import { worldOf } from '../../src/cli/feed-world.ts';
import { type LoadedObject, loadObjects } from '../../src/cli/load-objects.ts';
import { table } from '../../src/cli/table.ts';
import { budgetNumbers } from '../../src/core/budget/numbers.ts';
import { decide } from '../../src/core/decide/decide.ts';
import type { Operation } from '../../src/core/request.ts';
import type { World } from '../../src/core/world/world.ts';

const example = loadObjects('examples/llm-serving.yaml');

/** Any object of ours as a file would hold it. */
function loaded(apiVersion: string, kind: string, object: object): LoadedObject {
  return JSON.parse(JSON.stringify({ apiVersion, kind, ...object }));
}

function workload(kind: string, name: string, replicas: number, more: object = {}): LoadedObject {
  const { apiVersion, uid } = anOwner(kind, name);
  return loaded(apiVersion, kind, { metadata: { name, namespace: 'shop', uid, ...more }, spec: { replicas } });
}

const ask = (world: World, operation: Operation, pod: string, namespace = 'shop'): string =>
  inShort(decide(world, { operation, namespace, pod }, 0));

describe('a world from a snapshot', () => {
  it('[M1] knows the groups, budgets and owners of the example', () => {
    const ref = { kind: 'PodDisruptionBudget', namespace: 'inference', name: 'llm' } as const;
    expect(budgetNumbers(worldOf(example), ref, 0)).toEqual({
      mode: 'group',
      available: 2,
      desired: 1,
      expected: 2,
      source: 'workload',
    });
    expect(ask(worldOf(example), 'EVICT', 'llm-0-0', 'inference')).toBe('allow WithinBudget');
  });

  it('[M1] does not depend on the order of the objects', () => {
    const pods = [0, 1].map((i) =>
      loaded('v1', 'Pod', aPod(`db-${i}`).labels({ app: 'db' }).ownedBy(anOwner('StatefulSet', 'db')).build()),
    );
    const pub = loaded('policy.kruise.io/v1beta1', 'PodUnavailableBudget', {
      ...aPub('db', { targetRef: { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'db' }, maxUnavailable: 1 }),
    });
    const objects = [...pods, pub, workload('StatefulSet', 'db', 2)];
    for (const order of [objects, objects.toReversed()]) {
      expect(ask(worldOf(order), 'DELETE', 'db-0')).toBe('allow WithinBudget');
      const world = worldOf(order.filter((one) => one !== pods[1]));
      expect(ask(world, 'DELETE', 'db-0')).toBe('deny BudgetExhausted');
    }
  });

  it('[M1] [O4] knows whether an owner that is being deleted leaves its pods', () => {
    const pod = loaded('v1', 'Pod', aPod('db-0').labels({ app: 'db' }).ownedBy(anOwner('StatefulSet', 'db')).build());
    const spec = { selector: { matchLabels: { app: 'db' } }, maxUnavailable: 0 };
    const pub = loaded('policy.kruise.io/v1beta1', 'PodUnavailableBudget', { ...aPub('db', spec) });
    const deleted = (...finalizers: readonly string[]) =>
      workload('StatefulSet', 'db', 1, { deletionTimestamp: '2026-01-01T00:00:00Z', finalizers });
    expect(ask(worldOf([pod, pub, deleted('orphan', 'example.com/mine')]), 'EVICT', 'db-0')).toBe(
      'deny BudgetExhausted',
    );
    expect(ask(worldOf([pod, pub, deleted('foregroundDeletion')]), 'EVICT', 'db-0')).toBe('allow WorkloadGone');
  });

  it('[M1] takes a budget without a status as processed, and one with an old status as it is', () => {
    const pod = loaded('v1', 'Pod', aPod('web').labels({ app: 'web' }).build());
    const spec = { selector: { matchLabels: { app: 'web' } }, minAvailable: 0 };
    const meta = { name: 'web', namespace: 'shop', generation: 3 };
    const fresh = loaded('policy.kruise.io/v1beta1', 'PodUnavailableBudget', { metadata: meta, spec });
    expect(ask(worldOf([pod, fresh]), 'DELETE', 'web')).toBe('allow WithinBudget');
    const old = { ...fresh, status: { observedGeneration: 2 } };
    expect(ask(worldOf([pod, old]), 'DELETE', 'web')).toBe('deny BudgetNotObserved');
  });

  it('[M1] takes the agents of its nodes as alive, and what probes say as they say it', () => {
    const yes = loaded('v1', 'Pod', aPod('yes').probed('True').on('node-9').build());
    const no = loaded('v1', 'Pod', aPod('no').probed('False').on('node-9').build());
    const world = worldOf([yes, no]);
    expect(ask(world, 'EVICT', 'yes')).toBe('allow NotProtected');
    expect(ask(world, 'EVICT', 'no')).toBe('deny ProbeVeto');
  });

  it('[M1] puts objects without a namespace into `default`', () => {
    const { namespace: _none, ...metadata } = aPod('web').labels({ app: 'web' }).build().metadata;
    const pod = loaded('v1', 'Pod', { ...aPod('web').build(), metadata });
    const pdb = aPdb('web', { app: 'web' }, { minAvailable: 1 }, { 'holdfast.dev/budget-scope': 'nonsense' });
    const budget = loaded('policy/v1', 'PodDisruptionBudget', {
      ...pdb,
      metadata: { ...pdb.metadata, namespace: undefined },
    });
    expect(ask(worldOf([pod, budget]), 'EVICT', 'web', 'default')).toBe('deny BudgetInvalid');
  });

  it('[M1] knows namespaces, and workloads that are going', () => {
    const pod = (name: string) =>
      loaded('v1', 'Pod', aPod(name).labels({ app: 'web' }).ownedBy(anOwner('StatefulSet', 'web')).build());
    const pub = loaded('policy.kruise.io/v1beta1', 'PodUnavailableBudget', {
      ...aPub('web', { selector: { matchLabels: { app: 'web' } }, minAvailable: 5 }),
    });
    const namespace = loaded('v1', 'Namespace', {
      metadata: { name: 'shop', labels: { 'holdfast.dev/guard': 'disabled' } },
    });
    expect(ask(worldOf([pod('a'), pub, workload('StatefulSet', 'web', 1)]), 'DELETE', 'a')).toBe(
      'deny BudgetExhausted',
    );
    const going = workload('StatefulSet', 'web', 1, { deletionTimestamp: '2026-01-01T00:00:00Z' });
    expect(ask(worldOf([pod('a'), pub, going]), 'DELETE', 'a')).toBe('allow WorkloadGone');
    expect(ask(worldOf([pod('a'), pub, namespace]), 'DELETE', 'a')).toBe('allow NamespaceUnguarded');
  });

  it('[I4] does not take a workload without a uid for another one that is gone', () => {
    const owner = anOwner('StatefulSet', 'web', 1);
    const pod = loaded('v1', 'Pod', aPod('a').labels({ app: 'web' }).ownedBy(owner).build());
    const pub = loaded('policy.kruise.io/v1beta1', 'PodUnavailableBudget', {
      ...aPub('web', { selector: { matchLabels: { app: 'web' } }, minAvailable: 5 }),
    });
    const nameless = workload('StatefulSet', 'web', 1, { uid: undefined });
    expect(ask(worldOf([nameless, pod, pub]), 'DELETE', 'a')).toBe('deny BudgetExhausted');
    expect(ask(worldOf([pod, nameless, pub]), 'DELETE', 'a')).toBe('deny BudgetExhausted');
  });
});

describe('a table', () => {
  it('has columns like kubectl, and nothing after the last one', () => {
    const text = table(
      ['WAVE', 'POD', 'EFFECT'],
      [
        ['1', 'llm-0-2', 'breaks a group'],
        ['2', 'llm-1', ''],
      ],
    );
    expect(text.split('\n')).toEqual(['WAVE   POD       EFFECT', '1      llm-0-2   breaks a group', '2      llm-1']);
  });

  it('is a line of heads when there are no rows', () => {
    expect(table(['A', 'B'], [])).toBe('A   B');
  });
});
