import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pdb } from '../../../../test/e2e/support/objects.ts';
import { waitUntil } from '../../../../test/e2e/support/wait.ts';
import { builtCommand, ensureBuilt } from '../../../../test/support/built.ts';
import { made, type TestCluster, testCluster } from '../../../../test/support/cluster.ts';
import { kubeconfigFile } from './live/support.ts';

const hasTmux = spawnSync('tmux', ['-V']).status === 0;
const run = promisify(execFile);

let cluster: TestCluster;
let kubeconfig: string;
beforeAll(async () => {
  ensureBuilt();
  cluster = await testCluster();
  kubeconfig = kubeconfigFile(cluster.kubeconfig);
});
afterAll(() => cluster.close());

function words(namespace: string): string[] {
  return [builtCommand, 'status', '-w', '--interval', '1s', '-n', namespace, '--kubeconfig', kubeconfig];
}

async function addBudget(namespace: string): Promise<void> {
  const path = `/apis/policy/v1/namespaces/${namespace}/poddisruptionbudgets`;
  await made(cluster.request('POST', path, { body: pdb('late', { minAvailable: 1 }) }));
}

function ended(child: ChildProcess): Promise<number | null> {
  return new Promise((done) => child.once('exit', done));
}

describe('holdfast status -w', () => {
  it('prints changes where there is no terminal, and ends in order', async () => {
    const namespace = await cluster.newNamespace();
    const child = spawn(process.execPath, words(namespace), { stdio: ['ignore', 'pipe', 'pipe'] });
    let out = '';
    child.stdout.on('data', (piece) => {
      out += piece;
    });
    await waitUntil(
      'it has looked once',
      () => out,
      (text) => text.includes('webhooks'),
    );
    expect(out).toContain(`No budgets in ${namespace}.`);
    await addBudget(namespace);
    await waitUntil(
      'the budget is told of',
      () => out,
      (text) => text.includes(`budget ${namespace}/pdb/late is new: counts Pod (built-in), 0 available, 1 needed`),
    );
    expect(out).not.toContain('\u001b');
    expect(out.match(/CHECK +STATE/g)).toHaveLength(1);
    const over = ended(child);
    child.kill('SIGINT');
    expect(await over).toBe(0);
  });

  it.skipIf(!hasTmux)('draws over itself on a terminal, and leaves the last view when it ends', async () => {
    const namespace = await cluster.newNamespace();
    const socket = `holdfast-${randomBytes(4).toString('hex')}`;
    const tmux = async (...args: string[]) => (await run('tmux', ['-L', socket, ...args])).stdout;
    const line = [process.execPath, ...words(namespace)].join(' ');
    await tmux(
      '-f',
      '/dev/null',
      'new-session',
      '-d',
      '-x',
      '160',
      '-y',
      '30',
      `sh -c 'trap : INT; ${line}; echo ended with $?; cat'`,
    );
    const screen = () => tmux('capture-pane', '-p');
    try {
      await waitUntil('it has drawn', screen, (text) => text.includes('(Ctrl-C ends it)') && text.includes('webhooks'));
      await addBudget(namespace);
      const drawn = await waitUntil('it shows the budget', screen, (text) => text.includes('pdb/late'));
      expect(drawn.match(/CHECK +STATE/g)).toHaveLength(1);
      expect(drawn).not.toContain('No budgets');
      await tmux('send-keys', 'C-c');
      const last = await waitUntil('it has ended', screen, (text) => text.includes('ended with'));
      expect(last).toContain('ended with 0');
      expect(last).toContain('pdb/late');
    } finally {
      await tmux('kill-server');
    }
  });
});
