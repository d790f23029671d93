// Runs tests on the Node of the image: npm run test:image-node [-- PATH ...]. Other tests run on the Node that a developer has.
import { spawnSync } from 'node:child_process';
import { delimiter, join, resolve } from 'node:path';
import { imageNode, imageNodeFolder } from './image/node.mjs';

/** What the image runs; and the image itself, where it was made here. */
const rooms = ['core', 'kube', 'operator', 'agent'].map((room) => `packages/holdfast/test/${room}`);
const suites = ['packages/base/test', ...rooms, 'test/scripts/image.test.ts'];

const bin = resolve(join(imageNodeFolder(process.arch), 'bin'));
const node = join(bin, 'node');
const version = spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout.trim();
if (version !== `v${imageNode.version}`) throw new Error(`${node} is ${version}, not v${imageNode.version}`);
process.stdout.write(`Tests on Node ${version}, which the image runs\n`);
const named = process.argv.slice(2);
const args = ['node_modules/vitest/vitest.mjs', 'run', ...(named.length > 0 ? named : suites)];
const PATH = `${bin}${delimiter}${process.env.PATH ?? ''}`;
process.exitCode = spawnSync(node, args, { stdio: 'inherit', env: { ...process.env, PATH } }).status ?? 1;
