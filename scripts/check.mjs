// Static checks, in the order in which they are cheapest to fix. Each prints its name; the first failure does not hide the rest.
import { spawnSync } from 'node:child_process';

const steps = [
  ['format and lint (biome)', ['node_modules/.bin/biome', 'check', '.']],
  ['types (tsc)', [process.execPath, 'node_modules/typescript7/bin/tsc', '-p', 'tsconfig.json']],
  ['types of the page (tsc)', [process.execPath, 'node_modules/typescript7/bin/tsc', '-p', 'packages/dashboard']],
  ['layers (dependency-cruiser)', [process.execPath, 'scripts/check-layers.mjs']],
  ['unused files, exports and dependencies (knip)', ['node_modules/.bin/knip']],
  [
    'code that only tests reach (knip, production)',
    ['node_modules/.bin/knip', '--production', '--config', 'knip.production.json'],
  ],
  ['generated files are up to date', ['node_modules/.bin/tsx', 'scripts/generate.ts', '--verify']],
];

const failed = [];
for (const [name, [command, ...args]] of steps) {
  console.log(`== ${name}`);
  const { status } = spawnSync(command, args, { stdio: 'inherit' });
  if (status !== 0) failed.push(name);
}
if (failed.length > 0) {
  console.error(`check failed: ${failed.join('; ')}`);
  process.exit(1);
}
console.log(`check passed: ${steps.length} steps`);
