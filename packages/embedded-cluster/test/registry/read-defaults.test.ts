import { describe, expect, it } from 'vitest';
import type { Crd } from '../../src/crd/crd.ts';
import { customResourceTypes } from '../../src/crd/custom-types.ts';
import { encodeStored } from '../../src/http/encode.ts';
import type { ResourceType } from '../../src/kinds/resource-type.ts';
import type { KubeObject } from '../../src/objects.ts';
import { convertAll, convertTo } from '../../src/registry/convert.ts';
import { withDefaultsOfToday } from '../../src/registry/read-defaults.ts';
import { widgets } from '../crd/widgets.ts';

function typeWith(spec: object, change: (crd: Crd) => void = () => {}): ResourceType {
  const crd = widgets((made) => {
    const [version] = made.spec.versions;
    if (version) version.schema = { openAPIV3Schema: { type: 'object', properties: { spec } } };
    change(made);
  });
  const convertByWebhook = () => async (objects: readonly KubeObject[], apiVersion: string) =>
    objects.map((object) => ({ ...object, apiVersion }));
  const [type] = customResourceTypes(crd, { convertByWebhook });
  if (!type) throw new Error('no type');
  return type;
}

const plain = { type: 'object', properties: { size: { type: 'integer' } } };
const filling = { type: 'object', default: {}, properties: { size: { type: 'integer', default: 3 } } };
const kept: KubeObject = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'a' } };
const whole = { ...kept, spec: { size: 3 } };

describe('an object from before its CRD had defaults', () => {
  it('reads as if it had them, and stays as it is', () => {
    expect(withDefaultsOfToday(typeWith(filling), kept)).toEqual(whole);
    expect(kept).not.toHaveProperty('spec');
  });

  it('is left alone where it has them all, and where there are none', () => {
    const type = typeWith(filling);
    expect(withDefaultsOfToday(type, whole)).toBe(whole);
    expect(withDefaultsOfToday(type, whole)).toBe(whole);
    expect(withDefaultsOfToday(typeWith(plain), kept)).toBe(kept);
  });

  it('is not sent as the bytes that are kept', async () => {
    const bytes = Buffer.from('bytes');
    const encode = { representation: { kind: 'object', format: 'json' }, include: 'Metadata', nowMs: 0 } as const;
    const stored = { resource: 'example.com/widgets', key: 'a', revision: 1, object: kept, bytes: () => bytes };
    expect(await encodeStored({ ...encode, type: typeWith(filling) }, stored)).toEqual(whole);
    expect(await encodeStored({ ...encode, type: typeWith(plain) }, stored)).toBe(bytes);
  });

  it('gets those of the version that it is read in', async () => {
    const old = { ...kept, apiVersion: 'example.com/v0' };
    const type = typeWith(filling);
    expect(await convertTo(type, old, 'example.com/v1')).toEqual(whole);
    expect(await convertTo(type, kept, 'example.com/v0')).toEqual(old);
    const byWebhook = typeWith(filling, ({ spec }) => {
      spec.conversion = { strategy: 'Webhook' };
    });
    expect(await convertTo(byWebhook, old, 'example.com/v1')).toEqual(whole);
    expect(await convertAll(byWebhook, [old, kept], 'example.com/v1')).toEqual([whole, whole]);
    expect(await convertAll(byWebhook, [kept], 'example.com/v1')).toEqual([whole]);
  });
});
