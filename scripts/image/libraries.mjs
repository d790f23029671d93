// The shared libraries that Node needs, out of Debian's packages: scripts/image/libraries.json names each by version and hash.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { URL } from 'node:url';

const libraries = JSON.parse(readFileSync(new URL('./libraries.json', import.meta.url), 'utf8'));
const cache = 'node_modules/.cache/holdfast/packages';

/** By where they are in the image. */
export function libraryFiles(arch) {
  const wanted = libraries[arch];
  if (wanted === undefined)
    throw new Error(`scripts/image/libraries.json has no libraries for ${arch}: see deploy/Dockerfile`);
  return Object.assign({}, ...wanted.packages.map((one) => filesOf(one, packageFile(one, wanted.platform))));
}

export function platformOf(arch) {
  return libraries[arch]?.platform;
}

function packageFile({ name, version, sha256 }, platform) {
  const file = join(cache, `${sha256}.deb`);
  if (existsSync(file)) return file;
  mkdirSync(cache, { recursive: true });
  const draft = mkdtempSync(join(cache, 'draft-'));
  try {
    const args = ['-qq', 'download', `${name}:${platform}=${version}`];
    execFileSync('apt-get', args, { cwd: resolve(draft), stdio: ['ignore', 'ignore', 'pipe'] });
    const downloaded = join(draft, readdirSync(draft)[0] ?? '');
    const found = createHash('sha256').update(readFileSync(downloaded)).digest('hex');
    if (found !== sha256)
      throw new Error(`${name} ${version} is ${found}, and scripts/image/libraries.json wants ${sha256}`);
    renameSync(downloaded, file);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
  return file;
}

function filesOf({ files }, file) {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-package-'));
  try {
    execFileSync('dpkg-deb', ['-x', file, folder]);
    const read = ([from, to]) => [to, { contents: readFileSync(join(folder, from)), mode: modeOf(to) }];
    return Object.fromEntries(Object.entries(files).map(read));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The loader is a program. */
function modeOf(path) {
  return path.includes('/ld-linux') ? 0o755 : 0o644;
}
