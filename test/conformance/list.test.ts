import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { made, testCluster } from '../support/cluster.ts';
import type { Body } from '../support/kube-http.ts';

const cluster = await testCluster();
afterAll(() => cluster.close());

const configMaps = (namespace: string) => `/api/v1/namespaces/${namespace}/configmaps`;

async function filled(names: readonly string[], labels: (name: string) => object = () => ({})): Promise<string> {
  const namespace = await cluster.newNamespace();
  for (const name of names) {
    await made(cluster.request('POST', configMaps(namespace), { body: { metadata: { name, labels: labels(name) } } }));
  }
  return configMaps(namespace);
}

/** Every cluster puts this into every namespace, sooner or later. */
const ownNames = (body: Body) =>
  body.items.map(({ metadata }) => metadata.name).filter((name) => name !== 'kube-root-ca.crt');

describe('a list', () => {
  it('is of its kind, in the order of names, at one revision', async () => {
    const path = await filled(['b', 'c', 'a']);
    const body = await made(cluster.request('GET', path));
    expect(body).toMatchObject({ kind: 'ConfigMapList', apiVersion: 'v1' });
    expect(ownNames(body)).toEqual(['a', 'b', 'c']);
    expect(Number(body.metadata.resourceVersion)).toBeGreaterThan(0);
    expect(body.metadata.continue).toBeUndefined();
  });

  it('of an empty or absent namespace is empty', async () => {
    const body = await made(cluster.request('GET', configMaps(cluster.name('absent'))));
    expect(body.items).toEqual([]);
  });

  it('goes over all namespaces', async () => {
    const path = await filled(['everywhere']);
    const body = await made(cluster.request('GET', '/api/v1/configmaps'));
    const namespace = path.split('/')[4];
    expect(body.items.some(({ metadata }) => metadata.namespace === namespace)).toBe(true);
  });

  it('can be a table', async () => {
    const path = await filled(['row']);
    const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';
    const body = await made(cluster.request('GET', `${path}?fieldSelector=metadata.name=row`, { accept }));
    expect(body).toMatchObject({ kind: 'Table', apiVersion: 'meta.k8s.io/v1' });
    expect((body['columnDefinitions'] as { name: string }[]).map(({ name }) => name)).toEqual(['Name', 'Data', 'Age']);
    expect(body['rows']).toMatchObject([
      { cells: ['row', 0, expect.stringMatching(/^\d+s$/)], object: { kind: 'PartialObjectMetadata' } },
    ]);
    const bare = await made(cluster.request('GET', `${path}?includeObject=None`, { accept }));
    expect((bare['rows'] as { object: unknown }[])[0]?.object).toBeNull();
    const wrong = await cluster.request('GET', `${path}?includeObject=Foo`, { accept });
    expect(wrong.code).toBe(400);
  });
});

describe('selectors', () => {
  const paths = filled(['a', 'b', 'c'], (name) => (name === 'c' ? {} : { name, tier: 'x' }));

  const labelCases: [string, string[]][] = [
    ['name=a', ['a']],
    ['name==a', ['a']],
    ['name!=a', ['b', 'c']],
    ['name in (a, b)', ['a', 'b']],
    ['name notin (a)', ['b', 'c']],
    ['tier', ['a', 'b']],
    ['!tier', ['c']],
    ['tier=x,name!=b', ['a']],
    ['name=', []],
    ['', ['a', 'b', 'c']],
  ];
  it.each(labelCases)('by label: %s', async (selector, names) => {
    const body = await made(cluster.request('GET', `${await paths}?labelSelector=${encodeURIComponent(selector)}`));
    expect(ownNames(body)).toEqual(names);
  });

  const refusedLabels: [string, string][] = [
    ['a===b', "unable to parse requirement: found '=', expected: identifier"],
    ['a b', "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"],
    ['a in b', "unable to parse requirement: found 'b' expected: '('"],
    ['-a', 'unable to parse requirement: <nil>: Invalid value: "-a": name part must consist of'],
    ['a=-b', 'unable to parse requirement: values[0][a]: Invalid value: "-b": a valid label must be'],
    ['a=b,', "found '', expected: identifier after ','"],
  ];
  it.each(refusedLabels)('are refused: %s', async (selector, message) => {
    const { code, body } = await cluster.request('GET', `${await paths}?labelSelector=${encodeURIComponent(selector)}`);
    expect(code).toBe(400);
    expect(body.message).toContain(message);
  });

  const fieldCases: [string, string[]][] = [
    ['metadata.name=a', ['a']],
    ['metadata.name!=a', ['b', 'c']],
    ['metadata.name=none', []],
  ];
  it.each(fieldCases)('by field: %s', async (selector, names) => {
    const body = await made(cluster.request('GET', `${await paths}?fieldSelector=${encodeURIComponent(selector)}`));
    expect(ownNames(body)).toEqual(names);
  });

  it('know the fields of their kind', async () => {
    const configMap = await cluster.request('GET', `${await paths}?fieldSelector=foo%3Dbar`);
    expect(configMap.body.message).toBe(
      '"foo" is not a known field selector: only "metadata.name", "metadata.namespace"',
    );
    const pod = await cluster.request('GET', '/api/v1/pods?fieldSelector=foo%3Dbar');
    expect(pod).toMatchObject({ code: 400, body: { message: 'field label not supported: foo' } });
    expect((await cluster.request('GET', '/api/v1/pods?fieldSelector=spec.nodeName%3Dnone')).body.items).toEqual([]);
  });
});

describe('pages', () => {
  const path = filled(['a', 'b', 'c', 'd', 'e']);

  async function pages(query: string, between: () => Promise<unknown> = async () => undefined): Promise<Body[]> {
    const all: Body[] = [];
    for (let token = ''; ; ) {
      const page = await made(cluster.request('GET', `${await path}?${query}${token && `&continue=${token}`}`));
      all.push(page);
      token = page.metadata.continue ?? '';
      if (token === '') return all;
      await between();
    }
  }

  it('are parts of one list', async () => {
    const [first, ...others] = await pages('limit=2');
    expect([first, ...others].map((page) => ownNames(page as Body).join(''))).toContain('ab');
    expect(first?.metadata.remainingItemCount).toBeGreaterThanOrEqual(3);
    for (const page of others) expect(page.metadata.resourceVersion).toBe(first?.metadata.resourceVersion);
  });

  it('say nothing of how many remain where a selector filters', async () => {
    const body = await made(cluster.request('GET', `${await path}?limit=1&labelSelector=!none`));
    expect(body.metadata.continue).not.toBe('');
    expect(body.metadata.remainingItemCount).toBeUndefined();
  });

  it('show the moment of the first, whatever is written meanwhile', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 4 }),
        fc.array(fc.constantFrom('a', 'c', 'x', 'z')),
        async (limit, writes) => {
          const before = await made(cluster.request('GET', await path));
          const queue = [...writes];
          const read = await pages(`limit=${limit}`, async () => {
            const name = queue.shift();
            if (name === undefined) return;
            const deleted = await cluster.request('DELETE', `${await path}/${name}`);
            if (deleted.code === 404) await made(cluster.request('POST', await path, { body: { metadata: { name } } }));
          });
          expect(read.flatMap((page) => page.items)).toEqual(before.items);
        },
      ),
      { numRuns: 10 },
    );
  });

  it('have tokens that only a list can make', async () => {
    const answer = await cluster.request('GET', `${await path}?limit=1&continue=abc`);
    expect(answer.code).toBe(400);
    expect(answer.body.message).toContain('continue key is not valid');
  });

  it('do not go with a version of their own', async () => {
    const first = await made(cluster.request('GET', `${await path}?limit=1`));
    const token = first.metadata.continue;
    const answer = await cluster.request('GET', `${await path}?limit=1&resourceVersion=1&continue=${token}`);
    expect(answer).toMatchObject({
      code: 400,
      body: { message: 'specifying resource version is not allowed when using continue' },
    });
  });
});

describe('resource versions of lists', () => {
  it('0 and none are the state as it is', async () => {
    const path = await filled(['a']);
    expect(ownNames(await made(cluster.request('GET', path)))).toEqual(['a']);
    expect((await cluster.request('GET', `${path}?resourceVersion=0`)).code).toBe(200);
  });

  it('exact ones are the state as it was', async () => {
    const path = await filled(['a']);
    const then = (await made(cluster.request('GET', path))).metadata.resourceVersion;
    await made(cluster.request('POST', path, { body: { metadata: { name: 'b' } } }));
    const body = await made(cluster.request('GET', `${path}?resourceVersion=${then}&resourceVersionMatch=Exact`));
    expect(ownNames(body)).toEqual(['a']);
    expect(body.metadata.resourceVersion).toBe(then);
    const newer = await made(
      cluster.request('GET', `${path}?resourceVersion=${then}&resourceVersionMatch=NotOlderThan`),
    );
    expect(ownNames(newer)).toEqual(['a', 'b']);
  });

  it('of the future are not there yet', async () => {
    const { code, body, headers } = await cluster.request('GET', '/api/v1/configmaps?resourceVersion=999999999');
    expect(code).toBe(504);
    expect(body).toMatchObject({
      reason: 'Timeout',
      details: { causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }] },
    });
    expect(headers['retry-after']).toBe('1');
  });

  const refused: [string, number, string][] = [
    ['resourceVersion=abc', 400, 'invalid resource version: resourceVersion: Invalid value: "abc"'],
    ['resourceVersionMatch=Exact', 422, 'resourceVersionMatch is forbidden unless resourceVersion is provided'],
    ['resourceVersion=0&resourceVersionMatch=Exact', 422, 'is forbidden for resourceVersion "0"'],
    ['resourceVersion=1&resourceVersionMatch=Foo', 422, 'Unsupported value: "Foo"'],
    ['limit=abc', 400, 'strconv.ParseInt: parsing "abc": invalid syntax'],
    ['sendInitialEvents=true', 422, 'sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list'],
    ['sendInitialEvents=false', 422, 'sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list'],
  ];
  it.each(refused)('are refused: %s', async (query, code, message) => {
    const answer = await cluster.request('GET', `/api/v1/configmaps?${query}`);
    expect(answer.code).toBe(code);
    expect(answer.body.message).toContain(message);
  });
});
