import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compileRegexp, TooMuchWork } from '../../src/cel/regexp/regexp.ts';

function found(pattern: string, text: string): unknown {
  const compiled = compileRegexp(pattern);
  return compiled.ok ? compiled.regexp.findAll(text, 3) : compiled.message;
}

describe('what a pattern finds', () => {
  test.each([
    ['^a$', 'a', ['a']],
    ['^a$', 'ab', []],
    ['(a|ab)(c|bcd)(d*)', 'abcd', ['abcd']],
    ['a{2,3}?', 'aaaaa', ['aa', 'aa']],
    ['a{2,3}', 'aaaaa', ['aaa', 'aa']],
    ['a*', 'baa', ['', 'aa', '']],
    ['(?i)hello', 'HeLLo', ['HeLLo']],
    ['(?i:A)b', 'ab', ['ab']],
    ['(?s)a.b', 'a\nb', ['a\nb']],
    ['a.b', 'a\nb', []],
    ['(?m)^b$', 'a\nb\nc', ['b']],
    ['[[:digit:]]+', 'ab12', ['12']],
    ['[^a-c\\d]+', 'a1xyz', ['xyz']],
    ['[]a]+', 'a]b', ['a]']],
    ['[a\\-z]+', 'z-a', ['z-a']],
    ['\\bfoo\\b', 'a foo b', ['foo']],
    ['\\p{L}+', 'äb1', ['äb']],
    ['\\p{Greek}', 'aβ', ['β']],
    ['\\x41\\x{1F600}', 'A😀', ['A😀']],
    ['\\Qa.b\\E+', 'a.bbb', ['a.bbb']],
    ['(?P<name>a)(?<other>b)', 'ab', ['ab']],
    ['a{,2}', 'a{,2}', ['a{,2}']],
    ['(a*)*b', 'aaab', ['aaab']],
    ['', 'a', ['', '']],
  ])('%s in %j', (pattern, text, matches) => {
    expect(found(pattern, text)).toEqual(matches);
  });
});

describe('patterns that are refused', () => {
  test.each([
    ['(?=a)', 'invalid or unsupported Perl syntax: `(?=`'],
    ['(?<!a)', 'invalid or unsupported Perl syntax: `(?<`'],
    ['a**', 'invalid nested repetition operator: `**`'],
    ['*a', 'missing argument to repetition operator: `*`'],
    ['(a', 'missing closing ): `(a`'],
    ['a)', 'unexpected ): `a)`'],
    ['[a', 'missing closing ]: `[a`'],
    ['[b-a]', 'invalid character class range: `b-a`'],
    ['\\', 'trailing backslash at end of expression: ``'],
    ['\\1', 'invalid escape sequence: `\\1`'],
    ['a{1001}', 'invalid repeat count: `{1001}`'],
    ['\\p{Nowhere}', 'invalid character class range: `\\p{Nowhere}`'],
  ])('%s', (pattern, problem) => {
    expect(found(pattern, '')).toBe(`error parsing regexp: ${problem}`);
  });

  test.each([['((a{100}){100}){100}'], ['('.repeat(200) + ')'.repeat(200)], ['a'.repeat(5000)]])(
    '%#: too large',
    (pattern) => {
      expect(compileRegexp(pattern)).toEqual({ ok: false, message: expect.stringMatching(/too large|too deeply/) });
    },
  );
});

describe('catastrophic patterns', () => {
  test.each([['(a+)+$'], ['(a|aa)+$'], ['^(a*)*$'], ['^(([a-z])+.)+[A-Z]([a-z])+$'], ['(x+x+)+y']])(
    '%s ends',
    (pattern) => {
      const compiled = compileRegexp(pattern);
      expect(compiled.ok && compiled.regexp.test(`${'a'.repeat(2000)}!`)).toBe(false);
    },
  );

  test('a text that is too long for its pattern is refused instead of searched', () => {
    const compiled = compileRegexp('(ab|c|d|e){500}');
    expect(() => compiled.ok && compiled.regexp.test('a'.repeat(100_000))).toThrow(TooMuchWork);
  });
});

const atom = fc.constantFrom('a', 'b', 'c', '.', '[ab]', '[^a]', '(a|b)', '(?:ab)', '(a|ab)', '\\d', '1');
const repeated = fc
  .tuple(atom, fc.constantFrom('', '*', '+', '?', '{2}', '{1,2}', '*?', '+?'))
  .map((parts) => parts.join(''));
const pattern = fc.array(repeated, { minLength: 1, maxLength: 5 }).map((parts) => parts.join(''));

test('on tame patterns it agrees with JavaScript', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c', '1'), maxLength: 12 });
  fc.assert(
    fc.property(pattern, text, (source, subject) => {
      const expected = new RegExp(source, 'u').exec(subject)?.[0];
      const compiled = compileRegexp(source);
      if (!compiled.ok) throw new Error(compiled.message);
      expect(compiled.regexp.test(subject)).toBe(expected !== undefined);
      expect(compiled.regexp.findAll(subject, 1)[0]).toBe(expected);
    }),
  );
});
