import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ListScanner } from '../../../src/kube/stream/list-scanner.ts';

function scan(text: string, cuts: readonly number[] = []): { items: unknown[]; envelope: unknown } {
  const items: unknown[] = [];
  const scanner = new ListScanner((json) => items.push(JSON.parse(json)));
  const bytes = Buffer.from(text);
  let from = 0;
  for (const cut of [...cuts.map((one) => one % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]) {
    scanner.push(bytes.subarray(from, cut));
    from = cut;
  }
  return { items, envelope: scanner.end() };
}

const anyText = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom('items', '"items":[', '\\"', '{', ']', 'é€😀'),
);
const anyObject = fc.dictionary(anyText, fc.oneof(fc.jsonValue(), anyText), { maxKeys: 5 });

describe('reading a list while it arrives', () => {
  test('gives what parsing it whole gives, for any content, order of keys, spacing and chunking', () => {
    const anyList = fc.record({
      items: fc.array(anyObject, { maxLength: 6 }),
      others: fc.array(
        fc.tuple(
          anyText.filter((key) => key !== 'items' && key !== '__proto__'),
          fc.jsonValue(),
        ),
        { maxLength: 4 },
      ),
      at: fc.nat(4),
      space: fc.constantFrom(0, 1, 2),
      cuts: fc.array(fc.nat(5_000), { maxLength: 40 }),
    });
    fc.assert(
      fc.property(anyList, ({ items, others, at, space, cuts }) => {
        const fields = others.toSpliced(at, 0, ['items', items]);
        const text = JSON.stringify(Object.fromEntries(fields), undefined, space);
        const whole = JSON.parse(text) as Record<string, unknown>;
        const scanned = scan(text, cuts);
        expect(scanned.items).toEqual(whole['items']);
        expect(scanned.envelope).toEqual({ ...whole, items: [] });
      }),
      { numRuns: 200 },
    );
  });

  test('takes every single byte on its own', () => {
    const text = '{"kind":"PodList","items":[{"a":"\\"}]"},{"b":[{}]}],"metadata":{"resourceVersion":"7"}}';
    const cuts = Array.from({ length: text.length }, (_, index) => index);
    expect(scan(text, cuts)).toEqual({
      items: [{ a: '"}]' }, { b: [{}] }],
      envelope: { kind: 'PodList', items: [], metadata: { resourceVersion: '7' } },
    });
  });

  test.each([
    ['no items', '{"items":[]}', []],
    ['null for items', '{"items":null}', []],
    ['items of an inner object', '{"metadata":{"items":[1]},"items":[{}]}', [{}]],
    ['an escaped key', '{"it\\u0065ms":[{"a":1}]}', [{ a: 1 }]],
    ['a value that is called items', '{"kind":"items","x":[1],"items":[{}]}', [{}]],
  ])('understands %s', (_, text, items) => {
    expect(scan(text).items).toEqual(items);
  });

  test.each([
    ['nothing', ''],
    ['half a list', '{"items":[{}'],
    ['half an item', '{"items":[{"a"'],
    ['an item that is no object', '{"items":[1]}'],
    ['two commas', '{"items":[{},,{}]}'],
    ['a comma at the end', '{"items":[{},]}'],
    ['no comma', '{"items":[{}{}]}'],
    ['something after the list', '{"items":[]}{}'],
    ['a list of lists', '[{"items":[]}]'],
    ['items twice', '{"items":[],"items":[]}'],
    ['a web page', '<html></html>'],
  ])('throws on %s', (_, text) => {
    expect(() => scan(text)).toThrow();
  });

  test('throws on an item, and on other fields, of more bytes than allowed', () => {
    const limits = { itemBytes: 20, envelopeBytes: 40 };
    const long = 'x'.repeat(50);
    expect(() => new ListScanner(() => {}, limits).push(Buffer.from(`{"items":[{"a":"${long}"}]}`))).toThrow(/item/);
    const cut = new ListScanner(() => {}, limits);
    cut.push(Buffer.from('{"items":[{"a":"xxxxxxx'));
    expect(() => cut.push(Buffer.from(long))).toThrow(/item/);
    expect(() => new ListScanner(() => {}, limits).push(Buffer.from(`{"a":"${long}"}`))).toThrow(/fields/);
  });
});
