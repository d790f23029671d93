// The Node that the image runs: scripts/image/node.json names its version, the npm package that holds it and what that must hash to.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { URL } from 'node:url';

export const imageNode = JSON.parse(readFileSync(new URL('./node.json', import.meta.url), 'utf8'));

const cache = 'node_modules/.cache/holdfast';

/** The folder of the package with `bin/node` and `LICENSE`, downloaded when it is not there. `arch`: x64 or arm64. */
export function imageNodeFolder(arch) {
  const wanted = imageNode.packages[arch];
  if (wanted === undefined) throw new Error(`scripts/image/node.json names no Node for ${arch}`);
  const folder = join(cache, `${wanted.name}-${imageNode.version}`);
  if (existsSync(folder)) return folder;
  mkdirSync(cache, { recursive: true });
  const draft = mkdtempSync(join(cache, 'draft-'));
  try {
    unpack(download(wanted, draft), draft);
    renameSync(join(draft, 'package'), folder);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
  return folder;
}

function download({ name, integrity }, into) {
  const args = ['pack', `${name}@${imageNode.version}`, '--json', '--pack-destination', into];
  const [{ filename }] = JSON.parse(
    execFileSync('npm', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }),
  );
  const tarball = join(into, filename);
  const found = `sha512-${createHash('sha512').update(readFileSync(tarball)).digest('base64')}`;
  if (found !== integrity)
    throw new Error(`${name}@${imageNode.version} is ${found}, and scripts/image/node.json wants ${integrity}`);
  return tarball;
}

/** Headers and manuals stay behind. */
function unpack(tarball, into) {
  execFileSync('tar', ['-xzf', tarball, '-C', into, 'package/bin/node', 'package/LICENSE']);
}
