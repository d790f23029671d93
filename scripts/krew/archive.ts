import { readdirSync, readFileSync } from 'node:fs';

interface ArchivedFile {
  readonly contents: Buffer;
  readonly mode: number;
}

/** What the plugin needs to run, and what others want to be passed on with it: the bundle and its licences. */
export function archiveFiles(): Readonly<Record<string, ArchivedFile>> {
  const chunks = readdirSync('dist/chunks').map((name) => `dist/chunks/${name}`);
  const readable = [
    'LICENSE',
    'package.json',
    'dist/THIRD-PARTY-LICENSES.txt',
    ...chunks.filter((name) => name.endsWith('.js')),
  ];
  const file = (path: string, mode: number) => [path, { contents: readFileSync(path), mode }] as const;
  return Object.fromEntries([...readable.map((path) => file(path, 0o644)), file('dist/holdfast.js', 0o755)]);
}
