import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LineSplitter } from '../../../src/kube/stream/line-splitter.ts';
import { parseWatchEvent } from '../../../src/kube/stream/watch-events.ts';

describe('cutting a stream into lines', () => {
  test('gives the lines, for any text and chunking', () => {
    const anyLine = fc.string({ unit: 'grapheme' }).map((line) => line.replaceAll('\n', ''));
    fc.assert(
      fc.property(fc.array(anyLine), fc.array(fc.nat(2_000)), (lines, cuts) => {
        const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''));
        const splitter = new LineSplitter(10_000);
        const got: string[] = [];
        let from = 0;
        for (const cut of [...cuts.map((one) => one % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]) {
          got.push(...splitter.push(bytes.subarray(from, cut)));
          from = cut;
        }
        expect(got).toEqual(lines.filter((line) => line !== ''));
        expect(splitter.isBetweenLines).toBe(true);
      }),
    );
  });

  test('knows when a line is cut, and throws when one is too long, in one chunk or in many', () => {
    const splitter = new LineSplitter(4);
    expect([...splitter.push(Buffer.from('ab\ncd'))]).toEqual(['ab']);
    expect(splitter.isBetweenLines).toBe(false);
    expect(() => [...splitter.push(Buffer.from('efg'))]).toThrow(RangeError);
    expect(() => [...new LineSplitter(4).push(Buffer.from('abcde\n'))]).toThrow(RangeError);
  });
});

describe('a line of a watch', () => {
  test.each([
    ['an object', { type: 'ADDED', object: { a: 1 } }, { type: 'ADDED', object: { a: 1 } }],
    [
      'a bookmark',
      { type: 'BOOKMARK', object: { metadata: { resourceVersion: '5' } } },
      { type: 'BOOKMARK', resourceVersion: '5', initialEnd: false },
    ],
    [
      'the end of the state',
      {
        type: 'BOOKMARK',
        object: { metadata: { resourceVersion: '5', annotations: { 'k8s.io/initial-events-end': 'true' } } },
      },
      { type: 'BOOKMARK', resourceVersion: '5', initialEnd: true },
    ],
    [
      'an expired version',
      { type: 'ERROR', object: { kind: 'Status', code: 410, reason: 'Expired', message: 'old' } },
      { type: 'ERROR', failure: { kind: 'gone', message: 'old' } },
    ],
    ['an error that says nothing', { type: 'ERROR', object: {} }, { type: 'ERROR', failure: { kind: 'retry' } }],
  ])('can be %s', (_, line, event) => {
    expect(parseWatchEvent(JSON.stringify(line))).toMatchObject(event);
  });

  test.each([
    '',
    '{',
    'null',
    '[]',
    '{"type":"ADDED"}',
    '{"type":"LATER","object":{}}',
    '{"type":"BOOKMARK","object":{}}',
  ])('cannot be %s', (line) => {
    expect(() => parseWatchEvent(line)).toThrow();
  });
});
