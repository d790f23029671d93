import { describe, expect, it } from 'vitest';
import { WatchLines } from '../../../src/cluster/http/watch-lines.ts';
import type { KubeObject } from '../../../src/cluster/objects.ts';
import { VirtualClock } from '../../../src/cluster/time/virtual-clock.ts';
import { customType } from '../kinds/custom-type.ts';

const object: KubeObject = {
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: { name: 'a', resourceVersion: '7', creationTimestamp: '2026-01-01T00:00:00Z' },
};

function read(line: Buffer): unknown {
  return JSON.parse(line.toString());
}

describe('a stream of tables', () => {
  it('names its columns once', () => {
    const representation = { kind: 'table', version: 'v1' } as const;
    const lines = new WatchLines(
      { type: customType(), representation, include: 'None', nowMs: 0 },
      new VirtualClock(0),
    );
    const columns = [{ name: 'Name' }, { name: 'Created At' }];
    const rows = [{ cells: ['a', '2026-01-01T00:00:00Z'], object: null }];
    const metadata = { resourceVersion: '7' };
    const first = { kind: 'Table', metadata, columnDefinitions: columns, rows };
    expect(read(lines.ofObject('ADDED', object))).toMatchObject({ type: 'ADDED', object: first });
    expect(read(lines.ofObject('ADDED', object))).toMatchObject({ object: { ...first, columnDefinitions: null } });
    expect(read(lines.ofBookmark(8, undefined))).toMatchObject({
      type: 'BOOKMARK',
      object: { metadata: { resourceVersion: '8' }, columnDefinitions: null },
    });
  });
});
