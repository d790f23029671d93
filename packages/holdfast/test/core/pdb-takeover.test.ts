import { describe, expect, it } from 'vitest';
import { ask, aWorld } from '../../../../test/support/a-world.ts';
import { aGroupPdb, aPdb, aPod, aPub } from '../../../../test/support/builders.ts';
import { reserveIn } from '../../../../test/support/fleet.ts';
import { table } from '../../../../test/support/table.ts';
import { annotation } from '../../src/api/names.ts';
import type { DecideOptions } from '../../src/core/decide/decide.ts';
import type { DisruptionRequest } from '../../src/core/request.ts';

describe('takeover', () => {
  interface Row {
    readonly name: string;
    readonly request?: Partial<DisruptionRequest>;
    readonly options?: DecideOptions;
    readonly pod?: string;
    readonly operation?: 'EVICT' | 'DELETE';
    readonly want: 'takeover' | 'pass';
  }
  const off = { [annotation.takeover]: 'disabled' };
  const pods = ['both', 'both-off', 'off', 'pub', 'pub-off', 'plain-off', 'pub-plain'].map((kind) =>
    aPod(kind).labels({ app: kind, shard: kind, ...(kind.startsWith('p') ? { tier: 'pub' } : {}) }),
  );
  const world = () =>
    aWorld({
      pods: [aPod('group').labels({ app: 'group', shard: 'x' }), ...pods],
      pdbs: [
        ...['group', 'both', 'both-off', 'off', 'plain-off'].map((name) =>
          aGroupPdb(name, { app: name }, { minAvailable: 0 }, 'shard'),
        ),
        aPdb(
          'z-off',
          { app: 'off' },
          { minAvailable: 0 },
          { ...off, [annotation.budgetScope]: 'PodGroup', [annotation.groupLabel]: 'shard' },
        ),
        aPdb('z-plain-off', { app: 'plain-off' }, { minAvailable: 0 }, off),
        aPdb('z-pub-plain', { app: 'pub-plain' }, { minAvailable: 0 }),
      ],
      pubs: [
        aPub('pub', { selector: { matchLabels: { tier: 'pub' } }, minAvailable: 0 }),
        aPub('both', { selector: { matchLabels: { app: 'both' } }, minAvailable: 0 }),
        ...['pub-off', 'both-off'].map((app) =>
          aPub(app, { selector: { matchLabels: { app } }, minAvailable: 0 }, off),
        ),
      ],
    });
  const rows: readonly Row[] = [
    { name: '[P9] completes an eviction that a PDB judged', want: 'takeover' },
    { name: '[P9] completes one that a PDB and a PUB judged', pod: 'both', want: 'takeover' },
    { name: '[P9] is off when one of the judging PDBs turned it off', pod: 'off', want: 'pass' },
    { name: '[P9] is off when a plain PDB that is judged along turned it off', pod: 'plain-off', want: 'pass' },
    { name: '[P9] is off globally', options: { takeover: 'off' }, want: 'pass' },
    { name: '[P9] is on by its own name', options: { takeover: 'on' }, want: 'takeover' },
    { name: '[P9] never happens in a dry run', request: { dryRun: true }, want: 'pass' },
    {
      name: '[P9] respects a resourceVersion precondition',
      request: { resourceVersionPrecondition: true },
      want: 'pass',
    },
    { name: '[P9] stands back for a foreign webhook', options: { foreignEvictionWebhook: true }, want: 'pass' },
    { name: '[P9] completes an eviction that PUBs alone judged', pod: 'pub', want: 'takeover' },
    { name: '[P9] is off when a PUB turned it off', pod: 'pub-off', want: 'pass' },
    { name: '[P9] is off when a PUB beside a PDB turned it off', pod: 'both-off', want: 'pass' },
    { name: '[P9] is for evictions only', pod: 'pub', operation: 'DELETE', want: 'pass' },
    { name: '[P9] completes one that a PUB and a plain PDB judged', pod: 'pub-plain', want: 'takeover' },
    { name: '[P9] of a PUB never happens in a dry run', pod: 'pub', request: { dryRun: true }, want: 'pass' },
    {
      name: '[P9] of a PUB respects a resourceVersion precondition',
      pod: 'pub',
      request: { resourceVersionPrecondition: true },
      want: 'pass',
    },
    {
      name: '[P9] of a PUB stands back for a foreign webhook',
      pod: 'pub',
      options: { foreignEvictionWebhook: true },
      want: 'pass',
    },
  ];
  table(rows, ({ pod = 'group', operation = 'EVICT', request, options, want }) => {
    expect(ask(world(), operation, pod, request, options)).toMatchObject({
      result: 'allow',
      effects: { complete: want, target: { pod, uid: `uid-${pod}` } },
    });
  });

  it('[P9] never happens to an unprotected pod', () => {
    const plain = aWorld({ pods: [aPod('free')] });
    expect(ask(plain, 'EVICT', 'free')).toMatchObject({ effects: { complete: 'pass' } });
  });

  it('[P9] [I1] says which uid it is about, also when the pod is reserved already or Pending', () => {
    const reserved = world();
    reserveIn(reserved, 'group');
    expect(ask(reserved, 'EVICT', 'group')).toMatchObject({
      reason: 'AlreadyReserved',
      effects: { complete: 'takeover', target: { pod: 'group', uid: 'uid-group' } },
    });
    const starting = aPod('new').labels({ app: 'pub-alone', tier: 'pub' }).phase('Pending').notReady().uid('uid-2');
    reserved.upsertPod(starting.build());
    expect(ask(reserved, 'EVICT', 'new')).toMatchObject({
      reason: 'Pending',
      effects: { complete: 'takeover', target: { pod: 'new', uid: 'uid-2' }, onlyIf: { uid: 'uid-2' } },
    });
  });

  it('[P9] [I5] completes a reserved eviction only where it would complete a new one', () => {
    const reserved = world();
    reserveIn(reserved, 'group', 'off');
    expect(ask(reserved, 'EVICT', 'group')).toMatchObject({ effects: { complete: 'takeover' } });
    expect(ask(reserved, 'EVICT', 'off')).toMatchObject({ effects: { complete: 'pass' } });
  });
});
