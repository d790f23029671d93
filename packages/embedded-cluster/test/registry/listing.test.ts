import { describe, expect, it } from 'vitest';
import { type ListQuery, listObjects } from '../../src/registry/list.ts';
import { aPlane, object } from './a-plane.ts';

async function listing() {
  const a = await aPlane();
  const make = (name: string) => a.client.create('configmaps', object('v1', 'ConfigMap', name));
  await make('a');
  const then = String(a.plane.registry.store.revision);
  await make('b');
  const list = (query: Partial<ListQuery>) =>
    listObjects(a.plane.registry, {
      type: a.target('configmaps', '').type,
      namespace: 'default',
      labelSelector: '',
      fieldSelector: '',
      limit: 0,
      continueToken: '',
      resourceVersion: '',
      resourceVersionMatch: '',
      ...query,
    });
  return { then, list };
}

describe('a list of a revision', () => {
  const cases: [query: Partial<ListQuery>, names: string[]][] = [
    [{ resourceVersionMatch: 'Exact' }, ['a']],
    [{ resourceVersionMatch: 'Exact', limit: 5 }, ['a']],
    // Said before there was a way to say how the revision is meant.
    [{ limit: 5 }, ['a']],
    [{}, ['a', 'b']],
    [{ resourceVersionMatch: 'NotOlderThan', limit: 5 }, ['a', 'b']],
    [{ resourceVersion: '0', limit: 5 }, ['a', 'b']],
  ];
  it.each(cases)('%o: %o', async (query, names) => {
    const { then, list } = await listing();
    const { items } = list({ resourceVersion: then, ...query });
    expect(items.map(({ object }) => object.metadata.name)).toEqual(names);
  });

  it('is told everything that is wrong with it', async () => {
    const { list } = await listing();
    expect(() => list({ resourceVersionMatch: 'Foo', continueToken: 'x' })).toThrow(
      'ListOptions.meta.k8s.io "" is invalid: [' +
        'resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided, ' +
        'resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden when continue is provided, ' +
        'resourceVersionMatch: Unsupported value: "Foo": supported values: "Exact", "NotOlderThan", ""]',
    );
  });
});
