import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { parseAllDocuments } from 'yaml';
import type * as batch from '../../packages/holdfast/src/core/ledger/batch.ts';
import type * as world from '../../packages/holdfast/src/core/world/world.ts';
import type { Manifest } from '../../packages/holdfast/src/install/manifests/manifests.ts';

/**
 * The version before this one: webhooks are called by bare paths, firm reservations carry no claim, and no policy limits the operator.
 * A later release names the commit of the release before it here.
 */
const earlierCommit = '51d90416d2a52c59c2d745284a8ec57e0cb2abc1';

export type Earlier =
  | { readonly kind: 'found'; readonly folder: string }
  /** Why there is nothing to compare with. */
  | { readonly kind: 'missing'; readonly reason: string };

/** The sources of the version before, from the history of this repository. */
export function earlierVersion(): Earlier {
  const folder = resolve('node_modules/.cache/holdfast', `earlier-${earlierCommit.slice(0, 12)}`);
  if (existsSync(folder)) return { kind: 'found', folder };
  try {
    execFileSync('git', ['cat-file', '-e', `${earlierCommit}^{commit}`], { stdio: 'ignore' });
  } catch {
    const reason = `commit ${earlierCommit} is not in the history here (a shallow clone?): the upgrade from it is not tested`;
    process.stderr.write(`${reason}\n`);
    return { kind: 'missing', reason };
  }
  unpack(folder);
  return { kind: 'found', folder };
}

/** Whole or not at all: test files run at the same time. */
function unpack(folder: string): void {
  mkdirSync(resolve(folder, '..'), { recursive: true });
  const draft = mkdtempSync(`${folder}-`);
  const parts = ['src', 'deploy/install.yaml', 'package.json'];
  const archive = execFileSync('git', ['archive', earlierCommit, ...parts], { maxBuffer: 256 * 1024 * 1024 });
  execFileSync('tar', ['-x', '-C', draft], { input: archive });
  symlinkSync(resolve('node_modules'), join(draft, 'node_modules'));
  if (existsSync(folder)) rmSync(draft, { recursive: true });
  else renameSync(draft, folder);
}

/** The command of the version before, in one file. */
export async function earlierCommand(folder: string): Promise<string> {
  return bundle(folder, { entryPoints: ['src/cli/main.ts'] });
}

/** The engine of the version before. */
export interface EarlierEngine {
  readonly World: typeof world.World;
  readonly decideBatch: typeof batch.decideBatch;
}

export async function earlierEngine(folder: string): Promise<EarlierEngine> {
  const contents =
    "export { World } from './src/core/world/world.ts'; export { judgeBatch as decideBatch } from './src/core/ledger/batch.ts';";
  const text = await bundle(folder, { stdin: { contents, resolveDir: folder, loader: 'ts' } });
  const file = join(folder, `engine-${process.pid}.mjs`);
  writeFileSync(file, text);
  return (await import(/* @vite-ignore */ pathToFileURL(file).href)) as EarlierEngine;
}

async function bundle(folder: string, what: Pick<Parameters<typeof build>[0], 'entryPoints' | 'stdin'>) {
  const js =
    "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);";
  const shape = { write: false, bundle: true, platform: 'node', format: 'esm', banner: { js } } as const;
  const { outputFiles } = await build({ ...what, ...shape, absWorkingDir: folder });
  return outputFiles[0]?.text ?? '';
}

/** What says who may do what, and which kinds there are, as the version before was installed. */
export function earlierManifests(folder: string): readonly Manifest[] {
  const kinds = ['Namespace', 'CustomResourceDefinition', 'ServiceAccount'];
  const rights = ['ClusterRole', 'ClusterRoleBinding', 'Role', 'RoleBinding'];
  const text = readFileSync(join(folder, 'deploy/install.yaml'), 'utf8');
  const all = parseAllDocuments(text).map((one) => one.toJS() as Manifest | null);
  return all.filter((one) => one !== null).filter(({ kind }) => [...kinds, ...rights].includes(kind ?? ''));
}
