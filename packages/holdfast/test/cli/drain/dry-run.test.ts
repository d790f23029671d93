import { describe, expect, it } from 'vitest';
import { aWorld } from '../../../../../test/support/a-world.ts';
import { aPdb, aPod, ns } from '../../../../../test/support/builders.ts';
import { drainDryRunOf } from '../../../src/cli/drain/dry-run.ts';
import { selectPods } from '../../../src/cli/drain/filters.ts';
import type { ListedPod } from '../../../src/cli/drain/listed-pod.ts';
import type { LiveWorld } from '../../../src/observe/once/live-world.ts';

const listed = (name: string): ListedPod => {
  const uid = aPod(name).build().metadata.uid ?? '';
  return {
    namespace: ns,
    name,
    uid,
    node: 'a',
    controller: undefined,
    mirror: false,
    emptyDir: false,
    finished: false,
  };
};

function dryRun(force: boolean) {
  const pods = ['solo-0', 'solo-1'];
  const world = aWorld({
    pods: pods.map((name) => aPod(name).labels({ app: 'solo' })),
    pdbs: [aPdb('solo', { app: 'solo' }, { minAvailable: 1 })],
  });
  // Safe: a dry run reads the world, the time and the gaps alone.
  const live = { world, readAt: 0, gaps: [] } as unknown as LiveWorld;
  const filters = { force, ignoreDaemonsets: false, deleteEmptydirData: false };
  const selection = selectPods(pods.map(listed), filters, { now: 0, hasDaemonSet: () => true });
  const commandWith = (flags: readonly string[]) => ['holdfast drain a', ...flags].join(' ');
  return drainDryRunOf([{ name: 'a', cordoned: false, labels: {}, ready: true }], selection, live, {
    order: 'groups',
    commandWith,
  });
}

describe('a dry run', () => {
  it('[M2] promises no second round to pods whose budget does not recover', () => {
    const { out, err, code } = dryRun(true);
    expect(code).toBe(1);
    expect(err.join('\n')).toContain('no controller; will not be recreated');
    expect(out.join('\n')).toContain('1 of 2 pods can be evicted, in 1 round; 1 cannot.');
    expect(out.join('\n')).toContain(`so their budgets do not recover: ${ns}/solo-0`);
  });

  it('prints the command that would work', () => {
    const { err, code } = dryRun(false);
    expect(code).toBe(1);
    expect(err.slice(-2)).toEqual(['This command also drains them:', '  holdfast drain a --force']);
  });
});
