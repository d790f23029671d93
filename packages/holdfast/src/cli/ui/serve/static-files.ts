import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import type { Reply } from './answers.ts';

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.json': 'application/json',
  '.webmanifest': 'application/manifest+json',
};

/** More belongs to no page of ours. */
const maxFiles = 500;

/**
 * The files of the page, read once. A path is looked up and never joined: whatever a request asks for, it gets a file that was found
 * when the server started, or none.
 */
export class StaticFiles {
  readonly #files: ReadonlyMap<string, Reply>;

  constructor(directory: string) {
    this.#files = new Map(filesIn(directory));
  }

  get isEmpty(): boolean {
    return !this.#files.has('/index.html');
  }

  /** A path without a file is one of the page's own: it has the page itself. */
  find(path: string): Reply | undefined {
    const known = this.#files.get(path);
    if (known !== undefined) return known;
    return extname(path) === '' ? this.#files.get('/index.html') : undefined;
  }
}

function* filesIn(directory: string): Iterable<[string, Reply]> {
  if (!existsSync(directory)) return;
  const entries = readdirSync(directory, { recursive: true, withFileTypes: true });
  for (const entry of entries.filter((one) => one.isFile()).slice(0, maxFiles)) {
    const file = join(entry.parentPath, entry.name);
    const path = file.slice(directory.length).replaceAll('\\', '/');
    const type = types[extname(entry.name)] ?? 'application/octet-stream';
    yield [path.startsWith('/') ? path : `/${path}`, { status: 200, type, body: readFileSync(file) }];
  }
}

export const pageMissing = [
  'The page of holdfast ui is not built: dist/dashboard/index.html does not exist.',
  'Build it with: npm run build',
  'The JSON API works without it: see docs/guides/ui.md.',
  '',
].join('\n');
