import { describe, expect, it } from 'vitest';
import { expired } from '../../src/errors.ts';
import { WatchLines } from '../../src/http/watch/watch-lines.ts';
import type { ResourceType } from '../../src/kinds/resource-type.ts';
import { createResourceTypes } from '../../src/kinds/resource-types.ts';
import type { KubeObject } from '../../src/objects.ts';
import { encodeEvent } from '../../src/protobuf/answers.ts';
import type { StoreEvent } from '../../src/store/store.ts';
import { StoredObject } from '../../src/store/stored-object.ts';
import { VirtualClock } from '../../src/time/virtual-clock.ts';
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

describe('a stream of protobuf', () => {
  const pods = createResourceTypes({ strategies: new Map(), cells: new Map() }).find('', 'v1', 'pods') as ResourceType;
  const pod: KubeObject = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a', resourceVersion: '7' } };
  const stored = new StoredObject('pods', 'default/a', 7, pod);
  const event: StoreEvent = {
    type: 'MODIFIED',
    resource: 'pods',
    key: 'default/a',
    stored,
    revision: 7,
    previous: undefined,
  };
  const options = { type: pods, include: 'None', nowMs: 0 } as const;
  const whole = new WatchLines(
    { ...options, representation: { kind: 'object', format: 'protobuf' } },
    new VirtualClock(0),
  );

  it('says so', () => {
    expect(whole.contentType).toBe('application/vnd.kubernetes.protobuf;stream=watch');
  });

  it('tells all who read whole objects the same bytes', () => {
    const line = whole.ofStored('MODIFIED', stored, event);
    expect(line).toEqual(encodeEvent('MODIFIED', pod));
    expect(whole.ofStored('MODIFIED', stored, event)).toBe(line);
  });

  it('has frames for refusals and bookmarks', () => {
    const status = {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: 'gone',
      reason: 'Expired',
      code: 410,
    };
    expect(whole.ofError(expired('gone'))).toEqual(encodeEvent('ERROR', status));
    const bookmark = { kind: 'Pod', apiVersion: 'v1', metadata: { resourceVersion: '8' } };
    expect(whole.ofBookmark(8, undefined)).toEqual(encodeEvent('BOOKMARK', bookmark));
  });

  it('makes metadata out of the object', () => {
    const representation = { kind: 'metadata', version: 'v1', format: 'protobuf' } as const;
    const lines = new WatchLines({ ...options, representation }, new VirtualClock(0));
    expect(lines.ofStored('MODIFIED', stored, event)).toBeUndefined();
    const partial = { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: pod.metadata };
    expect(lines.ofObject('MODIFIED', pod)).toEqual(encodeEvent('MODIFIED', partial));
  });
});
