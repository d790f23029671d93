import { describe, expect, it } from 'vitest';
import { aWorld } from '../../../../test/support/a-world.ts';
import type { PodBuilder } from '../../../../test/support/builders.ts';
import { aGroupPdb, anOwner, aPdb, aPod, aPodGroup, ns } from '../../../../test/support/builders.ts';
import { groupIndex, lwsPods, podsOf, pubFor } from '../../../../test/support/fleet.ts';
import { table } from '../../../../test/support/table.ts';
import type { Condition } from '../../../base/src/meta.ts';
import type { PodUnavailableBudgetSpec } from '../../src/api/pub/pub.ts';
import { pdbReport } from '../../src/core/status/pdb-condition.ts';
import { pubStatus } from '../../src/core/status/pub-status.ts';
import type { World } from '../../src/core/world/world.ts';

const on = { kind: 'on' } as const;
const off = { kind: 'off', message: 'not labelled' } as const;
const shown = (world: World, guard: typeof on | typeof off = on): Condition | undefined =>
  pdbReport(world, ns, 'web', guard, 0)?.condition;

describe('the condition of a PodDisruptionBudget', () => {
  it('[S2] names the generation that it speaks of', () => {
    const pdb = aGroupPdb('web', { app: 'llm' }, { minAvailable: 1 });
    const world = aWorld({ pods: lwsPods('llm', 2, 2), pdbs: [pdb] });
    expect(shown(world)).toMatchObject({ observedGeneration: 1 });
    world.upsertPdb({ ...pdb, metadata: { ...pdb.metadata, generation: 4 }, spec: { ...pdb.spec, minAvailable: 2 } });
    expect(shown(world)).toMatchObject({ observedGeneration: 4 });
    world.upsertPdb({ ...pdb, metadata: { ...pdb.metadata, generation: 5 }, spec: { ...pdb.spec, minAvailable: 2 } });
    expect(shown(world)).toMatchObject({ observedGeneration: 5 });
    expect(shown(world, off)).toMatchObject({ reason: 'NotGuarded', observedGeneration: 5 });
  });

  it('[S2] says that pods are counted because their group cannot be found, until it is', () => {
    const pods = podsOf('web', 2).map((pod) => pod.inPodGroup('gang'));
    const world = aWorld({ pods, pdbs: [aPdb('web', { app: 'web' }, { minAvailable: 1 })] });
    expect(shown(world)).toMatchObject({ status: 'Unknown', reason: 'GroupFallback' });
    expect(shown(world, off)).toMatchObject({ status: 'Unknown', reason: 'GroupFallback' });
    world.upsertPodGroup(aPodGroup('gang', 2));
    expect(shown(world)).toMatchObject({ reason: 'NeverSufficient' });
    world.upsertPodGroup(aPodGroup('gang', undefined));
    expect(shown(world)).toBeUndefined();
  });

  it('[S2] says so beside its own numbers where a probe makes us count the pods', () => {
    const pods = podsOf('web', 2, anOwner('StatefulSet', 'web')).map((pod) => pod.inPodGroup('gang').probed('True'));
    const owners = [anOwner('StatefulSet', 'web', 2)];
    const pdbs = [aPdb('web', { app: 'web' }, { minAvailable: 1 })];
    const world = aWorld({ pods, owners, pdbs, freshNodes: ['node-1'] });
    expect(shown(world)).toMatchObject({ status: 'True', reason: 'GroupFallback' });
    expect(shown(world)?.message).toContain('2 pods available, 1 needed');
  });

  it('[S2] writes one as one', () => {
    const pods = [...lwsPods('llm', 1, 2), aPod('alone').labels({ app: 'llm' })];
    const world = aWorld({ pods, pdbs: [aGroupPdb('web', { app: 'llm' }, { minAvailable: 1 })] });
    expect(shown(world)?.message).toContain('1 group available, 1 needed');
  });
});

describe('the conditions of a PodUnavailableBudget', () => {
  const llm = { groupLabelKey: groupIndex };
  const shards = (owner?: 'StatefulSet'): PodBuilder[] =>
    podsOf('db', 2, owner === undefined ? undefined : anOwner(owner, 'db')).map((pod, i) =>
      pod.labels({ shard: `${i}` }),
    );
  const rows: readonly {
    name: string;
    pods: readonly PodBuilder[];
    app: string;
    spec: Omit<PodUnavailableBudgetSpec, 'selector'>;
    want: readonly string[];
    says?: string;
  }[] = [
    {
      name: 'the default minimum over groups of three',
      pods: lwsPods('llm', 2, 3),
      app: 'llm',
      spec: { maxUnavailable: 1, podGroupPolicy: llm },
      want: ['MinReadyReplicasBelowSize'],
      says: 'minReadyReplicas is 1, and group 0 has 3 pods: 2 pods of it may be disrupted at no cost',
    },
    {
      name: 'a minimum of the whole group',
      pods: lwsPods('llm', 2, 3),
      app: 'llm',
      spec: { maxUnavailable: 1, podGroupPolicy: { ...llm, minReadyReplicas: 3 } },
      want: [],
    },
    {
      name: 'groups by a label alone: nothing states their number',
      pods: shards('StatefulSet'),
      app: 'db',
      spec: { maxUnavailable: 1, podGroupPolicy: { groupLabelKey: 'shard', minReadyReplicas: 1 } },
      want: ['UnitsForgettable'],
      says: 'how many groups',
    },
    {
      name: 'pods without a controller: the total shrinks',
      pods: podsOf('db', 2),
      app: 'db',
      spec: { maxUnavailable: 1 },
      want: ['UnitsForgettable'],
      says: 'how many pods',
    },
    {
      name: 'a number that does not depend on the total',
      pods: podsOf('db', 2),
      app: 'db',
      spec: { minAvailable: 1 },
      want: [],
    },
    {
      name: 'a total of its own',
      pods: podsOf('db', 2),
      app: 'db',
      spec: { maxUnavailable: 1, protectTotalReplicas: 2 },
      want: [],
    },
  ];
  table(
    rows.map((row) => ({ ...row, name: `[S1] ${row.name}` })),
    ({ pods, app, spec, want, says }) => {
      const owners = [anOwner('LeaderWorkerSet', 'llm', 2), anOwner('StatefulSet', 'db', 2)];
      const world = aWorld({ pods, owners, pubs: [pubFor(app, spec, 'web')] });
      const conditions = pubStatus(world, ns, 'web', on, 0)?.conditions ?? [];
      expect(conditions.map((one) => one.type).filter((type) => type !== 'Enforced')).toEqual(want);
      if (says !== undefined) expect(conditions.at(-1)?.message).toContain(says);
    },
  );
});
