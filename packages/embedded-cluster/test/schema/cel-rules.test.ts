import { describe, expect, test } from 'vitest';
import { formatFieldError } from '../../../base/src/field-errors.ts';
import type { Schema, ValidationRule } from '../../src/kinds/schema.ts';
import { celRuleErrors } from '../../src/schema/cel-rules.ts';

const spec: Schema = {
  type: 'object',
  properties: {
    name: { type: 'string' },
    replicas: { type: 'integer' },
    ratio: { type: 'number' },
    when: { type: 'string', format: 'date-time' },
    wait: { type: 'string', format: 'duration' },
    share: { 'x-kubernetes-int-or-string': true },
    namespace: { type: 'string' },
    'my-field': { type: 'string' },
    labels: { type: 'object', additionalProperties: { type: 'string' } },
  },
};

function problems(rule: ValidationRule | string, value: unknown, old?: unknown): string[] {
  const rules = [typeof rule === 'string' ? { rule } : rule];
  const schema: Schema = {
    type: 'object',
    properties: { spec: { ...spec, 'x-kubernetes-validations': rules } },
  };
  return celRuleErrors({ spec: value }, old === undefined ? undefined : { spec: old }, schema).map(formatFieldError);
}

describe('the schema decides the types', () => {
  test.each<[string, unknown]>([
    ['self.replicas + 1 == 3', { replicas: 2 }],
    ['self.ratio + 0.5 == 2.5', { ratio: 2 }],
    ['self.when < timestamp("2027-01-01T00:00:00Z")', { when: '2026-01-01T00:00:00Z' }],
    ['self.wait > duration("1m")', { wait: '1h' }],
    ['self.share == 3 || self.share == "30%"', { share: '30%' }],
    ['self.__namespace__ == "a" && self.my__dash__field == "b"', { namespace: 'a', 'my-field': 'b' }],
    ['self.labels["a.b/c-d"] == "x"', { labels: { 'a.b/c-d': 'x' } }],
    ['!has(self.name)', {}],
  ])('%s', (rule, value) => {
    expect(problems(rule, value)).toEqual([]);
  });
});

describe('texts', () => {
  test.each<[string, ValidationRule | string, unknown, string[]]>([
    [
      'a rule without message',
      'self.replicas < 5',
      { replicas: 7 },
      ['spec: Invalid value: failed rule: self.replicas < 5'],
    ],
    ['a message', { rule: 'false', message: ' no ' }, {}, ['spec: Invalid value: no']],
    [
      'a computed message',
      { rule: 'false', message: 'no', messageExpression: '"got " + string(self.replicas)' },
      { replicas: 3 },
      ['spec: Invalid value: got 3'],
    ],
    [
      'a computed message that fails',
      { rule: 'false', message: 'no', messageExpression: 'self.nothing' },
      {},
      ['spec: Invalid value: no'],
    ],
    ['another place', { rule: 'false', message: 'no', fieldPath: '.name' }, {}, ['spec.name: Invalid value: no']],
    ['forbidden', { rule: 'false', message: 'no', reason: 'FieldValueForbidden' }, {}, ['spec: Forbidden: no']],
    [
      'required',
      { rule: 'false', message: 'no', reason: 'FieldValueRequired', fieldPath: '.name' },
      {},
      ['spec.name: Required value: no'],
    ],
    ['duplicate', { rule: 'false', message: 'no', reason: 'FieldValueDuplicate' }, {}, ['spec: Duplicate value']],
    [
      'a missing key',
      'self.nothing > 1',
      {},
      ['spec: Invalid value: "object": no such key: nothing evaluating rule: self.nothing > 1'],
    ],
    [
      'a wrong type',
      'self.share > 1',
      { share: 'x' },
      [
        'spec: Invalid value: "object": \'no such overload\': call arguments did not match a supported operator, function or macro signature for rule: self.share > 1',
      ],
    ],
    [
      'a rule that does not compile',
      'foo',
      {},
      [
        expect.stringMatching(
          /^spec: Invalid value: "object": rule compile error: compilation failed: /,
        ) as unknown as string,
      ],
    ],
  ])('%s', (_, rule, value, expected) => {
    expect(problems(rule, value)).toEqual(expected);
  });

  test('rules on scalars show the value; rules at the root have no place', () => {
    const schema: Schema = {
      type: 'object',
      properties: { n: { type: 'integer', 'x-kubernetes-validations': [{ rule: 'self > 3' }] } },
      'x-kubernetes-validations': [{ rule: 'self.metadata.name.startsWith("a") && !has(self.metadata.labels)' }],
    };
    const object = { n: 2, metadata: { name: 'b', labels: {} } };
    expect(celRuleErrors(object, undefined, schema).map(formatFieldError)).toEqual([
      '<nil>: Invalid value: failed rule: self.metadata.name.startsWith("a") && !has(self.metadata.labels)',
      'n: Invalid value: 2: failed rule: self > 3',
    ]);
  });
});

describe('rules that look back', () => {
  const immutable = { rule: 'self.name == oldSelf.name', message: 'name is immutable' };

  test('hold on updates only', () => {
    expect(problems(immutable, { name: 'a' })).toEqual([]);
    expect(problems(immutable, { name: 'a' }, { name: 'a', replicas: 1 })).toEqual([]);
    expect(problems(immutable, { name: 'b' }, { name: 'a' })).toEqual(['spec: Invalid value: name is immutable']);
  });

  test('see an optional on creation too, when they ask for it', () => {
    const rule = { rule: 'oldSelf.hasValue() || self.replicas == 0', message: 'start at 0', optionalOldSelf: true };
    expect(problems(rule, { replicas: 1 })).toEqual(['spec: Invalid value: start at 0']);
    expect(problems(rule, { replicas: 1 }, { replicas: 0 })).toEqual([]);
  });

  test('follow items by key and fields by name, but not atomic maps', () => {
    const item: Schema = {
      type: 'object',
      properties: {
        k: { type: 'string' },
        v: { type: 'string', 'x-kubernetes-validations': [{ rule: 'self == oldSelf' }] },
      },
    };
    const list: Schema = {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['k'],
      items: item,
    };
    const before = {
      l: [
        { k: 'a', v: '1' },
        { k: 'b', v: '2' },
      ],
    };
    const after = {
      l: [
        { k: 'b', v: '3' },
        { k: 'c', v: '4' },
        { k: 'a', v: '1' },
      ],
    };
    const check = (schema: Schema) =>
      celRuleErrors(after, before, { type: 'object', properties: { l: schema } }).map(formatFieldError);
    expect(check(list)).toEqual(['l[0].v: Invalid value: "3": failed rule: self == oldSelf']);
    expect(check({ ...list, items: { ...item, 'x-kubernetes-map-type': 'atomic' } })).toEqual([]);
  });
});

test('what breaks a rule but has not changed stays allowed', () => {
  expect(problems('self.replicas < 5', { replicas: 7 }, { replicas: 7 })).toEqual([]);
  expect(problems('self.replicas < 5', { replicas: 7 }, { replicas: 6 })).toHaveLength(1);
});

test('a rule that costs too much ends all rules', () => {
  const schema: Schema = {
    type: 'object',
    properties: { l: { type: 'array', items: { type: 'integer' } } },
    'x-kubernetes-validations': [{ rule: 'self.l.all(a, self.l.all(b, self.l.all(c, true)))' }, { rule: 'false' }],
  };
  const errors = celRuleErrors({ l: new Array(500).fill(1) }, undefined, schema).map(formatFieldError);
  expect(errors).toEqual([
    '<nil>: Invalid value: "object": \'operation cancelled: actual cost limit exceeded\': no further validation rules will be run due to call cost exceeds limit for rule: self.l.all(a, self.l.all(b, self.l.all(c, true)))',
  ]);
});
