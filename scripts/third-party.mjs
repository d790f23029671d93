// What of others is in the bundle: the texts of their licences, which most of these want to be passed on, and a list for those who look
// for known vulnerabilities (CycloneDX). Both are made of what was bundled, not of what is installed.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const licenceFile = /^(licen[cs]e|copying|notice)([.-].*)?$/i;

/** The packages that files of a bundle are from, by name. */
export function bundledPackages(inputs) {
  const folders = new Set();
  for (const input of inputs) {
    const match = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(input);
    if (match) folders.add(match[1]);
  }
  const packages = [...folders].map(readPackage);
  return packages.sort((a, b) => (a.name < b.name ? -1 : 1));
}

function readPackage(folder) {
  const { name, version, license, dependencies = {} } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const texts = readdirSync(folder)
    .filter((file) => licenceFile.test(file))
    .map((file) => readFileSync(join(folder, file), 'utf8').trim());
  // Better no bundle than one that must not be given away.
  if (texts.length === 0) throw new Error(`${name} ${version} is bundled, and has no text of its licence`);
  if (typeof license !== 'string') throw new Error(`${name} ${version} is bundled, and does not say by which licence`);
  return { name, version, license, folder, dependencies: Object.keys(dependencies), texts };
}

export function licenceTexts(packages) {
  const parts = packages.map(({ name, version, license, texts }) =>
    [`${'='.repeat(80)}\n${name} ${version} (${license})\n${'='.repeat(80)}`, ...texts].join('\n\n'),
  );
  return `Holdfast is made with these packages, parts of which are in its bundle.\n\n${parts.join('\n\n\n')}\n`;
}

function purl({ name, version }) {
  return `pkg:npm/${name.replace('@', '%40')}@${version}`;
}

/** @param integrity by folder, as the lockfile has it: `sha512-` and base64 */
export function billOfMaterials(product, packages, integrity) {
  const known = new Map(packages.map((one) => [one.name, purl(one)]));
  const refs = (names) => names.flatMap((name) => known.get(name) ?? []).sort();
  const application = {
    type: 'application',
    'bom-ref': purl(product),
    name: product.name,
    version: product.version,
    purl: purl(product),
    licenses: [{ license: { id: product.license } }],
  };
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: application },
    components: packages.map((one) => ({
      type: 'library',
      'bom-ref': purl(one),
      name: one.name,
      version: one.version,
      purl: purl(one),
      licenses: [{ license: { id: one.license } }],
      hashes: [{ alg: 'SHA-512', content: hexOf(one, integrity(one.folder)) }],
    })),
    dependencies: [
      // What is bundled is needed to build and not to run, so that it is listed there; what is not bundled has no ref.
      { ref: purl(product), dependsOn: refs(Object.keys(product.devDependencies)) },
      ...packages.map((one) => ({ ref: purl(one), dependsOn: refs(one.dependencies) })),
    ],
  };
}

function hexOf({ name, version }, integrity) {
  const [, base64] = /^sha512-(.+)$/.exec(integrity ?? '') ?? [];
  if (base64 === undefined) throw new Error(`the lockfile has no SHA-512 of ${name} ${version}`);
  return Buffer.from(base64, 'base64').toString('hex');
}
