import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';

function filesUnder(folder: string, wanted: RegExp): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((file) => join(folder, file))
    .filter((file) => wanted.test(file));
}

const pages = [
  ...['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'SECURITY.md'],
  ...filesUnder('docs', /\.md$/),
  ...filesUnder('examples', /\.md$/),
];

/** What a reader can follow or be shown, outside of code blocks: `[text](target)`, `src="target"` and `srcset="target"`. */
function targetsOf(page: string): readonly string[] {
  const prose = readFileSync(page, 'utf8').replaceAll(/^ *```[\s\S]*?^ *```/gm, '');
  const found = [...prose.matchAll(/\]\(([^)\s]+)\)|\bsrc(?:set)?="([^"]+)"/g)];
  return found.map(([, link, source]) => link ?? source ?? '').filter((target) => !/^[a-z]+:/.test(target));
}

/** The anchors of a page, as code hosts derive them from headings. */
function anchorsOf(page: string): ReadonlySet<string> {
  const headings = readFileSync(page, 'utf8').matchAll(/^#+ (.+)$/gm);
  return new Set(
    [...headings].map(([, text = '']) =>
      text
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}

function isBroken(page: string, target: string): boolean {
  const [path = '', anchor] = target.split('#');
  const file = path === '' ? page : normalize(join(dirname(page), path));
  if (!existsSync(file)) return true;
  return anchor !== undefined && file.endsWith('.md') && !anchorsOf(file).has(anchor);
}

describe('links', () => {
  it.each(pages.map((page) => ({ page })))('of $page lead to files and headings that exist', ({ page }) => {
    expect(targetsOf(page).filter((target) => isBroken(page, target))).toEqual([]);
  });

  it('lead from docs/README.md to every page of docs', () => {
    const seen = new Set<string>();
    const waiting = ['docs/README.md'];
    for (let page = waiting.pop(); page !== undefined; page = waiting.pop()) {
      if (seen.has(page) || !page.endsWith('.md') || !existsSync(page)) continue;
      seen.add(page);
      // Only the index itself and the index of decisions count: a page that only other pages mention is hard to find.
      if (!page.endsWith('README.md')) continue;
      for (const target of targetsOf(page)) waiting.push(normalize(join(dirname(page), target.split('#')[0] ?? '')));
    }
    expect(pages.filter((page) => page.startsWith('docs/') && !seen.has(page))).toEqual([]);
  });
});

/** Messages, comments and examples name pages by their path in the repository. */
it('pages that sources, examples, tests and pages name by path exist', () => {
  const sources = ['packages', 'examples', 'scripts', 'test', 'testbed/src', 'testbed/config', 'bench', 'docs', '.ci']
    .flatMap((folder) => filesUnder(folder, /\.(ts|mjs|md|ya?ml|txt)$|^\.ci\//))
    .concat(pages);
  const missing = sources.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/(?<![\w/.])docs\/[\w/-]+\.md/g)]
      .map(([path]) => path)
      .filter((path) => !existsSync(path))
      .map((path) => `${file}: ${path}`),
  );
  expect(missing).toEqual([]);
});
