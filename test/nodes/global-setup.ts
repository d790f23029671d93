import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { delimiter, dirname, resolve } from 'node:path';
import { BedAccess, type BedState } from '../../testbed/src/nodes/bed-access.ts';
import { startTestbed } from '../../testbed/src/start.ts';
import { environmentOf } from '../../testbed/src/state.ts';
import { installHoldfast, loadHoldfastImage } from './support/installation.ts';

let tearDown: () => Promise<void> = async () => undefined;

/** Draining two at once leaves room on two others for what must not share a node. */
const nodes = 4;

/** The test bed that a shell was told of by `npm run testbed -- env`, or one of our own, with Holdfast installed on it. */
export async function setup(): Promise<void> {
  const say = (line: string) => void process.stderr.write(`${line}\n`);
  const archive = imageArchive();
  if (process.env['HOLDFAST_TEST_BED'] === undefined) await ownTestbed(say);
  const { KUBECONFIG: kubeconfig, HOLDFAST_TEST_BED: bed = '' } = process.env;
  Object.assign(process.env, { HOLDFAST_TEST_KUBECONFIG: kubeconfig, HOLDFAST_TEST_CONTROLLERS: 'true' });
  say('loading the image into every node, and installing Holdfast');
  await loadHoldfastImage(new BedAccess(JSON.parse(bed) as BedState), archive);
  await installHoldfast();
}

async function ownTestbed(say: (line: string) => void): Promise<void> {
  const testbed = await startTestbed({ realNodes: nodes, addOns: ['lws'], say });
  tearDown = testbed.stop;
  const { kubeconfigPath: kubeconfig, auditLogPath: auditLog, kubectlPath, bed } = testbed;
  const PATH = `${dirname(kubectlPath)}${delimiter}${process.env['PATH'] ?? ''}`;
  Object.assign(process.env, environmentOf({ kubeconfig, auditLog, ...(bed && { bed }) }), { PATH });
}

export function teardown(): Promise<void> {
  return tearDown();
}

/** Exactly the image that people get, of the sources as they are now. */
function imageArchive(): string {
  const { name, version } = JSON.parse(readFileSync('package.json', 'utf8')) as { name: string; version: string };
  if (process.env['HOLDFAST_TEST_IMAGE_AS_IT_IS'] !== 'true') {
    execFileSync(process.execPath, ['scripts/image/main.mjs'], { stdio: ['ignore', 'ignore', 'inherit'] });
  }
  const archive = resolve('dist/image', `${name}-${version}.tar`);
  if (!existsSync(archive)) throw new Error(`${archive} is missing: npm run image`);
  return archive;
}
