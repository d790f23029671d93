import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { UpProcess } from '../cli/up-process.ts';
import { hasKubectl } from '../clients/kubectl.ts';

interface Step {
  readonly line: string;
  readonly code: number;
  readonly text: string;
}

/** What the page tells people to type, block by block. */
function blocks(): readonly (readonly string[])[] {
  const page = readFileSync('docs/probes.md', 'utf8');
  return [...page.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, text = '']) => text.trim().split('\n'));
}

const mark = '== ended with ';

/** The kubectl that all tests use, and everything it says in one place. */
const head = 'kubectl() { command $KUBECTL "$@"; }; exec 2>&1';

/** Runs the lines in one shell, and tells of each how it ended and what it said. */
function typed(lines: readonly string[], env: NodeJS.ProcessEnv): Promise<readonly Step[]> {
  const script = lines.map((line) => `${line}\necho "${mark}$?"`).join('\n');
  return new Promise((resolve) => {
    execFile('sh', ['-c', `${head}\n${script}`], { env, timeout: 110_000 }, (_error, out) => {
      const parts = out.split(mark);
      resolve(
        lines.map((line, index) => {
          const [, ...text] = (parts[index] ?? '').split('\n');
          const code = Number(parts[index + 1]?.split('\n', 1)[0] ?? Number.NaN);
          return { line, code, text: (index === 0 ? [parts[0]] : text).join('\n') };
        }),
      );
    });
  });
}

describe.skipIf(!hasKubectl)('the examples of docs/probes.md', () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-examples-'));
  let cluster: UpProcess | undefined;
  let env: NodeJS.ProcessEnv = {};

  beforeAll(async () => {
    execFileSync(process.execPath, ['scripts/build.mjs'], { stdio: 'inherit' });
    cluster = await new UpProcess(folder, ['--port', '0']).ready();
    const kubeconfig = join(folder, 'copy');
    writeFileSync(kubeconfig, cluster.kubeconfig(), { mode: 0o600 });
    env = {
      PATH: process.env['PATH'],
      KUBECTL: process.env['KUBECTL'] ?? 'kubectl',
      HOME: folder,
      KUBECONFIG: kubeconfig,
    };
  });
  afterAll(async () => {
    await cluster?.stop('SIGKILL');
    rmSync(folder, { recursive: true });
  });

  const [database = [], search = []] = blocks();

  it('run as they are: the database', async () => {
    const steps = await typed(database, env);
    const refused = steps.filter(({ code }) => code !== 0);
    expect(refused.map(({ line }) => line.includes('# refused'))).toEqual([true]);
    expect(refused[0]?.text).toContain('disruption probe');
    const shown = steps.find(({ line }) => line.includes('get podunavailablebudget'));
    expect(shown?.text).toMatch(/^db +0 +2 +2 +3 /m);
  });

  it('run as they are: the search cluster', async () => {
    const steps = await typed(search, env);
    expect(steps.filter(({ code }) => code !== 0)).toEqual([]);
    const pods = steps.find(({ line }) => line.includes('get pods'));
    expect(pods?.text.match(/ 1\/1 +Running/g)).toHaveLength(3);
    // A status follows the conditions a moment later.
    const budget = async () => (await typed(search.slice(-1), env))[0]?.text;
    await expect.poll(budget, { timeout: 20_000 }).toContain('message: 0 pods available, 2 needed');
  });
});
