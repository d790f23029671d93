import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { derivedModuleFolder } from './cache.ts';
import { type GoWork, moduleSource, runGo } from './go.ts';
import { folderOf, originOf, versionOf } from './modules.ts';

/**
 * The folder to build OpenKruise's manager in. Its webhooks listen on every address of a machine, and no flag changes that: its
 * main function is taken from the module, changed in that one word, and compiled with everything else as it is.
 */
export async function kruiseFolder(go: string, around: Pick<GoWork, 'env' | 'say' | 'signal'>): Promise<string> {
  const module = 'kruise';
  const origin = originOf(module);
  const kept = folderOf(module);
  await runGo({ ...around, go, cwd: kept, args: ['mod', 'download', origin], what: `the source of ${origin}` });
  const folder = derivedModuleFolder(around.env, module, versionOf(module, around.env));
  mkdirSync(folder, { recursive: true });
  for (const name of ['go.mod', 'go.sum']) copyFileSync(join(kept, name), join(folder, name));
  const main = readFileSync(join(moduleSource(go, kept, origin), 'main.go'), 'utf8');
  writeFileSync(join(folder, 'main.go'), onLoopbackAlone(main));
  return folder;
}

const everywhere = /(\bHost:\s*)"0\.0\.0\.0"/g;

/** Another release may say it elsewhere, and must not be built to listen where the test bed does not expect it. */
export function onLoopbackAlone(main: string): string {
  const places = main.match(everywhere)?.length ?? 0;
  if (places !== 1) {
    throw new Error(
      `the main function of OpenKruise names the address of its webhooks in ${places} places, and not in one: see how it listens now, and change testbed/src/kruise-source.ts`,
    );
  }
  return main.replace(everywhere, '$1"127.0.0.1"');
}
