// Writes the files that are derived from the code. With --verify it only compares, and fails naming what is stale.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type GeneratedFile, generatedFiles } from './generated-files.ts';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

const files = await generatedFiles();
if (process.argv.includes('--verify')) verify(files);
else write(files);

function write(files: readonly GeneratedFile[]): void {
  for (const { path, content } of files) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
    console.log(`wrote ${path}`);
  }
}

function verify(files: readonly GeneratedFile[]): void {
  const stale = files.filter(({ path, content }) => onDisk(path) !== content);
  for (const { path } of stale) console.error(`${path} is stale: run npm run generate`);
  if (stale.length > 0) process.exitCode = 1;
  else console.log(`${files.length} generated files are up to date`);
}

function onDisk(path: string): string | undefined {
  try {
    return readFileSync(join(root, path), 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
