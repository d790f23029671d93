import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../src/objects.ts';
import { sharedWith } from '../../src/registry/share.ts';
import { deepFreeze } from '../../src/store/stored-object.ts';

function object(spec: unknown): KubeObject {
  return { apiVersion: 'v1', kind: 'Thing', metadata: { name: 'a' }, spec };
}

const json = fc.jsonValue({ maxDepth: 4 });

describe('a version that shares with the one before', () => {
  it('says what it said, and leaves both as they were', () => {
    fc.assert(
      fc.property(json, json, (before, after) => {
        const old = object(before);
        const next = object(after);
        deepFreeze(old);
        deepFreeze(next);
        expect(sharedWith(next, old)).toEqual(object(after));
      }),
    );
  });

  it('is the one before where nothing changed', () => {
    fc.assert(
      fc.property(json, (spec) => {
        const old = object(spec);
        expect(sharedWith(structuredClone(old), old)).toBe(old);
      }),
    );
  });

  it('has a part of its own only where something changed', () => {
    const old = object({ containers: [{ name: 'a' }, { name: 'b' }], tolerations: [{ key: 'x' }] });
    const next = object({ containers: [{ name: 'a' }, { name: 'c' }], tolerations: [{ key: 'x' }] });
    const { metadata, spec } = sharedWith(next, old) as KubeObject & { spec: Record<string, unknown[]> };
    const before = old['spec'] as Record<string, unknown[]>;
    expect(metadata).toBe(old.metadata);
    expect(spec['tolerations']).toBe(before['tolerations']);
    expect(spec['containers']?.[0]).toBe(before['containers']?.[0]);
    expect(spec['containers']?.[1]).toEqual({ name: 'c' });
  });

  it('takes a list that grew for changed, and its old items for shared', () => {
    const old = object([{ name: 'a' }]);
    const { spec } = sharedWith(object([{ name: 'a' }, { name: 'b' }]), old);
    expect(spec).toEqual([{ name: 'a' }, { name: 'b' }]);
    expect((spec as unknown[])[0]).toBe((old['spec'] as unknown[])[0]);
  });

  it('keeps hostile keys as keys', () => {
    const old = object(JSON.parse('{"__proto__":{"a":1},"b":{}}'));
    const next = object(JSON.parse('{"__proto__":{"a":1},"b":{"c":2}}'));
    expect(JSON.stringify(sharedWith(next, old)['spec'])).toBe('{"__proto__":{"a":1},"b":{"c":2}}');
  });
});
