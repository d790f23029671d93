import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ClusterProcess, startClusterProcess } from './cluster-process.ts';

const megabyte = 1024 * 1024;
const configMaps = '/api/v1/namespaces/default/configmaps';
const pods = '/api/v1/namespaces/default/pods';
const existing = `${configMaps}/existing`;

const mergePatch = 'application/merge-patch+json';
const jsonPatch = 'application/json-patch+json';
const applyPatch = 'application/apply-patch+yaml';

function nested(levels: number, open: string, close: string): string {
  return `${open.repeat(levels)}1${close.repeat(levels)}`;
}

function configMap(fields: string): string {
  return `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"hostile"},${fields}}`;
}

interface Case {
  readonly what: string;
  readonly code: number;
  readonly reason: string;
  readonly method?: string;
  readonly path?: string;
  readonly contentType?: string;
  readonly body: string | Buffer;
}

const malformed: readonly Case[] = [
  { what: 'JSON that stops in the middle', body: '{"metadata":{"name":"x"', code: 400, reason: 'BadRequest' },
  { what: 'what is no JSON at all', body: 'hello', code: 400, reason: 'BadRequest' },
  { what: 'nothing', body: '', code: 400, reason: 'BadRequest' },
  { what: 'null', body: 'null', code: 422, reason: 'Invalid' },
  { what: 'a number', body: '42', code: 400, reason: 'BadRequest' },
  { what: 'a list', body: '[]', code: 400, reason: 'BadRequest' },
  { what: 'NaN', body: '{"metadata":{"generation":NaN}}', code: 400, reason: 'BadRequest' },
  { what: 'a byte order mark', body: '\u{feff}{}', code: 400, reason: 'BadRequest' },
  {
    what: 'bytes that are no text',
    body: Buffer.from([0x7b, 0xff, 0xfe, 0x00, 0x7d]),
    code: 400,
    reason: 'BadRequest',
  },
  { what: 'metadata that is a text', body: '{"metadata":"x"}', code: 400, reason: 'BadRequest' },
  { what: 'labels that are a list', body: '{"metadata":{"name":"x","labels":["a"]}}', code: 400, reason: 'BadRequest' },
  { what: 'data that is a number', body: configMap('"data":7'), code: 400, reason: 'BadRequest' },
  { what: 'a name that is an object', body: '{"metadata":{"name":{"a":1}}}', code: 400, reason: 'BadRequest' },
  {
    what: 'an unknown media type',
    body: '{}',
    contentType: 'constructor',
    code: 415,
    reason: 'UnsupportedMediaType',
  },
  {
    what: 'protobuf that is none',
    body: Buffer.from('k8s\0\xff\xff\xff\xff\xff', 'latin1'),
    contentType: 'application/vnd.kubernetes.protobuf',
    code: 400,
    reason: 'BadRequest',
  },
  {
    what: 'YAML with an unknown alias',
    body: 'a: *b',
    contentType: 'application/yaml',
    code: 400,
    reason: 'BadRequest',
  },
  {
    what: 'a patch that is no patch',
    method: 'PATCH',
    path: existing,
    contentType: jsonPatch,
    body: '{"op":"add"}',
    code: 400,
    reason: 'BadRequest',
  },
  {
    what: 'a patch of an unknown kind',
    method: 'PATCH',
    path: existing,
    contentType: '__proto__',
    body: '{}',
    code: 415,
    reason: 'UnsupportedMediaType',
  },
  {
    what: 'options of a deletion that are a list',
    method: 'DELETE',
    path: existing,
    body: '[]',
    code: 400,
    reason: 'BadRequest',
  },
];

const tooMuch: readonly Case[] = [
  { what: 'a body of 10 MB', body: configMap(`"data":{"a":"${'x'.repeat(10 * megabyte)}"}`), ...entityTooLarge() },
  {
    what: 'a patch of 10 MB',
    method: 'PATCH',
    path: existing,
    contentType: mergePatch,
    body: `{"data":{"a":"${'x'.repeat(10 * megabyte)}"}}`,
    ...entityTooLarge(),
  },
  {
    what: 'options of a deletion of 10 MB',
    method: 'DELETE',
    path: existing,
    body: `{"kind":"DeleteOptions","dryRun":["${'x'.repeat(10 * megabyte)}"]}`,
    ...entityTooLarge(),
  },
  {
    what: 'more YAML than can be read while others wait',
    contentType: 'application/yaml',
    body: `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\ndata:\n${Array.from({ length: 50_000 }, (_, i) => `  k${i}: v`).join('\n')}`,
    code: 400,
    reason: 'BadRequest',
  },
  {
    what: 'a JSON patch of 10,001 steps',
    method: 'PATCH',
    path: existing,
    contentType: jsonPatch,
    body: JSON.stringify(Array.from({ length: 10_001 }, () => ({ op: 'test', path: '/kind', value: 'ConfigMap' }))),
    ...entityTooLarge(),
  },
  {
    what: 'a JSON patch that doubles what is there again and again',
    method: 'PATCH',
    path: existing,
    contentType: jsonPatch,
    body: JSON.stringify(Array.from({ length: 60 }, (_, i) => ({ op: 'copy', from: '/data', path: `/data/k${i}` }))),
    code: 422,
    reason: 'Invalid',
  },
];

function entityTooLarge(): Pick<Case, 'code' | 'reason'> {
  return { code: 413, reason: 'RequestEntityTooLarge' };
}

const deep: readonly Case[] = [
  { what: 'lists', body: configMap(`"data":${nested(200_000, '[', ']')}`), code: 400, reason: 'BadRequest' },
  { what: 'objects', body: configMap(`"data":${nested(200_000, '{"a":', '}')}`), code: 400, reason: 'BadRequest' },
  { what: 'lists that never end', body: '['.repeat(1_000_000), code: 400, reason: 'BadRequest' },
  {
    what: 'YAML lists',
    contentType: 'application/yaml',
    body: `a: ${nested(100_000, '[', ']')}`,
    code: 400,
    reason: 'BadRequest',
  },
  {
    what: 'YAML by indentation',
    contentType: 'application/yaml',
    body: Array.from({ length: 1_000 }, (_, i) => `${' '.repeat(i)}a:`).join('\n'),
    code: 400,
    reason: 'BadRequest',
  },
  {
    what: 'YAML that refers to itself over and over',
    contentType: 'application/yaml',
    body: Array.from({ length: 30 }, (_, i) => `a${i}: &a${i} [${`*a${i - 1},`.repeat(i === 0 ? 0 : 9)}1]`).join('\n'),
    code: 400,
    reason: 'BadRequest',
  },
  {
    what: 'protobuf messages',
    contentType: 'application/vnd.kubernetes.protobuf',
    body: nestedProtobuf(50_000),
    code: 400,
    reason: 'BadRequest',
  },
  {
    what: 'a merge patch',
    method: 'PATCH',
    path: existing,
    contentType: mergePatch,
    body: nested(200_000, '{"data":', '}'),
    code: 400,
    reason: 'BadRequest',
  },
  {
    what: 'a value of a JSON patch',
    method: 'PATCH',
    path: existing,
    contentType: jsonPatch,
    body: `[{"op":"add","path":"/data/a","value":${nested(200_000, '[', ']')}}]`,
    code: 400,
    reason: 'BadRequest',
  },
  {
    what: 'an applied configuration',
    method: 'PATCH',
    path: `${existing}?fieldManager=hostile`,
    contentType: applyPatch,
    body: `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"existing"},"data":${nested(200_000, '{"a":', '}')}}`,
    code: 400,
    reason: 'BadRequest',
  },
];

/** Each message holds the next one as its first field. */
function nestedProtobuf(levels: number): Buffer {
  let inner = Buffer.alloc(0);
  const parts: Buffer[] = [];
  for (let level = 0, size = 0; level < levels; level += 1) {
    inner = Buffer.concat([Buffer.from([0x0a]), varint(size)]);
    parts.push(inner);
    size += inner.length;
  }
  return Buffer.concat([Buffer.from('k8s\0'), ...parts.reverse()]);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  for (let rest = value; ; rest >>>= 7) {
    if (rest < 128) return Buffer.from([...bytes, rest]);
    bytes.push((rest & 127) | 128);
  }
}

const keys = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty'];

describe('bodies that no client should send', () => {
  let cluster: ClusterProcess;

  beforeAll(async () => {
    cluster = await startClusterProcess();
    await cluster.http.request('POST', configMaps, {
      body: { metadata: { name: 'existing' }, data: { a: 'x'.repeat(1_000) } },
    });
  });

  afterAll(() => cluster.close());

  const send = async ({ method = 'POST', path = configMaps, contentType, body }: Case) => {
    const answer = cluster.http.request(method, path, { body, ...(contentType ? { contentType } : {}) });
    // Other clients are served all the while.
    const polite = await cluster.http.request('GET', existing);
    expect(polite.code).toBe(200);
    return answer;
  };

  describe.each([
    ['malformed', malformed],
    ['too large', tooMuch],
    ['too deep', deep],
  ] as const)('%s', (_kind, cases) => {
    it.each(cases.map((one) => [one.what, one] as const))('refuses %s', async (_what, one) => {
      const { code, body } = await send(one);
      expect({ code, kind: body.kind, status: body.status, reason: body.reason, said: body.code }).toEqual({
        code: one.code,
        kind: 'Status',
        status: 'Failure',
        reason: one.reason,
        said: one.code,
      });
      expect(body.message).not.toBe('');
      expect(body.message.length).toBeLessThan(10_000);
    });
  });

  it.each(keys)('takes %s for a key like any other where keys are free', async (key) => {
    const body = `{"metadata":{"name":"keys-${keys.indexOf(key)}","annotations":{"${key}":"a"}},"data":{"${key}":"b"}}`;
    const created = await cluster.http.request('POST', configMaps, { body });
    expect([201, 422]).toContain(created.code);
    if (created.code === 201) expect(Object.entries(created.body.data)).toEqual([[key, 'b']]);
  });

  it.each(keys)('reaches nothing through %s in objects and patches', async (key) => {
    const evil = `{"${key}":{"polluted":"yes"}}`;
    const attempts: Omit<Case, 'what' | 'code' | 'reason'>[] = [
      { body: configMap(`"${key}":{"polluted":"yes"}`) },
      { body: `{"metadata":{"name":"evil","${key}":{"polluted":"yes"}},"spec":${evil}}`, path: pods },
      { body: evil, method: 'PATCH', path: existing, contentType: mergePatch },
      { body: `{"metadata":${evil}}`, method: 'PATCH', path: existing, contentType: mergePatch },
      {
        body: `{"metadata":${evil}}`,
        method: 'PATCH',
        path: existing,
        contentType: 'application/strategic-merge-patch+json',
      },
      {
        body: `[{"op":"add","path":"/${key}/polluted","value":"yes"}]`,
        method: 'PATCH',
        path: existing,
        contentType: jsonPatch,
      },
      {
        body: `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: existing, ${key}: {polluted: "yes"}}`,
        method: 'PATCH',
        path: `${existing}?fieldManager=hostile`,
        contentType: applyPatch,
      },
    ];
    for (const attempt of attempts) {
      const { body } = await send({ what: '', code: 0, reason: '', ...attempt });
      // Some refusals are a 500 in Kubernetes, too; a mistake of the server's own is told apart by its reason.
      expect(body.reason).not.toBe('InternalError');
    }
    expect((await cluster.inspect()).sharedProperties).toEqual([]);
    const kept = await cluster.http.request('GET', existing);
    expect(kept.text).not.toContain('polluted');
  });

  it('names a bounded number of mistakes in an object that is all mistakes', async () => {
    const labels = Object.fromEntries(Array.from({ length: 50_000 }, (_, i) => [`k${i}`, 'not a label!']));
    const { code, body, text } = await cluster.http.request('POST', configMaps, {
      body: { metadata: { name: 'labels', labels } },
    });
    expect([code, body.reason]).toEqual([422, 'Invalid']);
    expect((body.details['causes'] as unknown[]).length).toBeLessThanOrEqual(100);
    expect(text.length).toBeLessThan(200_000);
  });

  it('refuses annotations beyond what Kubernetes takes', async () => {
    const annotations = Object.fromEntries(Array.from({ length: 30_000 }, (_, i) => [`k${i}`, 'xxxxx']));
    const { code, body } = await cluster.http.request('POST', configMaps, {
      body: { metadata: { name: 'annotations', annotations } },
    });
    expect([code, body.reason]).toEqual([422, 'Invalid']);
    expect(body.message).toContain('262144');
  });

  it('takes a large set of good labels, and finds the object by it', async () => {
    const labels = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`k${i}`, `v${i}`]));
    const { code } = await send({
      what: '',
      code: 0,
      reason: '',
      body: JSON.stringify({ metadata: { name: 'many-labels', labels } }),
    });
    expect(code).toBe(201);
    const found = await cluster.http.request('GET', `${configMaps}?labelSelector=k7=v7,k19999=v19999`);
    expect(found.body.items.map(({ metadata }) => metadata.name)).toEqual(['many-labels']);
  });

  it('does not grow with what it refuses', async () => {
    const before = await cluster.inspect();
    for (let round = 0; round < 3; round += 1) {
      await Promise.all([...tooMuch, ...deep].map((one) => send(one)));
    }
    const after = await cluster.inspect();
    expect(after.usedBytes - before.usedBytes).toBeLessThan(30 * megabyte);
  });
});
