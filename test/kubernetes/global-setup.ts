import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { foreignSign } from '../../packages/holdfast/src/install/apply/foreign.ts';
import { ensurePrograms } from '../../testbed/src/build.ts';
import { startTestbed } from '../../testbed/src/start.ts';
import { environmentOf } from '../../testbed/src/state.ts';

let tearDown: () => Promise<void> | void = () => undefined;

/** The cluster that the environment names, or a test bed of our own. Tests learn of it by their environment. */
export async function setup(): Promise<void> {
  const { KUBECONFIG, HOLDFAST_TEST_CONTEXT } = process.env;
  if (process.env['HOLDFAST_TEST_KUBECONFIG'] !== undefined) return;
  if (KUBECONFIG === undefined || KUBECONFIG === '') return ownTestbed();
  useCluster(HOLDFAST_TEST_CONTEXT ?? '');
}

export function teardown(): Promise<void> | void {
  return tearDown();
}

/** Two of them: some tests play the controllers themselves, and must be the only ones who do. */
async function ownTestbed(): Promise<void> {
  const say = (line: string) => void process.stderr.write(`${line}\n`);
  // Tests of the chart find it in the cache.
  await ensurePrograms(['helm'], { env: process.env, say });
  const testbed = await startTestbed({ say });
  tearDown = testbed.stop;
  const alone = await startTestbed({ controllers: false, say });
  tearDown = async () => void (await Promise.all([testbed.stop(), alone.stop()]));
  const { kubeconfigPath: kubeconfig, auditLogPath: auditLog, kubectlPath } = testbed;
  const PATH = `${dirname(kubectlPath)}${delimiter}${process.env['PATH'] ?? ''}`;
  const { kubeconfigPath: HOLDFAST_TEST_API_KUBECONFIG } = alone;
  const found = { ...environmentOf({ kubeconfig, auditLog }), ...testsOn(kubeconfig) };
  Object.assign(process.env, found, { HOLDFAST_TEST_API_KUBECONFIG, PATH });
}

/** Tests install things and break things: they run only where the user said so, by the name of the context. */
function useCluster(context: string): void {
  const current = kubectlConfig(['current-context']).trim();
  if (context === '' || context !== current) {
    throw new Error(
      `the current context is "${current}". Set HOLDFAST_TEST_CONTEXT to its name to allow these tests to change that cluster, ` +
        'or unset KUBECONFIG to let them run on a test bed of their own.',
    );
  }
  refuseKruise();
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-test-'));
  tearDown = () => rmSync(folder, { recursive: true, force: true });
  const flat = join(folder, 'kubeconfig');
  writeFileSync(flat, kubectlConfig(['view', '--raw', '--flatten', '--minify', '-o', 'json']), { mode: 0o600 });
  Object.assign(process.env, testsOn(flat));
}

/** Tests write the definition of PodUnavailableBudgets over, and delete it with every budget in the cluster. */
function refuseKruise(): void {
  const args = ['get', 'crd', 'podunavailablebudgets.policy.kruise.io', '--ignore-not-found', '-o', 'json'];
  const found = kubectl([...args, '--show-managed-fields']);
  const sign = found === '' ? undefined : foreignSign(JSON.parse(found) as object);
  if (sign === undefined) return;
  throw new Error(
    `this cluster has OpenKruise's definition of PodUnavailableBudgets (${sign}), which these tests would replace and delete. ` +
      'Name a cluster without OpenKruise, or unset KUBECONFIG to let them run on a test bed of their own.',
  );
}

function testsOn(kubeconfig: string): Record<string, string> {
  return { HOLDFAST_TEST_KUBECONFIG: kubeconfig, HOLDFAST_TEST_CONTROLLERS: 'true' };
}

function kubectlConfig(args: readonly string[]): string {
  return kubectl(['config', ...args]);
}

function kubectl(args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync('kubectl', args, { encoding: 'utf8', timeout: 10_000 });
  if (status !== 0) throw new Error(`kubectl ${args.slice(0, 2).join(' ')}: ${stderr}`);
  return stdout;
}
