// Makes the picture of the README from a run of `holdfast simulate`, which is the same each time: npm run picture
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type DrainReport, drawDrains } from './drain-picture.ts';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const target = 'docs/images/drain.svg';

const command = ['simulate', 'examples/llm-serving.yaml', '--with', 'examples/llm-serving-per-pod.yaml', '-o', 'json'];
const printed = execFileSync(
  process.execPath,
  ['--import', import.meta.resolve('tsx'), 'packages/holdfast/src/cli/main.ts', ...command, '--', 'drain', 'node-b'],
  { cwd: root, encoding: 'utf8' },
);
const { asItIs, changed } = JSON.parse(printed) as { readonly asItIs: DrainReport; readonly changed: DrainReport };
const picture = drawDrains([
  { title: 'A budget that counts pods (minAvailable: 3 of 6)', report: changed },
  { title: 'A budget that counts groups (minAvailable: 1 of 2)', report: asItIs },
]);

if (process.argv.includes('--print')) process.stdout.write(picture);
else {
  mkdirSync(dirname(join(root, target)), { recursive: true });
  writeFileSync(join(root, target), picture);
  console.log(`wrote ${target}`);
}
