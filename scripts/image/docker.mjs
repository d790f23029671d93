// Builds the image for both architectures, from base images that are named by digest:
//   npm run image:docker -- NAME --build-image IMAGE@sha256:... --runtime-image IMAGE@sha256:... [--print] [more for docker buildx build]
import { spawnSync } from 'node:child_process';

const platforms = 'linux/amd64,linux/arm64';
const digest = /^[^\s@]+@sha256:[0-9a-f]{64}$/;

const [name, ...rest] = process.argv.slice(2);
const bases = { 'build-image': undefined, 'runtime-image': undefined };
const more = [];
let print = false;
while (rest.length > 0) {
  const word = rest.shift();
  const option = word?.replace(/^--/, '') ?? '';
  if (word === '--print') print = true;
  else if (Object.hasOwn(bases, option)) bases[option] = rest.shift();
  else more.push(word);
}
if (name === undefined || name.startsWith('-')) fail('name the image first, such as holdfast:0.1.0');
for (const [option, image] of Object.entries(bases)) {
  if (image === undefined) fail(`--${option} is missing: see deploy/Dockerfile`);
  else if (!digest.test(image)) fail(`--${option} must be named by digest (IMAGE@sha256:64 digits), not ${image}`);
}
const args = [
  ...['buildx', 'build', '--platform', platforms, '--file', 'deploy/Dockerfile', '--tag', name],
  ...['--build-arg', `BUILD_IMAGE=${bases['build-image']}`, '--build-arg', `RUNTIME_IMAGE=${bases['runtime-image']}`],
  // What it was made of and how goes with the image.
  ...['--provenance=mode=max', '--sbom=true', ...more, '.'],
];
if (print) process.stdout.write(`docker ${args.join(' ')}\n`);
else process.exitCode = spawnSync('docker', args, { stdio: 'inherit' }).status ?? 1;

function fail(problem) {
  process.stderr.write(`error: ${problem}\n`);
  process.exit(2);
}
