import { describe, expect, it } from 'vitest';
import { duplicateKeys, duplicateKeysOfApplied, strictProblem } from '../../src/schema/duplicate-keys.ts';

const yaml = ['', 'metadata:', '  name: a', '  name: b', 'spec:', '- {port: 1, port: 2}', 'metadata: {}'].join('\n');
const lines = [
  'line 4: key "name" already set in map',
  'line 6: key "port" already set in map',
  'line 7: key "metadata" already set in map',
];

describe('what stands twice', () => {
  it.each([
    ['the field in JSON', '{"a":{"b":1,"b":2}}', 'json', ['duplicate field "a.b"']],
    ['the line in YAML, in the order of the text', yaml, 'yaml', lines],
    ['nothing where every map has its own', 'a: {c: 1}\nb: {c: 1}', 'yaml', []],
    ['nothing where text cannot be read', 'a: "b', 'yaml', []],
    ['nothing where text is too deep', `a: ${'['.repeat(100_000)}`, 'yaml', []],
    ['nothing where YAML is too long', `a: 1\na: 2\n${'#'.repeat(256 * 1024)}`, 'yaml', []],
  ] as const)('names %s', (_what, text, format, texts) => {
    expect(duplicateKeys(text)).toEqual({ format, texts });
  });

  it('is named by its line in an applied configuration, even in JSON', () => {
    expect(duplicateKeysOfApplied('{"a":1}').texts).toEqual([]);
    expect(duplicateKeysOfApplied('{"a":1,\n"a":2}').texts).toEqual(['line 2: key "a" already set in map']);
    expect(duplicateKeysOfApplied(yaml).texts).toEqual(lines);
  });
});

describe('the words of a strict reader', () => {
  const unknown = ['unknown field "x"'];
  it.each([
    ['JSON', { format: 'json', texts: ['duplicate field "a"'] }, unknown, 'unknown field "x", duplicate field "a"'],
    [
      'YAML',
      { format: 'yaml', texts: ['line 1', 'line 2'] },
      unknown,
      `yaml: unmarshal errors:\n  line 1\n  line 2, ${unknown}`,
    ],
    ['YAML where nothing stands twice', { format: 'yaml', texts: [] }, unknown, 'unknown field "x"'],
    ['a body without faults', { format: 'yaml', texts: [] }, [], ''],
  ] as const)('for %s', (_what, duplicates, fields, problem) => {
    expect(strictProblem(duplicates, fields)).toBe(problem);
  });
});
