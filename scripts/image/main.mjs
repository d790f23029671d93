// Builds the image without a base image and without a docker: npm run image [-- FOLDER]. Node is npm's package, the libraries that it needs are
// Debian's, each by its hash; the same sources make the same bytes. Writes FOLDER/oci (an OCI image layout) and FOLDER/holdfast-VERSION.tar.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { applicationFiles } from './application.mjs';
import { libraryFiles, platformOf } from './libraries.mjs';
import { imageNodeFolder } from './node.mjs';
import { imageLayout } from './oci.mjs';
import { tar } from './tar.mjs';

const folder = process.argv[2] ?? 'dist/image';
const arch = process.arch;
const { name, version } = JSON.parse(readFileSync('package.json', 'utf8'));

execFileSync(process.execPath, ['scripts/build.mjs'], { stdio: 'inherit' });
const layout = imageLayout([runtimeFiles(), applicationFiles()], {
  name,
  version,
  platform: platformOf(arch),
  config: {
    // By number, because `runAsNonRoot` cannot look names up. Nothing is ever written to this filesystem.
    User: '65532:65532',
    Env: ['PATH=/nodejs/bin', 'NODE_ENV=production'],
    WorkingDir: '/app',
    Entrypoint: ['/nodejs/bin/node', '/app/dist/holdfast.js'],
    Cmd: ['operator'],
    ExposedPorts: { '9443/tcp': {}, '8080/tcp': {} },
    Labels: { 'org.opencontainers.image.version': version, 'org.opencontainers.image.licenses': 'Apache-2.0' },
  },
});
const archive = join(folder, `${name}-${version}.tar`);
rmSync(join(folder, 'oci'), { recursive: true, force: true });
for (const [path, { contents }] of Object.entries(layout)) put(join(folder, 'oci', path), contents);
put(archive, tar(layout));
const [{ digest }] = JSON.parse(layout['index.json'].contents).manifests;
process.stdout.write(`${name}:${version} for linux/${platformOf(arch)}\n${digest}\n${archive}\n`);

/** Node, what it loads, and what its libraries read to find hosts and users. */
function runtimeFiles() {
  const node = imageNodeFolder(arch);
  const text = (contents) => ({ contents: Buffer.from(contents), mode: 0o644 });
  return {
    ...libraryFiles(arch),
    'nodejs/bin/node': { contents: readFileSync(join(node, 'bin/node')), mode: 0o755 },
    'nodejs/LICENSE': { contents: readFileSync(join(node, 'LICENSE')), mode: 0o644 },
    'etc/passwd': text('root:x:0:0::/:/none\nnonroot:x:65532:65532::/:/none\n'),
    'etc/group': text('root:x:0:\nnonroot:x:65532:\n'),
    'etc/nsswitch.conf': text('hosts: files dns\n'),
  };
}

function put(path, contents) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, contents);
}
