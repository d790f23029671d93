import { describe, expect, it } from 'vitest';
import { aWorld } from '../../../../../test/support/a-world.ts';
import { aGroupPdb, anOwner, aPod, refTo } from '../../../../../test/support/builders.ts';
import { annotation } from '../../../src/api/names.ts';
import type { PodDisruptionBudget } from '../../../src/api/pdb.ts';
import { aStatusBench, type StatusBench } from './status-bench.ts';

const lws = anOwner('LeaderWorkerSet', 'llm', 3);
const worker = (group: number, index: number) =>
  aPod(`llm-${group}-${index}`).labels({ app: 'llm' }).lws('llm', group, index, 2).ownedBy(refTo(lws));
const threeGroups = () =>
  aWorld({ owners: [lws], pods: [0, 1, 2].flatMap((group) => [worker(group, 0), worker(group, 1)]) });

const bench = (projects = true) =>
  aStatusBench({ world: threeGroups(), pdbs: [aGroupPdb('llm', { app: 'llm' }, { minAvailable: 1 })], projects });

function shownBy(on: StatusBench) {
  const { metadata, status } = on.pdb('llm');
  return [metadata.annotations?.[annotation.disruptionsAllowed], status?.disruptionsAllowed];
}

/** What the disruption controller thinks, where nothing keeps it from saying so. */
function controllerWrites(on: StatusBench): void {
  const pdb = on.pdb('llm');
  on.api.put('poddisruptionbudgets', {
    ...pdb,
    status: { ...pdb.status, disruptionsAllowed: 5 },
  } as PodDisruptionBudget);
  on.catchUp();
}

describe('disruptionsAllowed of a budget over groups', () => {
  it('[S3] is written with the condition, in one write', async () => {
    const on = bench();
    const end = on.lead();
    await on.clock.advance(1_000);
    expect(shownBy(on)).toEqual(['2', 2]);
    expect(on.api.writes).toHaveLength(1);
    on.world.upsertPod(worker(1, 1).notReady().build());
    on.controller.namespace('shop');
    await on.clock.advance(1_000);
    expect(shownBy(on)).toEqual(['1', 1]);
    expect(on.api.writes).toHaveLength(2);
    await end();
  });

  it('[S3] is left to Kubernetes where the installation says so', async () => {
    const on = bench(false);
    const end = on.lead();
    await on.clock.advance(1_000);
    expect(shownBy(on)).toEqual([undefined, undefined]);
    await end();
  });

  it('[S3] is written three more times at most where nothing holds it', async () => {
    const on = bench();
    const end = on.lead();
    await on.clock.advance(1_000);
    const before = on.api.writes.length;
    on.api.wrote = () => controllerWrites(on);
    controllerWrites(on);
    await on.clock.advance(1_800_000);
    expect(on.api.writes.length - before).toBe(3);
    await end();
  });
});
