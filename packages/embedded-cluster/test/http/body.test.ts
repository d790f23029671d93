import { describe, expect, it } from 'vitest';
import { parseBody } from '../../src/http/body.ts';

describe('bodies', () => {
  it('reads JSON that is called YAML', () => expect(parseBody('{"a":[1]}', 'yaml')).toEqual({ a: [1] }));
  it('reads YAML', () => expect(parseBody('a:\n- 1\nb: "x"\n', 'yaml')).toEqual({ a: [1], b: 'x' }));
  it('reads flow style, which begins like JSON', () => expect(parseBody('{a: [1]}', 'yaml')).toEqual({ a: [1] }));
  it('reads what old YAML calls booleans as kubectl does', () =>
    expect(parseBody('a: yes', 'yaml')).toEqual({ a: true }));

  it('takes the last of two values for one key', () =>
    expect(parseBody('a: 1\nb: 2\na: 3', 'yaml')).toEqual({ a: 3, b: 2 }));

  const refused: [what: string, text: string, format: 'json' | 'yaml'][] = [
    ['JSON that ends early', '{"a":', 'json'],
    ['nothing', '', 'json'],
    ['YAML with broken quotes', 'a: "b', 'yaml'],
    ['JSON that is too deep', `${'['.repeat(5000)}${']'.repeat(5000)}`, 'json'],
    ['flow YAML that is too deep', `a: ${'['.repeat(100_000)}`, 'yaml'],
    [
      'block YAML that is too deep',
      Array.from({ length: 3000 }, (_, depth) => `${' '.repeat(depth)}a:`).join('\n'),
      'yaml',
    ],
    ['sequences in sequences on one line', `${'- '.repeat(50_000)}a`, 'yaml'],
    [
      'aliases that multiply',
      [
        'a: &a [x,x,x,x,x,x,x,x,x]',
        ...'bcdefgh'.split('').map((n, i) => `${n}: &${n} [${`*${'abcdefgh'[i]},`.repeat(9)}]`),
      ].join('\n'),
      'yaml',
    ],
  ];
  it.each(refused)('refuses %s with 400', (_what, text, format) => {
    expect(() => parseBody(text, format)).toThrow(
      expect.objectContaining({ status: expect.objectContaining({ code: 400 }) }),
    );
  });
});
