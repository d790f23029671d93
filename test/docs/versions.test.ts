import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { productVersion } from '../../packages/holdfast/src/cli/version.ts';

const page = readFileSync('docs/reference/versions.md', 'utf8');
const product = JSON.parse(readFileSync('package.json', 'utf8')) as {
  readonly version: string;
  readonly engines: { readonly node: string };
};

it('docs/reference/versions.md names the version, the Node that it needs, and the Kubernetes that the tests run on', () => {
  expect(page).toContain(`The version is ${product.version};`);
  expect(page).toContain(`Node ${product.engines.node.replace('>=', '')} or later`);
  const tested = /\bk8s\.io\/kubernetes v([\d.]+)/.exec(readFileSync('testbed/kubernetes/go.mod', 'utf8'))?.[1];
  expect(page).toContain(`| ${tested} | tested`);
  expect(readFileSync('README.md', 'utf8')).toContain(`Kubernetes 1.36.4 and ${tested}`);
});

it('the command says the version of its package', () => {
  expect(productVersion).toBe(product.version);
});
