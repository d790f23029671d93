import { describe, expect, it } from 'vitest';
import { ask, aWorld, blockersOf, inShort } from '../../../../test/support/a-world.ts';
import { anOwner, aPdb, aPod, aPub, ns } from '../../../../test/support/builders.ts';
import { podsOf } from '../../../../test/support/fleet.ts';
import { table } from '../../../../test/support/table.ts';
import type { StringMap } from '../../../base/src/meta.ts';
import { annotation } from '../../src/api/names.ts';
import type { PodUnavailableBudgetSpec } from '../../src/api/pub/pub.ts';

const web = { matchLabels: { app: 'web' } };

describe('annotations of a PodDisruptionBudget', () => {
  const group = { [annotation.budgetScope]: 'PodGroup' };
  table<{ name: string; annotations: StringMap; field: string; budgetScope?: string }>(
    [
      {
        name: 'a scope that is no word of ours',
        annotations: { [annotation.budgetScope]: 'podgroup' },
        field: annotation.budgetScope,
      },
      {
        name: 'a scope that contradicts the spec',
        annotations: { [annotation.budgetScope]: 'Pod' },
        budgetScope: 'PodGroup',
        field: annotation.budgetScope,
      },
      { name: 'a scope in the spec that is no word', annotations: {}, budgetScope: 'Job', field: 'spec.budgetScope' },
      {
        name: 'a group label that is no label key',
        annotations: { ...group, [annotation.groupLabel]: 'not a key' },
        field: annotation.groupLabel,
      },
      {
        name: 'a group label without the scope',
        annotations: { [annotation.groupLabel]: 'shard' },
        field: annotation.groupLabel,
      },
      ...['0', '-1', '1.5', 'most', ''].map((value) => ({
        name: `a group minimum "${value}"`,
        annotations: { ...group, [annotation.groupMinAvailable]: value },
        field: annotation.groupMinAvailable,
      })),
      {
        name: 'a group minimum without the scope',
        annotations: { [annotation.groupMinAvailable]: 'all' },
        field: annotation.groupMinAvailable,
      },
      {
        name: 'a takeover that is not the word disabled',
        annotations: { [annotation.takeover]: 'false' },
        field: annotation.takeover,
      },
    ].map((row) => ({ ...row, name: `[P8] refuse and are named: ${row.name}` })),
    ({ annotations, field, budgetScope }) => {
      const spec = { minAvailable: 0, ...(budgetScope === undefined ? {} : { budgetScope }) };
      const world = aWorld({ pods: podsOf('web', 2), pdbs: [aPdb('web', { app: 'web' }, spec, annotations)] });
      const verdict = ask(world, 'EVICT', 'web-0');
      expect(inShort(verdict)).toBe('deny BudgetInvalid');
      expect(blockersOf(verdict)[0]).toMatchObject({ budget: { kind: 'PodDisruptionBudget', name: 'web' } });
      expect(blockersOf(verdict)[0]?.message).toContain(field);
    },
  );

  it('[P8] several errors are all named', () => {
    const annotations = {
      [annotation.budgetScope]: 'PodGroup',
      [annotation.groupMinAvailable]: 'few',
      [annotation.takeover]: 'no',
    };
    const world = aWorld({
      pods: podsOf('web', 1),
      pdbs: [aPdb('web', { app: 'web' }, { minAvailable: 0 }, annotations)],
    });
    const message = blockersOf(ask(world, 'EVICT', 'web-0'))[0]?.message;
    expect(message).toContain(annotation.groupMinAvailable);
    expect(message).toContain(annotation.takeover);
  });

  it('[P8] put right again, the budget judges as it says', () => {
    const world = aWorld({ pods: podsOf('web', 1) });
    world.upsertPdb(aPdb('web', { app: 'web' }, { minAvailable: 0 }, { [annotation.takeover]: 'no' }));
    expect(inShort(ask(world, 'EVICT', 'web-0'))).toBe('deny BudgetInvalid');
    world.upsertPdb(aPdb('web', { app: 'web' }, { minAvailable: 0 }));
    expect(inShort(ask(world, 'EVICT', 'web-0'))).toBe('allow NotProtected');
  });

  it('[I4] an amount that cannot be read refuses as well, and is named', () => {
    const world = aWorld({
      pods: podsOf('web', 2),
      pdbs: [aPdb('web', { app: 'web' }, { minAvailable: 'half' }, { [annotation.budgetScope]: 'PodGroup' })],
    });
    const verdict = ask(world, 'EVICT', 'web-0');
    expect(inShort(verdict)).toBe('deny BudgetInvalid');
    expect(blockersOf(verdict)[0]?.message).toContain('spec.minAvailable');
  });
});

describe('the generation of a PodUnavailableBudget', () => {
  table<{ name: string; generation: number; observed: number | undefined; want: string }>(
    [
      { name: 'processed', generation: 3, observed: 3, want: 'allow WithinBudget' },
      { name: 'one behind', generation: 3, observed: 2, want: 'deny BudgetNotObserved' },
      { name: 'never processed', generation: 1, observed: undefined, want: 'deny BudgetNotObserved' },
      { name: 'a status that is ahead', generation: 3, observed: 4, want: 'allow WithinBudget' },
    ].map((row) => ({ ...row, name: `[U4] gates its judgement: ${row.name}` })),
    ({ generation, observed, want }) => {
      const pub = aPub('web', { selector: web, minAvailable: 1 });
      const status = observed === undefined ? {} : { observedGeneration: observed };
      const world = aWorld({
        pods: podsOf('web', 3),
        pubs: [{ ...pub, metadata: { ...pub.metadata, generation }, status }],
      });
      expect(inShort(ask(world, 'DELETE', 'web-0'))).toBe(want);
    },
  );

  it('[U4] opens when the status arrives, and says which generation it waits for', () => {
    const pub = aPub('web', { selector: web, minAvailable: 1 });
    const changed = { ...pub, metadata: { ...pub.metadata, generation: 8 }, status: { observedGeneration: 7 } };
    const world = aWorld({ pods: podsOf('web', 3), pubs: [changed] });
    expect(blockersOf(ask(world, 'EVICT', 'web-0'))[0]?.message).toMatch(/8.*7/);
    world.upsertPub({ ...changed, status: { observedGeneration: 8 } });
    expect(inShort(ask(world, 'EVICT', 'web-0'))).toBe('allow WithinBudget');
  });
});

describe('a PodUnavailableBudget that cannot be read', () => {
  const stateful = { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'db' };
  const db = anOwner('StatefulSet', 'db', 2);
  const invalid: Readonly<Record<string, PodUnavailableBudgetSpec>> = {
    'a bad amount': { selector: web, minAvailable: 'many' },
    'no amount at all': { selector: web },
    'a bad group policy': { selector: web, minAvailable: 1, podGroupPolicy: { groupLabelKey: '' } },
    'an operation that is no word of ours': { selector: web, minAvailable: 1, protectOperations: ['EVICTION'] },
    'a bad ignored selector': {
      selector: web,
      minAvailable: 1,
      ignoredPodSelector: { matchExpressions: [{ key: 'a', operator: 'Like' }] },
    },
    'a bad number of replicas': { selector: web, minAvailable: 1, protectTotalReplicas: 0 },
  };
  const ask3 = (spec: PodUnavailableBudgetSpec, pod: string): readonly string[] => {
    const world = aWorld({
      pods: [...podsOf('web', 3), ...podsOf('db', 2, db)],
      owners: [db],
      pubs: [aPub('bad', spec)],
    });
    return (['EVICT', 'DELETE', 'UPDATE'] as const).map((operation) => inShort(ask(world, operation, pod)));
  };

  for (const [what, spec] of Object.entries(invalid)) {
    it(`[U7] because of ${what} refuses the pods of its selector, and no others`, () => {
      expect(ask3(spec, 'web-0')).toEqual(Array(3).fill('deny BudgetInvalid'));
      expect(ask3(spec, 'db-0')).toEqual(Array(3).fill('allow NotProtected'));
    });
  }

  it('[U7] refuses the pods of its targetRef, and no others', () => {
    expect(ask3({ targetRef: stateful, minAvailable: 'x' }, 'db-0')).toEqual(Array(3).fill('deny BudgetInvalid'));
    expect(ask3({ targetRef: stateful, minAvailable: 'x' }, 'web-0')).toEqual(Array(3).fill('allow NotProtected'));
  });

  const unreadable: Readonly<Record<string, PodUnavailableBudgetSpec>> = {
    selector: { selector: { matchExpressions: [{ key: 'app', operator: 'Like' }] }, minAvailable: 1 },
    'empty selector': { selector: {}, minAvailable: 1 },
    targetRef: { targetRef: { ...stateful, name: '' }, minAvailable: 1 },
  };
  for (const [what, spec] of Object.entries(unreadable)) {
    it(`[U7] because of its ${what} refuses every pod of its namespace`, () => {
      expect(ask3(spec, 'web-0')).toEqual(Array(3).fill('deny BudgetInvalid'));
      expect(ask3(spec, 'db-0')).toEqual(Array(3).fill('deny BudgetInvalid'));
    });
  }

  it('[U7] refuses nothing in another namespace, nor a resize, nor an update that changes nothing that counts', () => {
    const free = aPod('web-0').labels({ app: 'web' }).in('elsewhere');
    const world = aWorld({ pods: [...podsOf('web', 2), free], pubs: [aPub('bad', { selector: web })] });
    expect(inShort(ask(world, 'EVICT', 'web-0', { namespace: 'elsewhere' }))).toBe('allow NotProtected');
    expect(inShort(ask(world, 'RESIZE', 'web-0'))).toBe('allow NotProtected');
    const after = podsOf('web', 1)[0]?.annotate({ note: 'x' }).build();
    const mild = { takesAway: false, ...(after === undefined ? {} : { after }) };
    expect(inShort(ask(world, 'UPDATE', 'web-0', mild))).toBe('allow NotProtected');
  });

  it('[U7] says which field is wrong', () => {
    const world = aWorld({ pods: podsOf('web', 1), pubs: [aPub('bad', { selector: web, minAvailable: 'many' })] });
    for (const operation of ['EVICT', 'DELETE'] as const) {
      const [blocker] = blockersOf(ask(world, operation, 'web-0'));
      expect(blocker).toMatchObject({ budget: { kind: 'PodUnavailableBudget', namespace: ns, name: 'bad' } });
      expect(blocker?.message).toContain('spec.minAvailable');
      expect(blocker?.message).toContain('many');
    }
  });
});
