import { describe, expect, test } from 'vitest';
import { CelCache, compileCel, maxExpressionLength } from '../../src/cel/cel.ts';
import { celValue } from '../../src/cel/values.ts';

const object = {
  metadata: { name: 'web', labels: { app: 'x' } },
  spec: { replicas: 3, ratio: 0.5, names: ['a', 'b'], empty: {}, text: 'xäy' },
  constructor: 'mine',
};

function run(expression: string): unknown {
  const compiled = compileCel(expression, ['object', 'oldObject', 'request']);
  if (!compiled.ok) return { refused: compiled.message };
  const result = compiled.program.evaluate({ object, oldObject: null, request: {} });
  return result.ok ? result.value : { error: result.message };
}

describe('values of an expression', () => {
  test.each([
    ['JSON integers are int', 'object.spec.replicas + 1', 4n],
    ['other numbers are double', 'object.spec.ratio * 2.0', 1],
    ['an int can be compared with a double', 'object.spec.replicas > 2.5', true],
    ['values of different types are not equal', 'object.metadata.name == object.spec.replicas', false],
    ['null is a value', 'oldObject == null', true],
    ['keys that JavaScript knows are keys like others', 'object.constructor', 'mine'],
    ['has answers whether a field is there', 'has(object.spec.replicas) && !has(object.spec.other)', true],
    ['optional fields', 'object.spec.?other.orValue(7)', 7n],
    ['an error on one side of an or does not matter when the other is true', 'object.nothing == 1 || true', true],
    ['macros', 'object.spec.names.all(n, n in ["a", "b"]) && object.spec.names.exists_one(n, n == "b")', true],
    ['maps are walked by key', 'object.metadata.labels.map(k, object.metadata.labels[k]) == ["x"]', true],
    ['an empty object equals an empty map', 'object.spec.empty == {}', true],
    ['characters are counted, not UTF-16 units', '"a😀b".substring(2) == "b" && "a😀b".indexOf("b") == 2', true],
    ['bound variables', 'cel.bind(n, object.spec.replicas, n * n)', 9n],
  ])('%s: %s', (_, expression, value) => {
    expect(run(expression)).toEqual(value);
  });
});

describe('errors in the words of the real server', () => {
  test.each([
    ['object.subResource', 'no such key: subResource'],
    ['has(object.a.b)', 'no such key: a'],
    ['object.spec.names[5]', 'index out of bounds: 5'],
    ['object.spec.replicas / 0 == 1', 'division by zero'],
    ['object.spec.replicas % 0 == 1', 'modulus by zero'],
    ['object.spec.replicas + "s"', 'no such overload'],
    ['object.spec.replicas + 9223372036854775807', 'integer overflow'],
    ['object.spec.text.matches("(")', 'error parsing regexp: missing closing ): `(`'],
  ])('%s fails with %s', (expression, error) => {
    expect(run(expression)).toEqual({ error });
  });

  test('an unknown variable is refused when the expression is compiled, and shown', () => {
    expect(run('object.a && foo')).toEqual({
      refused:
        "compilation failed: ERROR: <input>:1:13: undeclared reference to 'foo' (in container '')\n | object.a && foo\n | ............^",
    });
  });

  test.each([
    ['1 +', /^compilation failed: ERROR: <input>:1:4: Syntax error: /],
    ['1 == "a"', /found no matching overload for '_==_' applied to '\(int, string\)'/],
    ['"a".matches(1)', /found no matching overload for 'matches' applied to '\(int\)'/],
    [' ', /^expression is not specified$/],
    ['"'.padEnd(maxExpressionLength + 1, 'a'), /longer than/],
  ])('%#: refused', (expression, message) => {
    expect(run(expression)).toEqual({ refused: expect.stringMatching(message) });
  });
});

describe('hostile expressions end', () => {
  const spent = { error: 'operation cancelled: actual cost limit exceeded' };
  test.each([
    [
      'loops in loops',
      'cel.bind(a, [1,2,3,4,5,6,7,8,9,10], cel.bind(l, a+a+a+a, l.all(v, l.all(w, l.all(x, l.all(y, l.all(z, true)))))))',
    ],
    [
      'loops in loops whose errors are swallowed',
      'cel.bind(a, [1,2,3,4,5,6,7,8,9,10], cel.bind(l, a+a+a+a, l.all(v, l.all(w, l.all(x, l.all(y, l.all(z, true)))))) || true)',
    ],
    [
      'strings that double',
      `${'abcdefghijklmnopqrstuvwxyz'
        .split('')
        .map((name, i, all) => `cel.bind(${name}, ${i === 0 ? '"0123456789"' : `${all[i - 1]}+${all[i - 1]}`}, `)
        .join('')}size(z)${')'.repeat(26)} > 0`,
    ],
  ])('%s', (_, expression) => {
    expect(run(expression)).toEqual(spent);
  });

  test('a pattern that JavaScript would try for years', () => {
    expect(run(`"${'a'.repeat(60)}!".matches("^(a+)+$")`)).toBe(false);
  });

  test('an expression that nests too deeply is refused', () => {
    expect(run(`${'('.repeat(5000)}1${')'.repeat(5000)}`)).toEqual({ refused: expect.any(String) });
  });
});

test('a converted value is taken as it is, and keeps doubles that are whole', () => {
  const compiled = compileCel('[1.0, 2.0]', []);
  const first = compiled.ok ? compiled.program.evaluate({}) : undefined;
  const value = first?.ok ? first.value : undefined;
  expect(celValue(value)).toBe(value);
  const next = compileCel('numbers[0] + 0.5', ['numbers']);
  expect(next.ok && next.program.evaluate({ numbers: value })).toMatchObject({ ok: true, value: 1.5 });
});

test('a program tells what it reads', () => {
  const compiled = compileCel('self.a == oldSelf.a', ['self', 'oldSelf', 'other']);
  expect(compiled.ok && [...compiled.program.reads].sort()).toEqual(['oldSelf', 'self']);
});

test('the cache compiles each text once for each set of variables', () => {
  const cache = new CelCache();
  expect(cache.compile('1 == 1', [])).toBe(cache.compile('1 == 1', []));
  expect(cache.compile('a == 1', [])).not.toBe(cache.compile('a == 1', ['a']));
  expect(cache.compile('a == 1', []).ok).toBe(false);
  expect(cache.compile('a == 1', ['a']).ok).toBe(true);
});
