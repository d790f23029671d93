import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The path of a file that comes with the package, whether this runs from the bundle or from the sources. */
export function packageFile(path: string): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!isPublished(join(folder, 'package.json'))) {
    const parent = dirname(folder);
    if (parent === folder) throw new Error(`${path} did not come with this installation of holdfast`);
    folder = parent;
  }
  return join(folder, path);
}

/** Told by its name: the sources lie in packages of their own below it, which publish nothing. */
function isPublished(file: string): boolean {
  return existsSync(file) && (JSON.parse(readFileSync(file, 'utf8')) as { name?: unknown }).name === 'holdfast';
}
