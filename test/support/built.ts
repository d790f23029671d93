import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';

/** The command as `npm ci` builds it: a process of it starts three times as fast as one that reads the sources. */
export const builtCommand = resolve('dist/holdfast.js');

/** Which files the last build was made of (scripts/build.mjs). */
const record = 'dist/inputs.json';

/**
 * Builds the command unless the last build was made of the same files. Blocks this process while it builds, so call it before a cluster
 * runs here.
 */
export function ensureBuilt(): void {
  if (!isCurrent()) execFileSync(process.execPath, ['scripts/build.mjs'], { stdio: 'inherit' });
}

function isCurrent(): boolean {
  return existsSync(builtCommand) && existsSync(record) && areUnchanged(JSON.parse(readFileSync(record, 'utf8')));
}

/** @param inputs of a build: the hash of each file, by its path */
export function areUnchanged(inputs: Readonly<Record<string, string>>): boolean {
  return Object.entries(inputs).every(([path, hash]) => existsSync(path) && hashOf(path) === hash);
}

function hashOf(path: string): string {
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}
