// npm run library [-- FOLDER]: the embedded cluster as a package that stands alone, in build/embedded-cluster. `npm pack` or `npm publish` there.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { build } from 'esbuild';

const source = 'packages/embedded-cluster';
const target = resolve(process.argv[2] ?? 'build/embedded-cluster');
const manifest = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8'));
const doors = Object.entries(manifest.exports);
const base = JSON.parse(readFileSync('packages/base/package.json', 'utf8'));

rmSync(target, { recursive: true, force: true });
await bundle();
declareTypes();
writeFileSync(join(target, 'package.json'), `${JSON.stringify(published(), null, 2)}\n`);
for (const file of ['README.md', 'ARCHITECTURE.md']) cpSync(join(source, file), join(target, file));
cpSync('LICENSE', join(target, 'LICENSE'));
console.log(`${relative('.', target) || target}: ${doors.map(([door]) => door).join(', ')}`);

async function bundle() {
  await build({
    entryPoints: Object.fromEntries(doors.map(([door, file]) => [nameOf(door), join(source, file)])),
    outdir: target,
    bundle: true,
    splitting: true,
    platform: 'node',
    target: 'node20.19',
    format: 'esm',
    chunkNames: 'chunks/[hash]',
    external: Object.keys(dependencies()),
    logLevel: 'warning',
  });
}

/** Types stay in the folders of the sources; what they import by name or with the ending of a source is named by its place there. */
function declareTypes() {
  const types = join(target, 'types');
  const entries = doors.map(([, file]) => join(source, file));
  const options = [
    '--declaration',
    '--emitDeclarationOnly',
    '--noEmit',
    'false',
    '--rootDir',
    'packages',
    '--outDir',
    types,
  ];
  const settings = join(target, 'tsconfig.json');
  mkdirSync(target, { recursive: true });
  writeFileSync(
    settings,
    JSON.stringify({
      extends: resolve('tsconfig.json'),
      compilerOptions: { typeRoots: [resolve('node_modules/@types')] },
      include: [resolve('packages/base/src')],
      files: entries.map((file) => resolve(file)),
    }),
  );
  const { status } = spawnSync(process.execPath, ['node_modules/typescript7/bin/tsc', '-p', settings, ...options], {
    stdio: 'inherit',
  });
  rmSync(settings);
  if (status !== 0) throw new Error('the types could not be written');
  for (const file of readdirSync(types, { recursive: true, encoding: 'utf8' }).map((name) => join(types, name))) {
    if (statSync(file).isFile()) writeFileSync(file, relinked(readFileSync(file, 'utf8'), file, types));
  }
}

function relinked(text, file, types) {
  const up = relative(dirname(file), join(types, 'base/src'));
  return text
    .replaceAll(
      /(from '|import\(')@holdfast\/base\/([^']+)'/g,
      (_, head, path) => `${head}${up.startsWith('.') ? up : `./${up}`}/${path}.js'`,
    )
    .replaceAll(/(from '|import\(')(\.[^']*)\.ts'/g, "$1$2.js'");
}

function dependencies() {
  const { '@holdfast/base': _, ...own } = manifest.dependencies;
  return { ...base.dependencies, ...own };
}

function published() {
  const { private: _, dependencies: __, exports: ___, ...rest } = manifest;
  const exports = Object.fromEntries(
    doors.map(([door, file]) => [
      door,
      {
        types: `./types/embedded-cluster/${file.replace('./', '').replace(/\.ts$/, '.d.ts')}`,
        default: `./${nameOf(door)}.js`,
      },
    ]),
  );
  return { ...rest, engines: { node: '>=20.19' }, exports, dependencies: dependencies() };
}

function nameOf(door) {
  return door === '.' ? 'index' : door.replace('./', '');
}
