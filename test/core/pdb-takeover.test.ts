import { describe, expect, it } from 'vitest';
import { annotation } from '../../src/api/names.ts';
import type { DecideOptions } from '../../src/core/decide/decide.ts';
import type { DisruptionRequest } from '../../src/core/request.ts';
import { table } from '../api/table.ts';
import { ask, aWorld } from '../support/a-world.ts';
import { aGroupPdb, aLedger, aPdb, aPod, aPub, aReservation, ns } from '../support/builders.ts';

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
  const pods = ['both', 'off', 'pub', 'plain-off', 'pub-plain'].map((kind) =>
    aPod(kind).labels({ app: kind, shard: kind, ...(kind.startsWith('p') ? { tier: 'pub' } : {}) }),
  );
  const world = () =>
    aWorld({
      pods: [aPod('group').labels({ app: 'group', shard: 'x' }), ...pods],
      pdbs: [
        ...['group', 'both', 'off', 'plain-off'].map((name) =>
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
      ],
    });
  const rows: readonly Row[] = [
    { name: '[P9] completes an eviction that a PDB judged', want: 'takeover' },
    { name: '[P9] completes one that a PDB and a PUB judged', pod: 'both', want: 'takeover' },
    { name: '[P9] is off when one of the judging PDBs turned it off', pod: 'off', want: 'pass' },
    { name: '[P9] is off when a plain PDB that is judged along turned it off', pod: 'plain-off', want: 'pass' },
    { name: '[P9] is off globally', options: { takeover: 'off' }, want: 'pass' },
    { name: '[P9] is on by its own name', options: { takeover: 'pdb' }, want: 'takeover' },
    { name: '[P9] never happens in a dry run', request: { dryRun: true }, want: 'pass' },
    {
      name: '[P9] respects a resourceVersion precondition',
      request: { resourceVersionPrecondition: true },
      want: 'pass',
    },
    { name: '[P9] stands back for a foreign webhook', options: { foreignEvictionWebhook: true }, want: 'pass' },
    { name: '[P9] leaves pods under PUBs alone by default', pod: 'pub', want: 'pass' },
    { name: '[P9] completes those, too, with always', pod: 'pub', options: { takeover: 'always' }, want: 'takeover' },
    {
      name: '[P9] always is for evictions only',
      pod: 'pub',
      operation: 'DELETE',
      options: { takeover: 'always' },
      want: 'pass',
    },
    { name: '[P9] completes one that a PUB and a plain PDB judged', pod: 'pub-plain', want: 'takeover' },
    {
      name: '[P9] always stands back in a dry run',
      pod: 'pub',
      request: { dryRun: true },
      options: { takeover: 'always' },
      want: 'pass',
    },
    {
      name: '[P9] always stands back for a precondition',
      pod: 'pub',
      request: { resourceVersionPrecondition: true },
      options: { takeover: 'always' },
      want: 'pass',
    },
    {
      name: '[P9] always stands back for a foreign webhook',
      pod: 'pub',
      options: { takeover: 'always', foreignEvictionWebhook: true },
      want: 'pass',
    },
  ];
  table(rows, ({ pod = 'group', operation = 'EVICT', request, options, want }) => {
    expect(ask(world(), operation, pod, request, options)).toMatchObject({
      result: 'allow',
      effects: { complete: want },
    });
  });

  it('[P9] never happens to a pod that nobody protects', () => {
    const plain = aWorld({ pods: [aPod('free')] });
    expect(ask(plain, 'EVICT', 'free', {}, { takeover: 'always' })).toMatchObject({ effects: { complete: 'pass' } });
  });

  it('[P9] [I5] completes a reserved eviction only where it would complete a new one', () => {
    const reserved = world();
    reserved.setLedger(ns, aLedger([aReservation('group'), aReservation('off')]));
    expect(ask(reserved, 'EVICT', 'group')).toMatchObject({ effects: { complete: 'takeover' } });
    expect(ask(reserved, 'EVICT', 'off')).toMatchObject({ effects: { complete: 'pass' } });
  });
});
