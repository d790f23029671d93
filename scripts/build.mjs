// Bundles the commands into dist: what each of them needs is in chunks of its own, so that `holdfast --help` reads little.
// Runs by itself after `npm ci` (the `prepare` script).
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { build } from 'esbuild';
import { dashboardFiles } from './dashboard.mjs';
import { billOfMaterials, bundledPackages, licenceTexts } from './third-party.mjs';

/** Where files with a hash in their names are, which change with every build. */
const hashed = ['dist/chunks', 'dist/dashboard/assets'];

const page = await dashboardFiles('dist/dashboard');

const { outputFiles, metafile } = await build({
  metafile: true,
  entryPoints: {
    holdfast: 'packages/holdfast/src/cli/main.ts',
    'kubectl_complete-holdfast': 'packages/holdfast/src/cli/kubectl-complete.ts',
  },
  outdir: 'dist',
  chunkNames: 'chunks/[name]-[hash]',
  splitting: true,
  write: false,
  bundle: true,
  platform: 'node',
  target: 'node20.19',
  format: 'esm',
  sourcemap: true,
  logLevel: 'warning',
  banner: {
    // commander and yaml are CommonJS inside; an ES module bundle has no `require` of its own.
    js: "#!/usr/bin/env node\nimport { createRequire as __createRequire } from 'node:module';\nconst require = __createRequire(import.meta.url);",
  },
});
// Each file appears whole, and chunks before the files that load them: another process may be running the command, or building it.
for (const { path, contents } of outputFiles.toSorted((a, b) => Number(isEntry(a.path)) - Number(isEntry(b.path)))) {
  put(path, contents, 0o755);
}
for (const { path, contents } of page.files.toSorted((a, b) => Number(isPage(a.path)) - Number(isPage(b.path)))) {
  put(path, contents, 0o644);
}
putThirdParty();
removeOld();
putInputs();

function put(path, contents, mode) {
  mkdirSync(dirname(path), { recursive: true });
  const draft = `${path}.${process.pid}.tmp`;
  writeFileSync(draft, contents, { mode });
  renameSync(draft, path);
}

function putThirdParty() {
  const product = JSON.parse(readFileSync('package.json', 'utf8'));
  const lock = JSON.parse(readFileSync('package-lock.json', 'utf8'));
  const packages = bundledPackages([...Object.keys(metafile.inputs), ...page.inputs]);
  // The lockfile names folders from the root of the project; a linked node_modules shows as ../../elsewhere/node_modules.
  const bill = billOfMaterials(
    product,
    packages,
    (folder) => lock.packages[folder.replace(/^.*?(?=node_modules\/)/, '')]?.integrity,
  );
  put('dist/THIRD-PARTY-LICENSES.txt', licenceTexts(packages), 0o644);
  put('dist/holdfast.cdx.json', `${JSON.stringify(bill, null, 2)}\n`, 0o644);
}

/** What this build was made of, each file with its hash: tests build again only where one of these has changed. */
function putInputs() {
  const scripts = ['scripts/build.mjs', 'scripts/dashboard.mjs', 'scripts/third-party.mjs'];
  const ofPage = readdirSync('packages/dashboard', { recursive: true }).map((file) => join('packages/dashboard', file));
  const inputs = [
    ...Object.keys(metafile.inputs),
    ...page.inputs,
    ...ofPage,
    ...scripts,
    'package.json',
    'package-lock.json',
  ];
  // Modules that the bundler makes up are no files.
  const files = inputs.filter((path) => !path.startsWith('\0') && existsSync(path) && statSync(path).isFile());
  const hashes = files.map((path) => [
    relative('.', path),
    createHash('sha256').update(readFileSync(path)).digest('hex'),
  ]);
  put('dist/inputs.json', `${JSON.stringify(Object.fromEntries(hashes), null, 2)}\n`, 0o644);
}

function isEntry(path) {
  return !path.includes('chunks');
}

function isPage(path) {
  return path.endsWith('.html');
}

/**
 * Processes that were started from an earlier build may still load its chunks, and browsers its page, so these stay for an hour. A package
 * has the files of this build alone: npm says by `npm_command` that it builds in order to pack.
 */
function removeOld() {
  const kept = new Set([...outputFiles, ...page.files].map(({ path }) => path));
  const packing = ['pack', 'publish'].includes(process.env.npm_command ?? '');
  const hourAgo = packing ? Number.POSITIVE_INFINITY : Date.now() - 3_600_000;
  for (const old of hashed.flatMap((folder) =>
    existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [],
  )) {
    const path = join(process.cwd(), old);
    if (!kept.has(path) && statSync(path).mtimeMs < hourAgo) rmSync(path, { force: true });
  }
}
