import { afterAll, describe, expect, it } from 'vitest';
import { addNode } from '../../../../../test/e2e/support/nodes.ts';
import { pdb, pod } from '../../../../../test/e2e/support/objects.ts';
import { sceneIn } from '../../../../../test/e2e/support/scene.ts';
import { waitUntil } from '../../../../../test/e2e/support/wait.ts';
import { builtCommand, ensureBuilt } from '../../../../../test/support/built.ts';
import { protectedCluster } from '../../../../../test/support/protected-cluster.ts';
import { kubeconfigFile } from '../live/support.ts';
import { hasTmux, Terminal } from './tmux.ts';

if (!hasTmux)
  process.stderr.write('packages/holdfast/test/cli/drain/terminal.test.ts is skipped: there is no tmux on the PATH\n');

ensureBuilt();
const cluster = hasTmux ? await protectedCluster() : undefined;
const terminal = hasTmux ? await Terminal.open({ columns: 100, rows: 24 }) : undefined;
afterAll(async () => {
  await terminal?.close();
  await cluster?.close();
});

const patiently = { withinMs: 90_000 };

describe.skipIf(!hasTmux)('holdfast drain on a terminal', () => {
  it('shows a live table with a bar, moves while it waits, and leaves a readable end after Ctrl-C', async () => {
    if (cluster === undefined || terminal === undefined) throw new Error('there is no terminal');
    const scene = await sceneIn(cluster);
    const node = await addNode(cluster, 'n');
    await scene.addPods(pod('goes', { node, goes: true, labels: { app: 'other' } }), pod('stays', { node }));
    const budget = pdb(
      'never',
      { maxUnavailable: 0 },
      { 'holdfast.dev/budget-scope': 'PodGroup', 'holdfast.dev/group-label': 'app' },
    );
    await scene.apply(budget);
    await scene.waitEnforced(budget);

    const file = kubeconfigFile(cluster.kubeconfig);
    const holdfast = `${process.execPath} ${builtCommand}`;
    await terminal.type(`KUBECONFIG=${file} ${holdfast} drain ${node} --force; echo "exit code $?"`);
    const screen = await waitUntil(
      'one pod is gone and the other waits',
      () => terminal.look(),
      (lines) =>
        lines.some((line) => line.includes('1 of 2 pods deleted')) && lines.some((line) => line.includes(' refused ')),
      patiently,
    );
    expect(screen[0]).toBe(`Draining ${node} (Ctrl-C stops; nodes stay cordoned)`);
    expect(screen[2]).toMatch(/^\[#{15}-{15}\] 50%, 1 of 2 pods deleted, \d+s so far, about \d+s left at this rate$/);
    expect(screen[4]).toMatch(/^POD +NODE +STATE +SINCE +WAITS FOR$/);
    // The numbers fit; what does not is cut at the right edge instead of broken into two lines.
    expect(screen[5]).toMatch(new RegExp(`^${scene.namespace}/stays +${node} +refused +\\d+s +pdb/never: raise .*$`));
    expect(screen[5]?.length).toBeLessThanOrEqual(100);
    expect(screen.slice(6).join('')).toBe('');
    expect(await terminal.lookAtColours()).toMatch(new RegExp(`${String.fromCharCode(27)}\\[33mrefused`));

    const since = screen[5] ?? '';
    await waitUntil(
      'the view moves',
      async () => (await terminal.look())[5],
      (line) => line !== since,
      patiently,
    );
    await terminal.interrupt();
    const end = await waitUntil(
      'it has ended',
      () => terminal.look(),
      (lines) => lines.some((line) => line.startsWith('exit code')),
      patiently,
    );
    expect(end).toContain('exit code 130');
    expect(end.join('\n')).toMatch(/^interrupted: 1 of 2 pods deleted after \d+s$/m);
    expect(end).toContain(`Still cordoned: ${node}. To make them schedulable again:`);
    expect(end).toContain(`  kubectl uncordon ${node}`);
  });
});
