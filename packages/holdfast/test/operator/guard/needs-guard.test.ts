import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { aWorld } from '../../../../../test/support/a-world.ts';
import { aGroupPdb, aPdb, aPod, aPodGroup, ns } from '../../../../../test/support/builders.ts';
import { lwsPods, podsOf, pubFor } from '../../../../../test/support/fleet.ts';
import { annotation } from '../../../src/api/names.ts';
import type { World } from '../../../src/core/world/world.ts';
import { needsGuard } from '../../../src/observe/guard/needs-guard.ts';

const web = { app: 'web' };
const one = { maxUnavailable: 1 };

function needed(world: World): boolean {
  const state = world.namespace(ns);
  return state !== undefined && needsGuard(state);
}

describe('what is a reason to guard a namespace', () => {
  const cases: readonly (readonly [string, Parameters<typeof aWorld>[0], boolean])[] = [
    ['nothing at all', {}, false],
    ['pods', { pods: podsOf('web', 3) }, false],
    ['a plain PDB', { pods: podsOf('web', 3), pdbs: [aPdb('web', web, one)] }, false],
    [
      'a plain PDB over pods of a LeaderWorkerSet',
      { pods: lwsPods('web', 2, 2), pdbs: [aPdb('web', web, one)] },
      false,
    ],
    ['a PDB that says PodGroup, also before its pods come', { pdbs: [aGroupPdb('web', web, one)] }, true],
    [
      'a PDB over a native gang',
      {
        pods: [aPod('web-0').labels(web).inPodGroup('gang')],
        podGroups: [aPodGroup('gang', 2)],
        pdbs: [aPdb('web', web, one)],
      },
      true,
    ],
    [
      'a PDB over a native gang that says Pod',
      {
        pods: [aPod('web-0').labels(web).inPodGroup('gang')],
        podGroups: [aPodGroup('gang', 2)],
        pdbs: [aPdb('web', web, one, { [annotation.budgetScope]: 'Pod' })],
      },
      false,
    ],
    [
      'a PDB whose annotations cannot be read',
      { pdbs: [aPdb('web', web, one, { [annotation.budgetScope]: '?' })] },
      true,
    ],
    ['a plain PDB before one of ours', { pdbs: [aPdb('a', web, one), aGroupPdb('b', web, one)] }, true],
    ['a PUB, also before its pods come', { pubs: [pubFor('web', one)] }, true],
    ['a pod with a probe, under no budget', { pods: [...podsOf('web', 2), aPod('db').probed('unanswered')] }, true],
    [
      'a pod with a probe that cannot be read',
      { pods: [aPod('db').annotate({ [annotation.disruptionProbe]: '{' })] },
      true,
    ],
  ];
  test.each(cases)('%s', (_, contents, expected) => {
    expect(needed(aWorld(contents))).toBe(expected);
  });

  it('a reason that goes is one no more', () => {
    const world = aWorld({
      pods: [aPod('db').probed('True')],
      pubs: [pubFor('web', one)],
      pdbs: [aGroupPdb('g', web, one)],
    });
    world.deletePub(ns, 'web');
    expect(needed(world)).toBe(true);
    world.deletePdb(ns, 'g');
    expect(needed(world)).toBe(true);
    world.deletePod(ns, 'db');
    expect(needed(world)).toBe(false);
  });
});

it('pods with a probe are counted right, whatever comes, changes and goes', () => {
  const pod = fc.record({
    name: fc.constantFrom('a', 'b', 'c', 'd'),
    uid: fc.constantFrom('1', '2'),
    probed: fc.boolean(),
    terminating: fc.boolean(),
    ready: fc.boolean(),
    gone: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(pod, { maxLength: 40 }), (changes) => {
      const world = aWorld({ pdbs: [aPdb('web', {}, one)] });
      const probed = new Map<string, boolean>();
      for (const { name, uid, gone, ...wish } of changes) {
        let built = aPod(name).uid(uid);
        if (wish.probed) built = built.probed('True');
        if (wish.terminating) built = built.terminating();
        if (!wish.ready) built = built.notReady();
        if (gone) world.deletePod(ns, name);
        else world.upsertPod(built.build());
        probed.set(name, !gone && wish.probed);
        expect(world.namespace(ns)?.probedPods.size).toBe([...probed.values()].filter(Boolean).length);
      }
    }),
  );
});
