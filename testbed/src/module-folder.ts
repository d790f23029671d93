import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { derivedModuleFolder } from './cache.ts';
import { type GoWork, runGo } from './go.ts';
import { kruiseFolder } from './kruise-source.ts';
import { goModFor } from './kubernetes-version.ts';
import { folderOf, type ModuleName, pinnedVersion, versionOf } from './modules.ts';

/**
 * The folder to build a program in. For the version that go.mod requires it is the one that is kept here, with its go.sum; for
 * another one it is derived from that, and Go's checksum database says what may be built.
 */
export async function moduleFolder(
  module: ModuleName,
  go: string,
  around: Pick<GoWork, 'env' | 'say' | 'signal'>,
): Promise<string> {
  if (module === 'kruise') return kruiseFolder(go, around);
  const kept = folderOf(module);
  const pinned = pinnedVersion(module);
  const version = versionOf(module, around.env);
  if (version === pinned) return kept;
  const folder = derivedModuleFolder(around.env, module, version);
  if (existsSync(join(folder, 'go.sum'))) return folder;
  mkdirSync(folder, { recursive: true });
  copyFileSync(join(kept, 'tools.go'), join(folder, 'tools.go'));
  writeFileSync(join(folder, 'go.mod'), goModFor(readFileSync(join(kept, 'go.mod'), 'utf8'), pinned, version));
  await runGo({ ...around, go, cwd: folder, args: ['mod', 'tidy'], what: `the module of ${module} ${version}` });
  return folder;
}
