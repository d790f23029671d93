import { describe, expect, it } from 'vitest';
import { ask, aWorld, blockersOf, inShort } from '../../../../test/support/a-world.ts';
import {
  aGroupPdb,
  aLedger,
  aPdb,
  aPod,
  aPodGroup,
  aPub,
  aReservation,
  ns,
  type PodBuilder,
} from '../../../../test/support/builders.ts';
import { reserveIn } from '../../../../test/support/fleet.ts';
import { table } from '../../../../test/support/table.ts';
import type { PodDisruptionBudget } from '../../src/api/pdb.ts';
import { consult } from '../../src/core/decide/consult.ts';
import { entangledBy } from '../../src/core/decide/entangled-by.ts';
import { decideBatch } from '../../src/core/ledger/batch.ts';
import { maxBudgetsPerPod } from '../../src/core/world/crowding.ts';

const app = { app: 'x' };
const first = { ...app, shard: '0' };
const withStatus = (pdb: PodDisruptionBudget, status: PodDisruptionBudget['status']): PodDisruptionBudget => ({
  ...pdb,
  ...(status === undefined ? {} : { status }),
});

/** x-0 is also under a budget of ours that refuses nothing; x-1 and x-2 are under the plain one alone. */
function threePods(plain: PodDisruptionBudget = aPdb('plain', app, { minAvailable: 2 })) {
  return aWorld({
    pods: [aPod('x-0').labels(first), aPod('x-1').labels(app), aPod('x-2').labels(app)],
    pdbs: [plain, aGroupPdb('ours', { shard: '0' }, { minAvailable: 0 }, 'shard')],
  });
}

describe('a plain PDB that shares a pod with a budget of ours', () => {
  it('[P2] [I1] is judged by us for all its pods, so that its number is spent once', () => {
    const world = threePods();
    const requests = ['x-0', 'x-1'].map((pod) => ({ operation: 'EVICT', namespace: ns, pod }) as const);
    const { verdicts } = decideBatch(world, ns, requests, 0);
    expect(verdicts.map(inShort)).toEqual(['allow WithinBudget', 'deny BudgetExhausted']);
  });

  it('[P2] [P9] is taken from when we complete the eviction of any of its pods', () => {
    expect(ask(threePods(), 'EVICT', 'x-1')).toMatchObject({
      result: 'allow',
      charges: [{ budget: { name: 'plain' }, unitKind: 'pod', available: 3, desired: 2 }],
      effects: { complete: 'takeover', count: ['plain'], reserve: { pod: 'x-1' } },
    });
    expect(ask(threePods(), 'EVICT', 'x-1', {}, { takeover: 'off' })).not.toHaveProperty('effects.count');
    expect(ask(threePods(), 'EVICT', 'x-1', { dryRun: true })).not.toHaveProperty('effects.count');
  });

  it('[P9] [I5] is taken from also when a reservation answers', () => {
    const world = threePods();
    reserveIn(world, 'x-1');
    expect(ask(world, 'EVICT', 'x-1')).toMatchObject({ reason: 'AlreadyReserved', effects: { count: ['plain'] } });
  });

  it('[P9] is not taken from for a pod that is not ready and goes for that', () => {
    const world = threePods();
    world.upsertPod(aPod('x-1').labels(app).notReady().build());
    const verdict = ask(world, 'EVICT', 'x-1');
    expect(verdict).toMatchObject({ result: 'allow', effects: { onlyIf: { pod: 'x-1' } } });
    expect(verdict).not.toHaveProperty('effects.count');
  });

  interface Row {
    readonly name: string;
    readonly beside: (world: ReturnType<typeof aWorld>) => void;
    readonly want: string;
  }
  const rows: readonly Row[] = [
    {
      name: '[P2] a PUB that protects EVICT entangles',
      beside: (world) => world.upsertPub(aPub('u', { selector: { matchLabels: { shard: '0' } }, minAvailable: 0 })),
      want: 'allow WithinBudget',
    },
    {
      name: '[P2] a PUB that does not judge evictions does not',
      beside: (world) =>
        world.upsertPub(
          aPub('u', { selector: { matchLabels: { shard: '0' } }, minAvailable: 0, protectOperations: ['DELETE'] }),
        ),
      want: 'allow NotProtected',
    },
    {
      name: '[P2] a PUB over other pods does not',
      beside: (world) => world.upsertPub(aPub('u', { selector: { matchLabels: { app: 'y' } }, minAvailable: 0 })),
      want: 'allow NotProtected',
    },
    {
      name: '[P2] a budget that cannot be read entangles: it is ours to refuse',
      beside: (world) =>
        world.upsertPdb(aPdb('broken', { shard: '0' }, { minAvailable: 0 }, { 'holdfast.dev/budget-scope': 'Gang' })),
      want: 'allow WithinBudget',
    },
    {
      name: '[P2] another plain PDB does not',
      beside: (world) => world.upsertPdb(aPdb('other', { shard: '0' }, { minAvailable: 0 })),
      want: 'allow NotProtected',
    },
    {
      name: '[P2] a pod with a probe entangles, through the budget that then judges it',
      beside: (world) => {
        world.upsertPdb(aPdb('probed', { shard: '0' }, { minAvailable: 0 }));
        world.upsertPod(aPod('far').labels({ shard: '0' }).probed('True').build());
      },
      want: 'allow WithinBudget',
    },
    {
      name: '[P2] [P4] a group that a budget reaches by another pod entangles',
      beside: (world) => {
        world.upsertPodGroup(aPodGroup('g', 1));
        world.upsertPod(aPod('x-0').labels(first).inPodGroup('g').build());
        world.upsertPod(aPod('leader').labels({ role: 'leader' }).inPodGroup('g').build());
        world.upsertPdb(aGroupPdb('leaders', { role: 'leader' }, { minAvailable: 0 }));
      },
      want: 'allow WithinBudget',
    },
    {
      name: '[P2] [P4] the same group without such a budget does not',
      beside: (world) => {
        world.upsertPodGroup(aPodGroup('g', 1));
        world.upsertPod(aPod('leader').labels({ role: 'leader' }).inPodGroup('g').build());
      },
      want: 'allow NotProtected',
    },
    {
      name: '[P2] an eviction of one of its pods in the ledger entangles, until it is seen to have happened',
      beside: (world) => world.setLedger(ns, aLedger([aReservation('x-0')])),
      want: 'allow WithinBudget',
    },
    {
      name: '[P2] a deletion in the ledger does not',
      beside: (world) => world.setLedger(ns, aLedger([aReservation('x-0', 'DELETE')])),
      want: 'allow NotProtected',
    },
  ];
  table(rows, ({ beside, want }) => {
    const world = aWorld({
      pods: [aPod('x-0').labels(first), aPod('x-1').labels(app), aPod('x-2').labels(app)],
      pdbs: [aPdb('plain', app, { minAvailable: 1 })],
    });
    expect(inShort(ask(world, 'EVICT', 'x-1'))).toBe('allow NotProtected');
    beside(world);
    expect(inShort(ask(world, 'EVICT', 'x-1'))).toBe(want);
  });

  it('[P2] is the built-in check’s again when the shared pod, the label or the budget is gone', () => {
    const ended: readonly ((world: ReturnType<typeof threePods>) => void)[] = [
      (world) => world.deletePod(ns, 'x-0'),
      (world) => world.upsertPod(aPod('x-0').labels(app).build()),
      (world) => world.deletePdb(ns, 'ours'),
      (world) => world.upsertPdb(aPdb('ours', { shard: '0' }, { minAvailable: 0 })),
    ];
    for (const end of ended) {
      const world = threePods(aPdb('plain', app, { minAvailable: 1 }));
      expect(inShort(ask(world, 'EVICT', 'x-1'))).toBe('allow WithinBudget');
      end(world);
      expect(inShort(ask(world, 'EVICT', 'x-1'))).toBe('allow NotProtected');
    }
  });

  it('[P2] is told apart from the built-in check’s for people who ask', () => {
    const evict = (pod: string) => ({ operation: 'EVICT', namespace: ns, pod }) as const;
    const [plain] = consult(threePods(), evict('x-1'), 0);
    expect(plain).toMatchObject({ builtin: false, judge: { kind: 'pdbPlain' } });
  });
});

describe('entanglement is transitive', () => {
  /** a is under p0, b under p0 and p1, c under p1 and p2, and so on. */
  function chain(length: number): readonly PodBuilder[] {
    return Array.from({ length: length + 1 }, (_, i) =>
      aPod(`pod-${i}`).labels({ [`k${i}`]: 'yes', ...(i === 0 ? {} : { [`k${i - 1}`]: 'yes' }) }),
    );
  }
  const plain = (i: number) => aPdb(`p${i}`, { [`k${i}`]: 'yes' }, { minAvailable: 0 });

  it('[P2] [I3] from PDB to PDB over the pods that they share, and ends where a link is gone', () => {
    const world = aWorld({ pods: chain(4), pdbs: [0, 1, 2, 3].map(plain) });
    const said = () => [0, 1, 2, 3].map((i) => inShort(ask(world, 'EVICT', `pod-${i + 1}`)).split(' ')[1]);
    expect(said()).toEqual(['NotProtected', 'NotProtected', 'NotProtected', 'NotProtected']);
    world.upsertPub(aPub('u', { selector: { matchLabels: { k3: 'yes' } }, minAvailable: 0 }));
    expect(said()).toEqual(['WithinBudget', 'WithinBudget', 'WithinBudget', 'WithinBudget']);
    world.deletePod(ns, 'pod-2');
    expect(inShort(ask(world, 'EVICT', 'pod-1'))).toBe('allow NotProtected');
    expect(inShort(ask(world, 'EVICT', 'pod-3'))).toBe('allow WithinBudget');
  });

  it('[P2] [I3] two plain PDBs on a pod are both asked where the eviction API would answer 500', () => {
    const world = threePods();
    world.upsertPdb(aPdb('second', { app: 'x' }, { minAvailable: 3 }));
    expect(blockersOf(ask(world, 'EVICT', 'x-1'))).toMatchObject([{ budget: { name: 'second' } }]);
  });

  it('[P2] finds as many budgets over the same pods as are counted entangled, and free again', () => {
    const world = aWorld({ pods: [aPod('x-0').labels(first), aPod('x-1').labels(app)] });
    for (let i = 0; i < maxBudgetsPerPod - 1; i += 1) world.upsertPdb(aPdb(`p${i}`, app, { minAvailable: 0 }));
    expect(inShort(ask(world, 'EVICT', 'x-1'))).toBe('allow NotProtected');
    world.upsertPub(aPub('u', { selector: { matchLabels: { shard: '0' } }, minAvailable: 0 }));
    expect(inShort(ask(world, 'EVICT', 'x-1'))).toBe('allow WithinBudget');
    world.deletePub(ns, 'u');
    expect(inShort(ask(world, 'EVICT', 'x-1'))).toBe('allow NotProtected');
  });
});

describe('why a plain PDB is judged by us', () => {
  const pub = aPub('u', { selector: { matchLabels: { shard: '0' } }, minAvailable: 0 });
  const why = (world: ReturnType<typeof aWorld>, name: string) => {
    const state = world.namespace(ns);
    const pdb = state?.pdbs.get(name);
    const by = state === undefined || pdb === undefined ? undefined : entangledBy(state, pdb);
    return by === undefined ? undefined : `${by.pod} ${by.budget?.name}`;
  };

  it('[P2] is a pod that it shares with a budget of ours, or with one that is entangled itself', () => {
    const world = threePods();
    world.upsertPdb(aPdb('second', { app: 'x' }, { minAvailable: 0 }));
    world.upsertPod(aPod('y-0').labels({ app: 'x', far: 'yes' }).build());
    world.upsertPdb(aPdb('third', { far: 'yes' }, { minAvailable: 0 }));
    expect(['plain', 'third', 'ours', 'nowhere'].map((name) => why(world, name))).toEqual([
      'x-0 ours',
      'y-0 plain',
      undefined,
      undefined,
    ]);
    world.deletePdb(ns, 'ours');
    expect(why(world, 'plain')).toBeUndefined();
    world.upsertPub(pub);
    expect(why(world, 'plain')).toBe('x-0 u');
  });

  it('[P2] is an eviction that is under way, when nothing is shared any more', () => {
    const world = aWorld({ pods: [aPod('x-0').labels(app)], pdbs: [aPdb('plain', app, { minAvailable: 0 })] });
    world.setLedger(ns, aLedger([aReservation('x-0')]));
    expect(why(world, 'plain')).toBe('x-0 undefined');
  });
});

describe('what the built-in check admitted', () => {
  const plain = aPdb('plain', app, { minAvailable: 2 });
  const counted = (disruptionsAllowed: number, pods: readonly string[] = [], observedGeneration = 1) =>
    withStatus(
      { ...plain, metadata: { ...plain.metadata, generation: 1 } },
      {
        observedGeneration,
        disruptionsAllowed,
        disruptedPods: Object.fromEntries(pods.map((name) => [name, '2026-11-17T10:00:00Z'])),
      },
    );

  it('[P3] [I1] counts as gone: pods in disruptedPods', () => {
    const world = threePods(counted(1));
    expect(inShort(ask(world, 'EVICT', 'x-0'))).toBe('allow WithinBudget');
    // Only the status changed.
    world.upsertPdb(counted(0, ['x-1']));
    expect(blockersOf(ask(world, 'EVICT', 'x-0'))).toMatchObject([
      { code: 'BudgetExhausted', budget: { name: 'plain' }, available: 2, desired: 2 },
    ]);
    world.upsertPdb(counted(1));
    expect(inShort(ask(world, 'EVICT', 'x-0'))).toBe('allow WithinBudget');
  });

  it('[P3] counts once: a pod that is terminating, reserved or of another budget takes nothing more', () => {
    const world = threePods(counted(1, ['other', 'x-1']));
    world.upsertPod(aPod('other').labels({ app: 'y' }).build());
    world.upsertPod(aPod('x-1').labels(app).terminating().build());
    world.upsertPod(aPod('x-3').labels(app).build());
    expect(inShort(ask(world, 'EVICT', 'x-0'))).toBe('allow WithinBudget');
  });

  it('[P3] [I5] may be asked for again: the same eviction takes nothing more', () => {
    const world = threePods(counted(0, ['x-1']));
    expect(ask(world, 'EVICT', 'x-1')).toMatchObject({ reason: 'WithinBudget', effects: { count: ['plain'] } });
  });

  it('[P3] is asked before anything is reserved: a number of 0 in the status refuses', () => {
    expect(blockersOf(ask(threePods(counted(0)), 'EVICT', 'x-0'))).toMatchObject([
      { code: 'NotCountedYet', budget: { name: 'plain' } },
    ]);
  });

  it('[P3] [I4] is not known while the disruption controller has not seen the budget as it is', () => {
    expect(inShort(ask(threePods(counted(3, [], 0)), 'EVICT', 'x-0'))).toBe('deny NotCountedYet');
  });
});
