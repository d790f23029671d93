import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { KubeObject, ResourceKey } from '../../src/objects.ts';
import { builtinCells } from '../../src/tables/cells.ts';

interface RecordedRow {
  readonly resource: ResourceKey;
  readonly nowMs: number;
  readonly cells: readonly unknown[];
  readonly object: KubeObject;
}

/** What a real API server showed of these objects at that time. */
const rows = readFileSync(new URL('recorded-rows.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as RecordedRow);

describe('a row of kubectl get', () => {
  it('was recorded for every kind with cells', () => {
    const recorded = new Set(rows.map(({ resource }) => resource));
    expect([...builtinCells.keys()].filter((resource) => !recorded.has(resource))).toEqual([]);
  });

  it.each(rows.map((row) => ({ ...row, name: row.object.metadata.name })))(
    'is that of a real API server for $resource $name',
    ({ resource, nowMs, cells, object }) => {
      expect(builtinCells.get(resource)?.(object, nowMs)).toEqual(cells);
    },
  );
});
