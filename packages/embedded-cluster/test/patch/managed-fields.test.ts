import type { ManagedFieldsEntry } from 'kubernetes-types/meta/v1.js';
import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../src/objects.ts';
import { trackUpdate, type UpdateToTrack } from '../../src/patch/fields/managed-fields.ts';
import { podSchema } from './schemas.ts';

function pod(fields: Record<string, unknown> = {}, metadata: Record<string, unknown> = {}): KubeObject {
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p', namespace: 'default', ...metadata }, ...fields };
}

const at = (seconds: number) => `2026-01-01T00:00:${String(seconds).padStart(2, '0')}Z`;

function track(
  update: Partial<UpdateToTrack> & Pick<UpdateToTrack, 'live' | 'next'>,
): ManagedFieldsEntry[] | undefined {
  return trackUpdate({ manager: 'm', apiVersion: 'v1', time: at(0), schema: podSchema, ...update });
}

function stored(object: KubeObject, managedFields: ManagedFieldsEntry[] | undefined): KubeObject {
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata: { ...metadata, uid: 'u', ...(managedFields && { managedFields }) } };
}

const created = (fields: Record<string, unknown>, metadata: Record<string, unknown> = {}) => {
  const next = pod(fields, metadata);
  return stored(next, track({ live: undefined, next, manager: 'creator' }));
};

function entry(manager: string, fieldsV1: unknown, rest: Partial<ManagedFieldsEntry> = {}): unknown {
  return { manager, operation: 'Update', apiVersion: 'v1', time: at(0), fieldsType: 'FieldsV1', fieldsV1, ...rest };
}

describe('tracking updates', () => {
  it('gives the creator all fields but those that identify the object', () => {
    const next = pod(
      { spec: { nodeName: 'n' } },
      { uid: 'u', resourceVersion: '1', creationTimestamp: at(0), generation: 1, labels: { a: '1' } },
    );
    expect(track({ live: undefined, next })).toEqual([
      entry('m', { 'f:metadata': { 'f:labels': { '.': {}, 'f:a': {} } }, 'f:spec': { '.': {}, 'f:nodeName': {} } }),
    ]);
  });

  it('writes an entry in the order that the API server does', () => {
    const managedFields = track({ live: undefined, next: pod({ spec: { nodeName: 'n' } }), subresource: 'status' });
    expect(JSON.stringify(managedFields)).toBe(
      '[{"manager":"m","operation":"Update","apiVersion":"v1","time":"2026-01-01T00:00:00Z","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{".":{},"f:nodeName":{}}},"subresource":"status"}]',
    );
  });

  it('creates no entry for an object that says nothing', () => {
    expect(track({ live: undefined, next: pod() })).toBeUndefined();
  });

  it('calls a manager without a name unknown', () => {
    expect(track({ live: undefined, next: pod({ spec: { nodeName: 'n' } }), manager: '' })?.[0]?.manager).toBe(
      'unknown',
    );
  });

  it('moves a changed field to who changed it', () => {
    const live = created({ spec: { nodeName: 'n', containers: [{ name: 'a', image: '1' }] } });
    const next = { ...live, spec: { nodeName: 'n', containers: [{ name: 'a', image: '2' }] } };
    expect(track({ live, next, time: at(5) })).toEqual([
      entry('creator', {
        'f:spec': {
          '.': {},
          'f:containers': { '.': {}, 'k:{"name":"a"}': { '.': {}, 'f:name': {} } },
          'f:nodeName': {},
        },
      }),
      entry('m', { 'f:spec': { 'f:containers': { 'k:{"name":"a"}': { 'f:image': {} } } } }, { time: at(5) }),
    ]);
  });

  it('takes removed fields from their managers, without a new entry', () => {
    const live = created({ spec: { nodeName: 'n' } }, { labels: { a: '1', b: '1' } });
    const next = { ...live, metadata: { ...live.metadata, labels: { a: '1' } } };
    expect(track({ live, next, time: at(5) })).toEqual([
      entry('creator', {
        'f:metadata': { 'f:labels': { '.': {}, 'f:a': {} } },
        'f:spec': { '.': {}, 'f:nodeName': {} },
      }),
    ]);
  });

  it('drops managers who have nothing left', () => {
    const live = created({}, { labels: { a: '1' } });
    const next = { ...live, metadata: { name: 'p', namespace: 'default', uid: 'u' }, spec: { nodeName: 'n' } };
    expect(track({ live, next })).toEqual([entry('m', { 'f:spec': { '.': {}, 'f:nodeName': {} } })]);
  });

  it('hands back the same entries when nothing changed, also to a client that sends none', () => {
    const live = created({ spec: { nodeName: 'n' } });
    const copy = structuredClone(live);
    expect(track({ live, next: copy, time: at(9) })).toEqual(live.metadata.managedFields);
    delete copy.metadata.managedFields;
    expect(track({ live, next: copy, time: at(9) })).toEqual(live.metadata.managedFields);
  });

  it('adds to the entry of a manager and renews its time', () => {
    const live = created({ spec: { nodeName: 'n' } });
    const next = { ...live, spec: { nodeName: 'n', tolerations: [] } };
    expect(track({ live, next, manager: 'creator', time: at(7) })).toEqual([
      entry('creator', { 'f:spec': { '.': {}, 'f:nodeName': {}, 'f:tolerations': {} } }, { time: at(7) }),
    ]);
  });

  it('keeps a subresource apart, with only what changed', () => {
    const live = created({ spec: { nodeName: 'n' } });
    const next = { ...live, status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] } };
    const both = track({ live, next, manager: 'creator', subresource: 'status', time: at(1) });
    expect(both).toEqual([
      entry('creator', { 'f:spec': { '.': {}, 'f:nodeName': {} } }),
      entry(
        'creator',
        {
          'f:status': {
            '.': {},
            'f:conditions': { '.': {}, 'k:{"type":"Ready"}': { '.': {}, 'f:status': {}, 'f:type': {} } },
            'f:phase': {},
          },
        },
        { time: at(1), subresource: 'status' },
      ),
    ]);
    const before = stored(next, both);
    const failed = { ...before, status: { phase: 'Failed', conditions: [{ type: 'Ready', status: 'True' }] } };
    expect(track({ live: before, next: failed, manager: 'kubelet', subresource: 'status', time: at(2) })?.[2]).toEqual(
      entry('kubelet', { 'f:status': { 'f:phase': {} } }, { time: at(2), subresource: 'status' }),
    );
  });

  it('keeps versions apart', () => {
    const live = created({ spec: { nodeName: 'n' } });
    const next = { ...live, spec: { nodeName: 'm' } };
    expect(track({ live, next, manager: 'creator', apiVersion: 'v2' })?.map(({ apiVersion }) => apiVersion)).toEqual([
      'v1',
      'v2',
    ]);
  });

  it.each([[[]], [[{}]]])('lets a client reset everything with %j, after which nothing is tracked', (managedFields) => {
    const live = created({ spec: { nodeName: 'n' } });
    const next = pod({ spec: { nodeName: 'x' } }, { managedFields });
    expect(track({ live, next })).toBeUndefined();
    const reset = stored(next, undefined);
    expect(track({ live: reset, next: { ...reset, spec: { nodeName: 'y' } } })).toBeUndefined();
  });

  it('lets no client reset through a subresource', () => {
    const live = created({ spec: { nodeName: 'n' } });
    const next = { ...live, metadata: { ...live.metadata, managedFields: [] } };
    expect(track({ live, next, subresource: 'status' })).toEqual(live.metadata.managedFields);
  });

  it('takes entries that a client changed, if it can read them', () => {
    const live = created({ spec: { nodeName: 'n' } });
    const sent = [
      {
        manager: 'x',
        operation: 'Apply',
        apiVersion: 'v1',
        time: at(3),
        fieldsType: 'FieldsV1',
        fieldsV1: { 'f:spec': { 'f:nodeName': { '.': {} } } },
      },
    ];
    const next = { ...live, metadata: { ...live.metadata, managedFields: sent } };
    expect(track({ live, next })).toEqual([{ ...sent[0], fieldsV1: { 'f:spec': { 'f:nodeName': {} } } }]);
  });

  const unreadable: readonly [string, Record<string, unknown>][] = [
    ['another operation', { operation: 'Patch' }],
    ['no version', { apiVersion: '' }],
    ['another type', { fieldsType: 'FieldsV2' }],
    ['broken fields', { fieldsV1: { broken: {} } }],
  ];

  it.each(unreadable)('keeps what is stored if a client sends entries with %s', (_, change) => {
    const live = created({ spec: { nodeName: 'n' } });
    const managedFields = [{ ...live.metadata.managedFields?.[0], ...change }] as ManagedFieldsEntry[];
    const next = { ...live, metadata: { ...live.metadata, managedFields } };
    expect(track({ live, next })).toEqual(live.metadata.managedFields);
  });

  it('keeps what is stored if a client sends entries without end', () => {
    const live = created({ spec: { nodeName: 'n' } });
    const managedFields = Array.from({ length: 201 }, (_, index) => ({
      ...live.metadata.managedFields?.[0],
      manager: `m${index}`,
    }));
    const next = { ...live, metadata: { ...live.metadata, managedFields } };
    expect(track({ live, next })).toEqual(live.metadata.managedFields);
  });

  it('ignores changes of fields that the request cannot change', () => {
    const live = created({ spec: { nodeName: 'n' } });
    const next = { ...live, spec: { nodeName: 'x' }, status: { phase: 'Running' } };
    expect(track({ live, next, resetFields: [['status']] })?.[1]).toEqual(
      entry('m', { 'f:spec': { 'f:nodeName': {} } }),
    );
  });

  it('puts updaters beyond the tenth together, the oldest ones first', () => {
    let live = created({ spec: {} });
    for (let index = 1; index <= 12; index += 1) {
      const next = { ...live, metadata: { ...live.metadata, labels: { ...live.metadata.labels, [`l${index}`]: 'x' } } };
      live = stored(next, track({ live, next, manager: `m${index}`, time: at(index) }));
    }
    const managers = live.metadata.managedFields ?? [];
    expect(managers.map(({ manager }) => manager)).toEqual([
      'ancient-changes',
      'm4',
      'm5',
      'm6',
      'm7',
      'm8',
      'm9',
      'm10',
      'm11',
      'm12',
    ]);
    expect(managers[0]).toEqual(
      entry(
        'ancient-changes',
        { 'f:metadata': { 'f:labels': { '.': {}, 'f:l1': {}, 'f:l2': {}, 'f:l3': {} } }, 'f:spec': {} },
        { time: at(3) },
      ),
    );
  });

  it('tracks objects without a schema, and their metadata like any', () => {
    const next = pod({ spec: { a: { b: 1 } } }, { finalizers: ['f'] });
    expect(track({ live: undefined, next, schema: undefined })).toEqual([
      entry('m', {
        'f:metadata': { 'f:finalizers': { '.': {}, 'v:"f"': {} } },
        'f:spec': { '.': {}, 'f:a': { '.': {}, 'f:b': {} } },
      }),
    ]);
  });

  it('leaves its inputs alone', () => {
    const live = created({ spec: { nodeName: 'n' } }, { labels: { a: '1' } });
    const next = { ...structuredClone(live), spec: { nodeName: 'x' } };
    const before = JSON.stringify([live, next]);
    track({ live, next });
    expect(JSON.stringify([live, next])).toBe(before);
  });
});
