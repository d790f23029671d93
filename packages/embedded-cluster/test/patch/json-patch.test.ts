import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyJsonPatch, maxOperations } from '../../src/patch/json-patch.ts';
import { equalJsonToDepth } from '../../src/patch/json-tree.ts';

const document = { spec: { replicas: 1, list: ['a', 'b'], 'x/y': 1, 'x~y': 2 }, metadata: { labels: { a: '1' } } };

const spec = (changes: Record<string, unknown>) => ({ ...document, spec: { ...document.spec, ...changes } });

const applied: readonly [string, readonly unknown[], unknown][] = [
  ['adds a key', [{ op: 'add', path: '/spec/paused', value: true }], spec({ paused: true })],
  ['replaces a key by adding it', [{ op: 'add', path: '/spec/replicas', value: 3 }], spec({ replicas: 3 })],
  ['adds to the end of a list', [{ op: 'add', path: '/spec/list/-', value: 'c' }], spec({ list: ['a', 'b', 'c'] })],
  ['adds inside of a list', [{ op: 'add', path: '/spec/list/1', value: 'c' }], spec({ list: ['a', 'c', 'b'] })],
  ['adds behind the last', [{ op: 'add', path: '/spec/list/2', value: 'c' }], spec({ list: ['a', 'b', 'c'] })],
  [
    'counts -1 from behind the end when adding',
    [{ op: 'add', path: '/spec/list/-1', value: 'c' }],
    spec({ list: ['a', 'b', 'c'] }),
  ],
  ['adds null when there is no value', [{ op: 'add', path: '/spec/list/-' }], spec({ list: ['a', 'b', null] })],
  ['removes an index', [{ op: 'remove', path: '/spec/list/0' }], spec({ list: ['b'] })],
  ['counts -1 as the last when removing', [{ op: 'remove', path: '/spec/list/-1' }], spec({ list: ['a'] })],
  ['replaces an index', [{ op: 'replace', path: '/spec/list/0', value: 'z' }], spec({ list: ['z', 'b'] })],
  ['replaces a key that is not there', [{ op: 'replace', path: '/spec/paused', value: true }], spec({ paused: true })],
  ['replaces the document', [{ op: 'replace', path: '', value: { a: 1 } }], { a: 1 }],
  ['decodes ~1', [{ op: 'replace', path: '/spec/x~1y', value: 5 }], spec({ 'x/y': 5 })],
  ['decodes ~0', [{ op: 'replace', path: '/spec/x~0y', value: 5 }], spec({ 'x~y': 5 })],
  ['moves', [{ op: 'move', from: '/spec/list/0', path: '/spec/list/-' }], spec({ list: ['b', 'a'] })],
  ['copies', [{ op: 'copy', from: '/spec/replicas', path: '/spec/copy' }], spec({ copy: 1 })],
  [
    'copies a key that is not there as null',
    [{ op: 'copy', from: '/spec/none', path: '/spec/copy' }],
    spec({ copy: null }),
  ],
  ['passes a test', [{ op: 'test', path: '/spec/list', value: ['a', 'b'] }], document],
  ['tests a missing key for null', [{ op: 'test', path: '/spec/none', value: null }], document],
  ['tests the document', [{ op: 'test', path: '', value: document }], document],
  ['does nothing', [], document],
];

describe('a JSON patch', () => {
  it.each(applied)('%s', (_, operations, expected) => {
    expect(applyJsonPatch(document, operations)).toEqual({ ok: true, value: expected });
  });

  const inapplicable: readonly [string, readonly unknown[]][] = [
    ['removes a missing key', [{ op: 'remove', path: '/spec/none' }]],
    ['removes an index out of range', [{ op: 'remove', path: '/spec/list/2' }]],
    ['adds below a missing key', [{ op: 'add', path: '/none/a', value: 1 }]],
    ['adds below a scalar', [{ op: 'add', path: '/spec/replicas/a', value: 1 }]],
    ['adds an index out of range', [{ op: 'add', path: '/spec/list/3', value: 1 }]],
    ['adds a word to a list', [{ op: 'add', path: '/spec/list/a', value: 1 }]],
    ['adds the document', [{ op: 'add', path: '', value: {} }]],
    ['replaces the document by a list', [{ op: 'replace', path: '', value: [1] }]],
    ['replaces an index out of range', [{ op: 'replace', path: '/spec/list/2', value: 1 }]],
    ['moves what is missing', [{ op: 'move', from: '/spec/none', path: '/spec/a' }]],
    ['fails a test', [{ op: 'test', path: '/spec/replicas', value: 2 }]],
    ['has an unknown operation', [{ op: 'merge', path: '/spec' }]],
    ['has no operation', [{ path: '/spec' }]],
    ['has no path', [{ op: 'remove' }]],
    ['reaches for a prototype', [{ op: 'add', path: '/__proto__/polluted', value: true }]],
    ['reaches for a constructor', [{ op: 'add', path: '/constructor/prototype/polluted', value: true }]],
  ];

  it.each(inapplicable)('is refused as unprocessable if it %s', (_, operations) => {
    const result = applyJsonPatch(document, operations);
    expect(result).toMatchObject({
      ok: false,
      error: {
        status: {
          code: 422,
          reason: 'Invalid',
          message: 'the server rejected our request due to an error in our request',
        },
      },
    });
    expect(Object.prototype).not.toHaveProperty('polluted');
  });

  const malformed: readonly [string, unknown, string][] = [
    ['a map', {}, 'error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp'],
    [
      'a list of words',
      ['a'],
      'error decoding patch: json: cannot unmarshal string into Go value of type handlers.jsonPatchOp',
    ],
    [
      'a path that is a number',
      [{ op: 'add', path: 1 }],
      'error decoding patch: json: cannot unmarshal number into Go struct field jsonPatchOp.path of type string',
    ],
  ];

  it.each(malformed)('is a bad request if it is %s', (_, patch, message) => {
    expect(applyJsonPatch(document, patch)).toMatchObject({
      ok: false,
      error: { status: { code: 400, reason: 'BadRequest', message } },
    });
  });

  it('may have ten thousand operations and no more', () => {
    const operations = Array.from({ length: maxOperations }, () => ({ op: 'test', path: '/spec/replicas', value: 1 }));
    expect(applyJsonPatch(document, operations).ok).toBe(true);
    expect(applyJsonPatch(document, [...operations, operations[0]])).toMatchObject({
      error: {
        status: {
          code: 413,
          reason: 'RequestEntityTooLarge',
          message: 'Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001',
        },
      },
    });
  });

  it('cannot blow up a document by copying it into itself', () => {
    const operations = Array.from({ length: 60 }, (_, index) => ({
      op: 'copy',
      from: '/spec',
      path: `/spec/${index}`,
    }));
    expect(applyJsonPatch({ spec: { text: 'x'.repeat(1000) } }, operations)).toMatchObject({
      error: { status: { code: 422 } },
    });
  });

  it('cannot nest a document deeper than it can be read', () => {
    const operations = Array.from({ length: 2000 }, (_, index) => ({
      op: 'add',
      path: '/a'.repeat(index + 1),
      value: {},
    }));
    expect(applyJsonPatch({}, operations)).toMatchObject({ error: { status: { code: 422 } } });
  });

  it('leaves the document and its own values alone', () => {
    const patch = [
      { op: 'add', path: '/spec/new', value: { a: {} } },
      { op: 'add', path: '/spec/new/a/b', value: 1 },
      { op: 'remove', path: '/spec/list/0' },
    ];
    const before = JSON.stringify([document, patch]);
    expect(applyJsonPatch(document, patch).ok).toBe(true);
    expect(JSON.stringify([document, patch])).toBe(before);
  });

  it('undoes an added key by removing it', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.jsonValue(), (map, value) => {
        const operations = [
          { op: 'add', path: '/new', value },
          { op: 'test', path: '/new', value },
          { op: 'remove', path: '/new' },
        ];
        const { new: _, ...start } = map;
        const result = applyJsonPatch(start, operations);
        return result.ok && equalJsonToDepth(result.value, JSON.parse(JSON.stringify(start)));
      }),
    );
  });
});
