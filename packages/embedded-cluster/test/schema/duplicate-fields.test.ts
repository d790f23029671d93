import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Schema } from '../../src/kinds/schema.ts';
import { applySchemaDefaults } from '../../src/schema/defaults.ts';
import { duplicateFieldTexts, maxJsonDepth, scanJson } from '../../src/schema/duplicate-fields.ts';
import { prune } from '../../src/schema/prune.ts';
import { validateSchema } from '../../src/schema/validate.ts';

test.each([
  ['{"a":1,"b":{"a":1}}', []],
  ['{"spec":{"replicas":1,"replicas":2,"replicas":3}}', ['spec.replicas']],
  ['{"a":[{"b":1,"b":2},{"b":1}], "a":{}}', ['a[0].b', 'a']],
  ['{"\\u0061":1,"a":2}', ['a']],
  ['{"__proto__":1,"__proto__":2}', ['__proto__']],
  ['"text"', []],
])('duplicates in %s', (text, duplicates) => {
  expect(scanJson(text)).toEqual({ ok: true, duplicates });
});

test('the words of field validation', () => {
  expect(duplicateFieldTexts(['spec.replicas'])).toEqual(['duplicate field "spec.replicas"']);
});

describe('malformed text', () => {
  test.each([
    ['', 'unexpected end of JSON input', 0],
    ['{"a":1', 'unexpected end of JSON input', 6],
    ['{"a":tru}', "invalid character 't' looking for beginning of value", 5],
    ['{a:1}', "invalid character 'a' looking for beginning of object key string", 1],
    ['{"a":1,}', "invalid character '}' looking for beginning of object key string", 7],
    ['[1 2]', "invalid character '2' after array element", 3],
    ['{"a" 1}', "invalid character '1' after object key", 5],
    ['{"a":1 "b":2}', "invalid character '\"' after object key:value pair", 7],
    ['{} x', "invalid character 'x' after top-level value", 3],
    ['"\\x"', "invalid character '\\\\' in string literal", 1],
    ['01', "invalid character '1' after top-level value", 1],
  ])('%j', (text, message, offset) => {
    expect(scanJson(text)).toEqual({ ok: false, message, offset });
  });

  test('agrees with JSON.parse about what JSON is', () => {
    const almost = fc.string({
      unit: fc.constantFrom(
        '{',
        '}',
        '[',
        ']',
        '"',
        ':',
        ',',
        'a',
        '1',
        '-',
        '.',
        'e',
        ' ',
        '\\',
        '\n',
        'null',
        'true',
      ),
      maxLength: 10,
    });
    fc.assert(
      fc.property(fc.oneof(almost, fc.json()), (text) => {
        let valid = true;
        try {
          JSON.parse(text);
        } catch {
          valid = false;
        }
        expect(scanJson(text).ok).toBe(valid);
      }),
    );
  });
});

describe('nesting', () => {
  const nested = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;

  test('deeper than the limit is refused, however deep', () => {
    expect(scanJson(nested(maxJsonDepth))).toEqual({ ok: true, duplicates: [] });
    expect(scanJson(nested(maxJsonDepth + 1))).toMatchObject({ ok: false, message: 'exceeded max depth' });
    expect(scanJson('['.repeat(1_000_000))).toMatchObject({ ok: false, message: 'exceeded max depth' });
  });

  test('up to the limit everything that walks JSON can cope', () => {
    const schema: { type: string; properties: Record<string, unknown> } = { type: 'object', properties: {} };
    schema.properties['a'] = schema;
    const value = JSON.parse(nested(maxJsonDepth - 1).replace('1', '{"b":1}'));
    applySchemaDefaults(value, schema as Schema);
    expect(validateSchema(value, schema as Schema)).toEqual([]);
    expect(prune(value, schema as Schema)).toHaveLength(1);
  });
});
