import { describe, expect, it } from 'vitest';
import { encodeList } from '../../src/http/encode.ts';
import { Parts } from '../../src/http/reply.ts';
import type { ResourceType } from '../../src/kinds/resource-type.ts';
import type { KubeObject } from '../../src/objects.ts';
import { customType } from '../kinds/custom-type.ts';

const metadata = { name: 'a' };
const inOrders: KubeObject[] = [
  { apiVersion: 'example.com/v1', kind: 'Widget', metadata },
  { kind: 'Widget', apiVersion: 'example.com/v1', metadata, spec: { kind: 'x' } },
  { metadata, apiVersion: 'example.com/v1', kind: 'Widget' },
];

async function list(type: ResourceType, objects: readonly KubeObject[], format: 'json' | 'yaml'): Promise<unknown> {
  const items = objects.map((object) => ({
    ...{ resource: type.key, key: 'a', revision: 1, object },
    bytes: () => Buffer.from(JSON.stringify(object)),
  }));
  const options = { type, representation: { kind: 'object', format }, include: 'None', nowMs: 0 } as const;
  const result = { items, revision: 1, continueToken: '', remaining: undefined };
  const { body } = await encodeList(options, result);
  return body instanceof Parts ? JSON.parse(Buffer.concat(body.parts).toString()) : body;
}

describe.each(['json', 'yaml'] as const)('items of a list in %s', (format) => {
  const head = { kind: 'WidgetList', apiVersion: 'example.com/v1', metadata: { resourceVersion: '1' } };

  it('do not say what they are where the kind is built in', async () => {
    const builtin = customType({ custom: undefined });
    const items = [{ metadata }, { metadata, spec: { kind: 'x' } }, { metadata }];
    expect(await list(builtin, inOrders, format)).toEqual({ ...head, items });
    expect(await list(builtin, [], format)).toEqual({ ...head, items: [] });
  });

  it('say what they are where a CRD defines the kind', async () => {
    expect(await list(customType(), inOrders, format)).toEqual({ ...head, items: inOrders });
  });
});
