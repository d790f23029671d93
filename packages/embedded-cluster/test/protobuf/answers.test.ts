import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/objects.ts';
import { encodeEvent, encodeProtobuf, hasMessage } from '../../src/protobuf/answers.ts';
import { decodeMessage } from '../../src/protobuf/decode.ts';
import { encodeProtobufList, type ListHead } from '../../src/protobuf/lists.ts';
import { decodeProtobuf } from '../../src/protobuf/protobuf.ts';
import { valueReaders } from '../../src/protobuf/value-readers.ts';
import { valueWriters } from '../../src/protobuf/value-writers.ts';
import { bytesOf, fieldOf, fieldsWith, textOf } from '../../src/protobuf/wire-values.ts';
import bodies from './bodies.json' with { type: 'json' };

/** Of every kind that the Go client's own serializer wrote, with the JSON it writes for the same object. */
const written = bodies.map(({ kind, protobuf, json }) => ({ kind, bytes: Buffer.from(protobuf, 'base64'), json }));

function encoded(body: unknown): Buffer {
  const bytes = encodeProtobuf(body);
  if (!bytes) throw new Error('there is no protobuf of it');
  return bytes;
}

async function listed(head: ListHead, items: readonly unknown[]): Promise<Buffer> {
  return Buffer.concat(await encodeProtobufList(head, items));
}

function content(bytes: Buffer): Buffer {
  const raw = fieldOf(bytes.subarray(4), 2);
  if (!raw) throw new Error('the envelope is empty');
  return bytesOf(raw);
}

describe('an object as a protobuf answer', () => {
  it.each(written)('of kind $kind reads like what the Go client writes for the same JSON', ({ bytes, json }) => {
    expect(decodeProtobuf(encoded(json))).toStrictEqual(decodeProtobuf(bytes));
  });

  it('knows how to write everything that it knows how to read', () => {
    expect([...valueWriters.keys()].sort()).toEqual([...valueReaders.keys()].sort());
  });

  it('keeps numbers of all sizes and signs', () => {
    fc.assert(
      fc.property(fc.maxSafeInteger(), fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }), (generation, priority) => {
        const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { generation: generation || 1 }, spec: { priority } };
        expect(decodeProtobuf(encoded(pod))).toEqual(pod);
      }),
    );
  });

  it('keeps texts of all lengths, also where its space runs out', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.string({ unit: 'grapheme', maxLength: 3_000 })), (data) => {
        const map = { apiVersion: 'v1', kind: 'ConfigMap', data };
        const { data: read = {} } = decodeProtobuf(encoded(map)) as { data?: JsonObject };
        expect(Object.entries(read).sort()).toEqual(Object.entries(data).sort());
      }),
    );
  });

  it('keeps moments with their fractions', () => {
    const spec = { renewTime: '2026-01-02T03:04:05.000067Z', acquireTime: '2026-01-02T03:04:05.600000Z' };
    const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 'a' }, spec };
    expect(decodeProtobuf(encoded(lease))).toEqual(lease);
  });

  it('may be a refusal', () => {
    const status = {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: 'pods "a" not found',
      reason: 'NotFound',
      details: { name: 'a', kind: 'pods' },
      code: 404,
    };
    expect(decodeProtobuf(encoded(status))).toEqual(status);
  });

  it('is not given of what has no message', () => {
    expect(encodeProtobuf({ apiVersion: 'example.com/v1', kind: 'Widget', metadata: {} })).toBeUndefined();
    expect(encodeProtobuf({ apiVersion: 'meta.k8s.io/v1', kind: 'Table', rows: [] })).toBeUndefined();
    expect(encodeProtobuf({ major: '1', minor: '37' })).toBeUndefined();
    expect(hasMessage('apps/v1', 'Deployment')).toBe(true);
    expect(hasMessage('example.com/v1', 'Widget')).toBe(false);
  });

  it('fails over what does not fit its message, instead of sending something else', () => {
    const wrong = { apiVersion: 'v1', kind: 'Pod', metadata: { generation: 1.5 } };
    expect(() => encodeProtobuf(wrong)).toThrow('1.5 is not an integer');
    expect(() => encodeProtobuf({ apiVersion: 'v1', kind: 'Pod', spec: 'text' })).toThrow('"text" is not an object');
  });
});

describe('a list as a protobuf answer', () => {
  it('has its items in order, without their kinds', async () => {
    const names = ['c', 'a', 'b'];
    const items = names.map((name) => ({ apiVersion: 'v1', kind: 'Pod', metadata: { name } }));
    const metadata = { resourceVersion: '7', remainingItemCount: 0, continue: 'next' };
    const raw = content(await listed({ apiVersion: 'v1', kind: 'Pod', listKind: 'PodList', metadata }, items));
    expect(decodeMessage('meta.v1.ListMeta', bytesOf(fieldOf(raw, 1) ?? neverThere()))).toEqual(metadata);
    const read = [...fieldsWith(raw, 2)].map((field) => decodeMessage('core.v1.Pod', bytesOf(field)));
    expect(read).toEqual(names.map((name) => ({ metadata: { name } })));
  });

  it('says what it is, also where it is empty', async () => {
    const head = { apiVersion: 'v1', kind: 'Pod', listKind: 'PodList', metadata: { resourceVersion: '7' } };
    const bytes = await listed(head, []);
    expect(bytes.subarray(0, 4).toString('latin1')).toBe('k8s\0');
    const type = bytesOf(fieldOf(bytes.subarray(4), 1) ?? neverThere());
    expect([textOf(fieldOf(type, 1)), textOf(fieldOf(type, 2))]).toEqual(['v1', 'PodList']);
    expect([...fieldsWith(content(bytes), 2)]).toEqual([]);
  });

  it('may be longer than what is encoded at a time', async () => {
    const names = Array.from({ length: 1_003 }, (_, index) => `pod-${index}`);
    const items = names.map((name) => ({ apiVersion: 'v1', kind: 'Pod', metadata: { name } }));
    const bytes = await listed({ apiVersion: 'v1', kind: 'Pod', listKind: 'PodList', metadata: {} }, items);
    const read = [...fieldsWith(content(bytes), 2)].map((field) => decodeMessage('core.v1.Pod', bytesOf(field)));
    expect(read).toEqual(names.map((name) => ({ metadata: { name } })));
  });

  it('of metadata has metadata alone', async () => {
    const items = [{ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' }, spec: { nodeName: 'b' } }];
    const kind = 'PartialObjectMetadata';
    const head = { apiVersion: 'meta.k8s.io/v1', kind, listKind: `${kind}List`, metadata: {} };
    const [item] = [...fieldsWith(content(await listed(head, items)), 2)];
    expect(decodeMessage('meta.v1.PartialObjectMetadata', bytesOf(item ?? neverThere()))).toEqual({
      metadata: { name: 'a' },
    });
  });
});

describe('an event of a watch as a frame of protobuf', () => {
  it('says its length, what happened, and the object in its envelope', () => {
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a', resourceVersion: '7' } };
    const frame = encodeEvent('MODIFIED', pod);
    expect(frame.readUInt32BE(0)).toBe(frame.length - 4);
    const event = frame.subarray(4);
    expect(textOf(fieldOf(event, 1))).toBe('MODIFIED');
    const extension = bytesOf(fieldOf(event, 2) ?? neverThere());
    expect(decodeProtobuf(bytesOf(fieldOf(extension, 1) ?? neverThere()))).toEqual(pod);
  });
});

function neverThere(): never {
  throw new Error('a field is missing');
}
