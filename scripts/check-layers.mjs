// Runs dependency-cruiser and refuses a result that saw nothing: with a TypeScript it cannot read it reports
// "no violations" over zero modules, which is a false green.
import { spawnSync } from 'node:child_process';

const args = [
  'node_modules/dependency-cruiser/bin/dependency-cruise.mjs',
  'packages',
  '--config',
  '.dependency-cruiser.mjs',
  '-T',
  'json',
];
const run = spawnSync(process.execPath, args, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
if (!run.stdout) {
  console.error(run.stderr || 'dependency-cruiser printed nothing');
  process.exit(1);
}
const { summary, modules } = JSON.parse(run.stdout);
const ours = modules.filter((module) => /^packages\/[^/]+\/src\//.test(module.source));
const imports = ours.flatMap((module) => module.dependencies).length;
for (const violation of summary.violations) {
  console.error(`${violation.rule.severity} ${violation.rule.name}: ${violation.from} -> ${violation.to}`);
}
if (ours.length === 0 || imports === 0) {
  console.error(`the layer check saw ${ours.length} modules and ${imports} imports: it checked nothing`);
  process.exit(1);
}
console.log(`${ours.length} modules, ${imports} imports, ${summary.violations.length} violations`);
process.exit(summary.violations.length > 0 ? 1 : 0);
