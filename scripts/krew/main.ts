// Writes the archive that krew installs, and its manifest: npm run krew -- URI
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { tar } from '../image/tar.mjs';
import { archiveFiles } from './archive.ts';
import { krewManifest, unreleased } from './manifest.ts';

const folder = 'dist/krew';
const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly version: string };
const uri = process.argv[2] ?? unreleased.uri;
const path = `${folder}/holdfast-${version}.tar.gz`;
// Level and header are always the same, so that the same files have the same hash.
const archive = gzipSync(tar(archiveFiles()), { level: 9 });
const sha256 = createHash('sha256').update(archive).digest('hex');
mkdirSync(folder, { recursive: true });
writeFileSync(path, archive);
writeFileSync(`${folder}/holdfast.yaml`, krewManifest({ uri, sha256 }));
console.log(`wrote ${path} and ${folder}/holdfast.yaml: sha256 ${sha256}`);
