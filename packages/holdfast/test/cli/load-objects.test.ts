import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { table } from '../../../../test/support/table.ts';
import { loadObjects } from '../../src/cli/load-objects.ts';

const folder = mkdtempSync(join(tmpdir(), 'holdfast-load-'));
afterAll(() => rmSync(folder, { recursive: true }));

function load(text: string, name = 'objects.yaml'): readonly string[] {
  const file = join(folder, name);
  writeFileSync(file, text);
  return loadObjects(file).map((object) => `${object.kind}/${object.metadata.name}`);
}

const pod = 'apiVersion: v1\nkind: Pod\nmetadata:\n  name: web\n';

describe('loading objects', () => {
  table<{ name: string; text: string; want: readonly string[] }>(
    [
      { name: 'one document', text: pod, want: ['Pod/web'] },
      { name: 'several documents', text: `${pod}---\n${pod.replace('web', 'db')}`, want: ['Pod/web', 'Pod/db'] },
      { name: 'empty documents between them', text: `---\n---\n${pod}---\n# nothing\n`, want: ['Pod/web'] },
      { name: 'an empty file', text: '', want: [] },
      {
        name: 'JSON, as `kubectl get -o json` prints it',
        text: '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web"}}',
        want: ['Pod/web'],
      },
      {
        name: 'a List',
        text: JSON.stringify({
          apiVersion: 'v1',
          kind: 'List',
          items: [
            { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web' } },
            { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata: { name: 'web' } },
          ],
        }),
        want: ['Pod/web', 'PodDisruptionBudget/web'],
      },
      { name: 'a list of one kind', text: 'apiVersion: v1\nkind: PodList\nitems: []\n', want: [] },
      {
        name: 'unknown fields, unchanged',
        text: `${pod}spec: { teleport: true }\n`,
        want: ['Pod/web'],
      },
    ],
    ({ text, want }) => expect(load(text)).toEqual(want),
  );

  table<{ name: string; text: string; says: readonly string[] }>(
    [
      { name: 'text that is no YAML', text: `${pod}---\nmetadata: [`, says: ['bad.yaml', 'document 2'] },
      {
        name: 'a document that is no object',
        text: `${pod}---\n- 1\n`,
        says: ['bad.yaml', 'document 2', 'not an object'],
      },
      { name: 'an object without a kind', text: 'apiVersion: v1\n', says: ['bad.yaml', 'document 1', 'kind'] },
      {
        name: 'an object without a name',
        text: 'apiVersion: v1\nkind: Pod\n',
        says: ['bad.yaml', 'Pod', 'metadata.name'],
      },
      {
        name: 'nesting that would end the process',
        text: `a: ${'['.repeat(100_000)}`,
        says: ['bad.yaml', 'deeper than 100'],
      },
      {
        name: 'an item of a List that makes no sense',
        text: 'apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Pod\n  metadata: {name: a}\n- 7\n',
        says: ['bad.yaml', 'document 1', 'item 2'],
      },
    ].map((row) => ({ ...row, name: `refuses, and says where: ${row.name}` })),
    ({ text, says }) => {
      let message = '';
      try {
        load(text, 'bad.yaml');
      } catch (error) {
        message = String(error);
      }
      for (const words of says) expect(message).toContain(words);
    },
  );

  it('names a file that is not there', () => {
    expect(() => loadObjects(join(folder, 'missing.yaml'))).toThrow('missing.yaml');
  });
});
