import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { isDeeperThan, readDocuments } from '../src/bounded-yaml.ts';

function values(text: string): readonly unknown[] {
  return [...readDocuments(text)].map((document) => (document.ok ? document.value : `refused: ${document.problem}`));
}

describe('documents of a text', () => {
  const read: [what: string, text: string, want: readonly unknown[]][] = [
    ['JSON', '{"a":[1]}', [{ a: [1] }]],
    ['YAML', 'a:\n- 1\nb: "x"\n', [{ a: [1], b: 'x' }]],
    ['flow style, which begins like JSON', '{a: [1]}', [{ a: [1] }]],
    ['several documents', 'a: 1\n---\nb: 2\n', [{ a: 1 }, { b: 2 }]],
    ['nothing', '', []],
    ['what old YAML calls booleans', 'a: yes\nb: "yes"', [{ a: true, b: 'yes' }]],
    ['times as text', 'a: 2026-11-16T10:00:00Z\nb: 2026-11-16', [{ a: '2026-11-16T10:00:00Z', b: '2026-11-16' }]],
    ['pairs of ports as text', 'a: 22:22', [{ a: '22:22' }]],
    ['aliases and merges', 'a: &x {b: 1}\nc: {<<: *x, d: 2}', [{ a: { b: 1 }, c: { b: 1, d: 2 } }]],
    ['a hundred levels', nested(99), [JSON.parse(`${'{"a":'.repeat(99)}1${'}'.repeat(99)}`)]],
    [
      'brackets in text, however many',
      'a: |\n  [[[\n'.concat('  {{{\n'.repeat(200)),
      [{ a: `[[[\n${'{{{\n'.repeat(200)}` }],
    ],
  ];
  it.each(read)('reads %s', (_what, text, want) => expect(values(text)).toEqual(want));

  it('keeps a key that would otherwise set the prototype', () => {
    const [value] = values('__proto__: {x: 1}');
    expect(Object.keys(value as object)).toEqual(['__proto__']);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  });

  const refused: [what: string, text: string, why: RegExp, line?: number][] = [
    ['broken quotes', 'a: "b', /quote/, 1],
    ['a line that is none', 'a: 1\nb: [\nc', /flow/i, 3],
    ['a key that is there twice', 'a: 1\nb: {c: 1, c: 2}', /"c" is there twice/, 2],
    ['JSON that is too deep', `${'['.repeat(5000)}${']'.repeat(5000)}`, /deeper/],
    ['block YAML that is too deep', nested(3000), /deeper/],
    ['flow YAML that is too deep', `a: ${'['.repeat(100_000)}`, /deeper/],
    ['lists in lists on one line', `${'- '.repeat(50_000)}a`, /deeper/],
    ['keys in keys on one line', `${'? '.repeat(50_000)}a`, /deeper/],
    ['brackets that nothing opened', ']'.repeat(100_000), /flow-seq-end/, 1],
    ['aliases that multiply', multiplied(), /alias/i],
  ];
  it.each(refused)('refuses %s', (_what, text, why, line) => {
    const documents = [...readDocuments(text)];
    const at = line === undefined ? {} : { line };
    expect(documents.at(-1)).toEqual({ ok: false, problem: expect.stringMatching(why), ...at });
  });

  it('reads nothing after what it cannot read', () => {
    expect(values('a: 1\n---\nb: "\n---\nc: 1\n')).toHaveLength(2);
  });

  it('reads back what was written, as YAML and as JSON', () => {
    const keys = fc.string({ minLength: 1 }).filter((key) => key !== '<<');
    const { json } = fc.letrec((tie) => ({
      json: fc.oneof(
        { maxDepth: 4 },
        fc.string(),
        fc.integer(),
        fc.boolean(),
        fc.constant(null),
        tie('list'),
        tie('map'),
      ),
      list: fc.array(tie('json')),
      map: fc.dictionary(keys, tie('json'), { noNullPrototype: true }),
    }));
    fc.assert(
      fc.property(fc.dictionary(keys, json, { noNullPrototype: true }), (value) => {
        expect(values(JSON.stringify(value))).toEqual([value]);
        expect(values(stringify(value, { version: '1.1' }))).toEqual([value]);
      }),
    );
  });
});

it('counts levels without descending', () => {
  expect(isDeeperThan({ a: { b: 1 } }, 2)).toBe(false);
  expect(isDeeperThan({ a: { b: { c: 1 } } }, 2)).toBe(true);
});

function nested(levels: number): string {
  const lines = Array.from({ length: levels }, (_, depth) => `${' '.repeat(depth)}a:`);
  return `${lines.join('\n')} 1`;
}

/** Eight lines, each nine times the one before. */
function multiplied(): string {
  const lines = 'bcdefgh'.split('').map((name, index) => `${name}: &${name} [${`*${'abcdefgh'[index]},`.repeat(9)}]`);
  return ['a: &a [x,x,x,x,x,x,x,x,x]', ...lines].join('\n');
}
