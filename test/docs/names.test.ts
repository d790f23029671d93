import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';

/**
 * A reader who searches for a name, or opens a file by its name, must find the one thing that it means. Each rule is a pure function over files, and
 * is shown below to find what it is for.
 */
interface SourceFile {
  /** From the root of the repository: `packages/NAME/src/...`. */
  readonly path: string;
  readonly text: string;
}

const maxSameBaseName = 3;
const maxFilesInFolder = 20;

/** Folders that may be larger. A number that is too high fails, too, so that no exception outlives its reason. */
const largerFolders: readonly { readonly folder: string; readonly files: number; readonly why: string }[] = [
  {
    folder: 'packages/holdfast/src/install/manifests',
    files: 24,
    why: 'one file for each kind of object that is installed',
  },
];

const declared =
  /^export (?:declare )?(?:abstract )?(?:async )?(?:function\*?|class|interface|type|enum|const|let) +(\w+)/gm;
const destructured = /^export (?:const|let) \{([^}]*)\}/gm;
const listed = /^export (?:type )?\{([^}]*)\}/gm;

/** Every name that a file exports, once, however often it is overloaded or merged there. */
function exportedNames(text: string): ReadonlySet<string> {
  const names = [...text.matchAll(declared)].map(([, name = '']) => name);
  // `type a`, `a as b` and `a: b` are exported under the last of their words.
  const inBraces = [...text.matchAll(destructured), ...text.matchAll(listed)]
    .flatMap(([, list = '']) => list.split(','))
    .map((item) => /(\w+)\s*$/.exec(item)?.[1] ?? '');
  return new Set([...names, ...inBraces].filter((name) => name !== ''));
}

/** A door only hands on what files of its package export. */
function isDoor(path: string): boolean {
  return basename(path) === 'index.ts' || basename(dirname(path)) === 'doors';
}

function packageOf(path: string): string {
  return path.split('/')[1] ?? '';
}

function grouped<T>(items: readonly T[], keyOf: (item: T) => string): readonly [key: string, items: readonly T[]][] {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group === undefined) groups.set(keyOf(item), [item]);
    else group.push(item);
  }
  return [...groups];
}

function namesThatExistTwice(files: readonly SourceFile[]): readonly string[] {
  const exports = files
    .filter(({ path }) => !isDoor(path))
    .flatMap(({ path, text }) => [...exportedNames(text)].map((name) => ({ name, path })));
  return grouped(exports, ({ name, path }) => `${packageOf(path)} ${name}`)
    .filter(([, places]) => places.length > 1)
    .map(([key, places]) => `${key}: ${places.map(({ path }) => path).join(', ')}`);
}

function baseNamesOfMany(files: readonly SourceFile[]): readonly string[] {
  const named = files.map(({ path }) => path).filter((path) => basename(path) !== 'index.ts');
  return grouped(named, (path) => basename(path))
    .filter(([, paths]) => paths.length > maxSameBaseName)
    .map(([name, paths]) => `${name}: ${paths.join(', ')}`);
}

function largeFolders(files: readonly SourceFile[]): readonly string[] {
  return grouped(files, ({ path }) => dirname(path))
    .filter(([, { length }]) => length > maxFilesInFolder)
    .map(([folder, { length }]) => `${folder}: ${length} files`);
}

function sourceFiles(): readonly SourceFile[] {
  const sources = readdirSync('packages').map((name) => join('packages', name, 'src'));
  return sources
    .filter((source) => existsSync(source))
    .flatMap((source) => readdirSync(source, { recursive: true, encoding: 'utf8' }).map((file) => join(source, file)))
    .filter((path) => path.endsWith('.ts'))
    .map((path) => ({ path, text: readFileSync(path, 'utf8') }));
}

describe('names in packages', () => {
  const files = sourceFiles();

  it('are exported once in a package', () => {
    expect(files.length).toBeGreaterThan(1_000);
    expect(namesThatExistTwice(files)).toEqual([]);
  });

  it(`are the base name of at most ${maxSameBaseName} files`, () => {
    expect(baseNamesOfMany(files)).toEqual([]);
  });

  it(`are at most ${maxFilesInFolder} in a folder, except where a reason is given`, () => {
    expect(largeFolders(files)).toEqual(largerFolders.map(({ folder, files: count }) => `${folder}: ${count} files`));
  });
});

describe('the rules about names', () => {
  const file = (path: string, text = '') => ({ path, text });

  it.each([
    ['a function', 'export async function* read(): void {}', ['read']],
    ['a class and its interface', 'export abstract class Pod {}\nexport interface Pod {}', ['Pod']],
    ['constants', 'export const { a, b: c } = both;\nexport const d = 1;', ['d', 'a', 'c']],
    ['what is handed on', "export { a, type B, c as d } from './x.ts';\nexport type { E };", ['a', 'B', 'd', 'E']],
    ['nothing in comments and in nested code', ' * export const a = 1;\n  export const b = 1;', []],
  ])('see the exports of %s', (_, text, want) => {
    expect([...exportedNames(text)]).toEqual(want);
  });

  it('find a name that two files of a package export', () => {
    const twice = [
      file('packages/a/src/x.ts', 'export interface Plan {}'),
      file('packages/a/src/y/z.ts', 'export type Plan = 1;\nexport type Other = 2;'),
      file('packages/b/src/x.ts', 'export interface Plan {}'),
    ];
    expect(namesThatExistTwice(twice)).toEqual(['a Plan: packages/a/src/x.ts, packages/a/src/y/z.ts']);
  });

  it('let doors hand names on', () => {
    const text = "export { Plan } from '../x.ts';";
    const doors = [file('packages/a/src/index.ts', text), file('packages/a/src/doors/time.ts', text)];
    expect(namesThatExistTwice([file('packages/a/src/x.ts', 'export class Plan {}'), ...doors])).toEqual([]);
    expect(
      namesThatExistTwice([file('packages/a/src/x.ts', 'export class Plan {}'), file('packages/a/src/y.ts', text)]),
    ).not.toEqual([]);
  });

  it('find a base name that a fourth file has', () => {
    const three = ['a/src', 'a/src/y', 'b/src'].map((folder) => file(`packages/${folder}/plan.ts`));
    expect(baseNamesOfMany(three)).toEqual([]);
    expect(baseNamesOfMany([...three, file('packages/b/src/z/plan.ts')])).toHaveLength(1);
    expect(baseNamesOfMany(['a', 'b', 'c', 'd'].map((name) => file(`packages/${name}/src/index.ts`)))).toEqual([]);
  });

  it('find a folder with one file too many, whatever is in the folders below', () => {
    const twenty = Array.from({ length: maxFilesInFolder }, (_, index) => file(`packages/a/src/x/${index}.ts`));
    expect(largeFolders([...twenty, file('packages/a/src/x/y/1.ts')])).toEqual([]);
    expect(largeFolders([...twenty, file('packages/a/src/x/more.ts')])).toEqual(['packages/a/src/x: 21 files']);
  });
});
