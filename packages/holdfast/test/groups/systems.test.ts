import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { StringMap } from '../../../base/src/meta.ts';
import { podMakersOfKinds } from '../../src/cli/lint/group-labels.ts';
import type { GroupSystem } from '../../src/core/groups/system.ts';
import { conventions, groupSystems } from '../../src/core/groups/systems.ts';

const source = join(import.meta.dirname, '../../src');
const each = groupSystems.map((system) => ({ system, name: system.name }));

/** A map in which every key but one has a value. It notes the keys that are read. */
function spied(into: Set<string>, missing: string | undefined): StringMap {
  const get = (_: unknown, key: string | symbol): string | undefined => {
    into.add(String(key));
    return missing === everything || key === missing ? undefined : '1';
  };
  return new Proxy<StringMap>({}, { get });
}

const everything = 'everything';

/** What an entry reads of a pod that carries all keys, of pods that lack one of them, and of those that have no labels or annotations. */
function keysRead({ claim, labelledOwner, labels = [], annotations = [] }: GroupSystem) {
  const read = { labels: new Set<string>(), annotations: new Set<string>() };
  const missing = (keys: readonly string[]) => [undefined, everything, ...keys];
  for (const label of missing(labels)) {
    for (const annotation of missing(annotations)) {
      const ofPod = spied(read.labels, label);
      claim(ofPod, spied(read.annotations, annotation), undefined);
      labelledOwner?.nameOf(ofPod);
    }
  }
  return read;
}

describe('the table of group systems', () => {
  it.each(each)('[G1] $name lists the labels and annotations that it reads, and no others', ({ system }) => {
    const { labels, annotations } = keysRead(system);
    expect([...labels].sort()).toEqual([...(system.labels ?? [])].sort());
    expect([...annotations].sort()).toEqual([...(system.annotations ?? [])].sort());
  });

  it('every file of the folder is in the table', () => {
    expect(readdirSync(join(source, 'core/groups/systems'))).toHaveLength(groupSystems.length);
    expect(new Set(groupSystems.map(({ name }) => name)).size).toBe(groupSystems.length);
  });
});

/** Where a name of a system may stand outside of its entry. */
const exceptions: readonly { readonly file: string; readonly text: string; readonly why: string }[] = [
  { file: 'core/lint/pod-templates.ts', text: 'takes seven levels', why: 'a comment: the example behind a limit' },
  {
    file: 'core/lint/selection-rules.ts',
    text: 'replaces the whole group',
    why: 'a text for people: the best-known example',
  },
  { file: 'core/status/pub-status.ts', text: 'is recreated as a whole', why: 'a comment: the best-known example' },
];

/** The kinds, API groups, labels and annotations of systems. */
function namesOf({ owners = [], groupObjects = [], labels = [], annotations = [], podMakers = [] }: GroupSystem) {
  const kinds = owners.map(({ kind }) => kind);
  const groups = [...owners, ...groupObjects, ...podMakers].map(({ group }) => group);
  return [...kinds, ...owners.map(({ resource }) => resource), ...groups, ...labels, ...annotations];
}

const shared = new Set(['apps.kruise.io']);
const names = [...new Set(groupSystems.flatMap(namesOf))].filter((name) => !shared.has(name));

function filesIn(room: string): readonly string[] {
  return readdirSync(join(source, room), { recursive: true, encoding: 'utf8' })
    .map((file) => `${room}/${file}`)
    .filter((file) => file.endsWith('.ts') && !file.startsWith('core/groups/systems/'));
}

describe('names of group systems', () => {
  it.each(exceptions)('the exception in $file is still needed: $why', ({ file, text }) => {
    const lines = readFileSync(join(source, file), 'utf8').split('\n');
    expect(lines.some((line) => line.includes(text) && names.some((name) => line.includes(name)))).toBe(true);
  });

  it.each(['core', 'observe', 'install', 'operator'])(
    'stand in their entries alone, and not elsewhere in %s',
    (room) => {
      const files = filesIn(room);
      expect(files.length).toBeGreaterThan(10);
      const found = files.flatMap((file) => {
        const lines = readFileSync(join(source, file), 'utf8').split('\n');
        return lines.flatMap((line, at) =>
          names.some((name) => line.includes(name)) &&
          !exceptions.some((one) => one.file === file && line.includes(one.text))
            ? [`${file}:${at + 1}: ${line.trim()}`]
            : [],
        );
      });
      expect(found).toEqual([]);
    },
  );
});

describe('the page about group systems', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../../docs/explanation/group-systems.md'), 'utf8');
  const code = (keys: readonly string[] = []) => keys.map((key) => `\`${key}\``).join(', ');
  const kindsText = (kinds: readonly { readonly kind: string; readonly group: string }[] = []) =>
    kinds.map(({ kind, group }) => `${kind} (\`${group}\`)`).join(', ');

  it('has each of them, with what is read, and no others', () => {
    const want = conventions.map(
      ({ name, labels = [], annotations = [], owners, groupObjects }) =>
        `| ${name} | ${code([...new Set([...labels, ...annotations])])} | ${kindsText(owners)} | ${kindsText(groupObjects)} |`,
    );
    const table = page.slice(page.indexOf('| system |')).split('\n\n')[0] ?? '';
    expect(table.split('\n').slice(2)).toEqual(want);
  });

  it('lint names every kind whose pods it can group', () => {
    const lint = readFileSync(join(import.meta.dirname, '../../../../docs/reference/lint.md'), 'utf8');
    const rows = lint.slice(lint.indexOf('| kind | a group is |')).split('\n\n')[0] ?? '';
    for (const { kinds, group } of podMakersOfKinds) {
      for (const kind of kinds) expect(rows, `${kind}.${group}`).toContain(kind);
    }
  });
});
