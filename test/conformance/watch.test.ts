import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { made, testCluster } from '../support/cluster.ts';
import type { Body, WatchEvent } from '../support/kube-http.ts';
import { inShort } from '../support/watch-reader.ts';

const cluster = await testCluster();
afterAll(() => cluster.close());

const merge = 'application/merge-patch+json';

/** Endpoints of a namespace that no other client writes to. */
async function fresh(): Promise<string> {
  return `/api/v1/namespaces/${await cluster.newNamespace()}/endpoints`;
}

const create = (path: string, name: string, labels: object = {}) =>
  made(cluster.request('POST', path, { body: { metadata: { name, labels } } }));
const label = (path: string, name: string, labels: object) =>
  made(cluster.request('PATCH', `${path}/${name}`, { contentType: merge, body: { metadata: { labels } } }));
const remove = (path: string, name: string) => made(cluster.request('DELETE', `${path}/${name}`));
const revision = async (path: string) => (await made(cluster.request('GET', path))).metadata.resourceVersion;

describe('a watch', () => {
  it('from a version tells everything after it, in order', async () => {
    const path = await fresh();
    await create(path, 'before');
    const watch = await cluster.watch(`${path}?resourceVersion=${await revision(path)}`);
    expect(watch.code).toBe(200);
    const created = await create(path, 'a');
    const changed = await label(path, 'a', { x: 'y' });
    await remove(path, 'a');
    const events = await watch.take(3);
    expect(events.map(inShort)).toEqual(['ADDED a', 'MODIFIED a', 'DELETED a']);
    expect(events[0]?.object).toEqual(created);
    expect(events[1]?.object).toEqual(changed);
    const last = events[2]?.object as Body;
    expect(last.metadata.labels).toEqual({ x: 'y' });
    expect(Number(last.metadata.resourceVersion)).toBeGreaterThan(Number(changed.metadata.resourceVersion));
  });

  it('tells what happened between a list and the watch', async () => {
    const path = await fresh();
    const since = await revision(path);
    await create(path, 'meanwhile');
    const watch = await cluster.watch(`${path}?resourceVersion=${since}`);
    expect((await watch.take(1)).map(inShort)).toEqual(['ADDED meanwhile']);
  });

  it.each(['', '?resourceVersion=0'])('without a version begins with the state: %s', async (query) => {
    const path = await fresh();
    await create(path, 'a');
    await create(path, 'b');
    const watch = await cluster.watch(`${path}${query}`);
    expect((await watch.take(2)).map(inShort).sort()).toEqual(['ADDED a', 'ADDED b']);
    await create(path, 'c');
    expect((await watch.take(1)).map(inShort)).toEqual(['ADDED c']);
  });

  it('with initial events ends them with a bookmark', async () => {
    const path = await fresh();
    await create(path, 'a');
    const query = 'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
    const watch = await cluster.watch(`${path}?${query}`);
    const events = await watch.take(2);
    expect(events.map(inShort)).toEqual(['ADDED a', 'BOOKMARK']);
    expect(events[1]?.object).toMatchObject({
      kind: 'Endpoints',
      apiVersion: 'v1',
      metadata: { annotations: { 'k8s.io/initial-events-end': 'true' } },
    });
    expect(Number(events[1]?.object.metadata.resourceVersion)).toBeGreaterThan(0);
    await create(path, 'b');
    expect((await watch.take(1)).map(inShort)).toEqual(['ADDED b']);
  });

  it('ends when its time is up', async () => {
    const path = await fresh();
    const watch = await cluster.watch(`${path}?timeoutSeconds=1&resourceVersion=${await revision(path)}`);
    expect((await watch.rest()).filter(({ type }) => type !== 'BOOKMARK')).toEqual([]);
  });

  it('of one object by its name tells of no other', async () => {
    const path = await fresh();
    const watch = await cluster.watch(
      `${path}?fieldSelector=metadata.name%3Da&resourceVersion=${await revision(path)}`,
    );
    await create(path, 'b');
    await create(path, 'a');
    expect((await watch.take(1)).map(inShort)).toEqual(['ADDED a']);
  });

  it('with a selector shows objects come and go', async () => {
    const path = await fresh();
    const watch = await cluster.watch(`${path}?labelSelector=in%3Dyes&resourceVersion=${await revision(path)}`);
    await create(path, 'a');
    const entered = await label(path, 'a', { in: 'yes' });
    await label(path, 'a', { more: 'x' });
    const left = await label(path, 'a', { in: 'no' });
    await label(path, 'a', { in: 'yes' });
    await remove(path, 'a');
    const events = await watch.take(5);
    expect(events.map(({ type }) => type)).toEqual(['ADDED', 'MODIFIED', 'DELETED', 'ADDED', 'DELETED']);
    expect(events[0]?.object).toEqual(entered);
    const gone = events[2]?.object as Body;
    expect(gone.metadata.labels).toEqual({ in: 'yes', more: 'x' });
    expect(gone.metadata.resourceVersion).toBe(left.metadata.resourceVersion);
  });

  it('can be of tables, the first with columns', async () => {
    const path = (await fresh()).replace('endpoints', 'configmaps');
    const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';
    const since = await revision(path);
    const watch = await cluster.watch(`${path}?labelSelector=t&resourceVersion=${since}`, { accept });
    await create(path, 'a', { t: 'x' });
    await create(path, 'b', { t: 'x' });
    const [first, second] = (await watch.take(2)).map(({ object }) => object);
    expect(first).toMatchObject({ kind: 'Table', rows: [{ cells: ['a', 0, expect.any(String)] }] });
    expect(first?.['columnDefinitions']).toHaveLength(3);
    expect(second?.['columnDefinitions']).toBeOneOf([null, []]);
  });

  it('can be of metadata alone', async () => {
    const path = await fresh();
    const accept = 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io';
    const watch = await cluster.watch(`${path}?resourceVersion=${await revision(path)}`, { accept });
    await create(path, 'a');
    expect((await watch.take(1))[0]?.object).toMatchObject({ kind: 'PartialObjectMetadata', metadata: { name: 'a' } });
  });

  const refused: [string, number, string][] = [
    ['fieldSelector=foo%3Dbar', 400, 'is not a known field selector'],
    ['labelSelector=a%20b', 400, 'unable to parse requirement'],
    ['sendInitialEvents=false', 422, 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan'],
    ['sendInitialEvents=true&resourceVersionMatch=Exact', 422, 'Unsupported value: "Exact"'],
    ['sendInitialEvents=true', 422, 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan'],
    [
      'resourceVersionMatch=NotOlderThan&resourceVersion=1',
      422,
      'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided',
    ],
  ];
  it.each(refused)('is refused: %s', async (query, code, message) => {
    const answer = await cluster.request('GET', `/api/v1/configmaps?watch=true&timeoutSeconds=1&${query}`);
    expect(answer.code).toBe(code);
    expect(answer.body.message).toContain(message);
  });
});

describe('who replays a watch', () => {
  it('ends with the same state as a list', async () => {
    const names = fc.constantFrom('a', 'b', 'c');
    const action = fc.record({
      name: names,
      kind: fc.constantFrom('create', 'label', 'delete'),
      value: fc.nat({ max: 2 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(action, { maxLength: 12 }), async (actions) => {
        const path = await fresh();
        const watch = await cluster.watch(`${path}?labelSelector=keep!%3D2&resourceVersion=${await revision(path)}`);
        for (const { name, kind, value } of actions) {
          const labels = { keep: String(value) };
          if (kind === 'create') await cluster.request('POST', path, { body: { metadata: { name, labels } } });
          else if (kind === 'delete') await cluster.request('DELETE', `${path}/${name}`);
          else
            await cluster.request('PATCH', `${path}/${name}`, { contentType: merge, body: { metadata: { labels } } });
        }
        await create(path, 'the-end');
        const seen = replayed(await watch.until(({ object }) => object.metadata.name === 'the-end'));
        const listed = await made(cluster.request('GET', `${path}?labelSelector=keep!%3D2`));
        expect([...seen.values()].sort(byName)).toEqual([...listed.items].map(withoutType).sort(byName));
        watch.close();
      }),
      { numRuns: 8 },
    );
  });
});

/** Items of a list do not repeat their kind, on some servers. */
function withoutType({ kind, apiVersion, ...rest }: Body): object {
  return rest;
}

function byName(left: object, right: object): number {
  return (left as Body).metadata.name < (right as Body).metadata.name ? -1 : 1;
}

function replayed(events: readonly WatchEvent[]): Map<string, object> {
  const state = new Map<string, object>();
  for (const { type, object } of events) {
    if (type === 'DELETED') state.delete(object.metadata.name);
    else if (type !== 'BOOKMARK') state.set(object.metadata.name, withoutType(object));
  }
  return state;
}
