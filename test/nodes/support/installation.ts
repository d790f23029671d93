import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { BedAccess, CommandResult } from '../../../testbed/src/nodes/bed-access.ts';
import { kubectl } from './kubectl.ts';

/** Where exec probes are allowed: agents may run commands in every container there. */
export const execNamespace = 'nodes-exec-probes';

/** What an upgrade installs: another reference to the same image. */
export const upgradedImage = 'holdfast:upgraded';

const installed = 'holdfast:0.1.0';

/** As `docker load` or a registry would have it: kubelets complete short names with those of the usual registry. */
export async function loadHoldfastImage(bed: BedAccess, archive: string): Promise<void> {
  const names = [installed, upgradedImage].map((name) => `${installed}=docker.io/library/${name}`);
  for (const { name } of bed.nodes) await bed.importImage(name, archive, names);
}

/** The command as people run it. */
export function holdfast(...args: readonly string[]): Promise<CommandResult> {
  return new Promise((done) => {
    const options = { timeout: 240_000, env: process.env };
    execFile(process.execPath, [resolve('dist/holdfast.js'), ...args], options, (error, out, err) => {
      done({ code: error === null ? 0 : typeof error.code === 'number' ? error.code : -1, out, err });
    });
  });
}

/** With agents that may run commands in one namespace, which has to be there. */
export async function installHoldfast(...more: readonly string[]): Promise<void> {
  await kubectl(['create', 'namespace', execNamespace]);
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-values-'));
  try {
    const values = join(folder, 'values.yaml');
    writeFileSync(values, `agent:\n  execNamespaces: [${execNamespace}]\n`);
    const { code, out, err } = await holdfast('install', '--values', values, ...more);
    if (code !== 0) throw new Error(`holdfast install ended with ${code}:\n${out}${err}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
