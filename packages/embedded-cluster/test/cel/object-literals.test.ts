import { describe, expect, it } from 'vitest';
import { compileMutation } from '../../src/cel/cel.ts';
import { jsonOf } from '../../src/cel/json-of.ts';

function made(expression: string, bindings: Record<string, unknown> = {}): unknown {
  const compiled = compileMutation(expression, ['object', 'params']);
  if (!compiled.ok) throw new Error(compiled.message);
  const result = compiled.program.evaluate({ object: null, params: null, ...bindings });
  if (!result.ok) throw new Error(result.message);
  return jsonOf(result.value);
}

function refusal(expression: string): string {
  const compiled = compileMutation(expression, ['object', 'params']);
  return compiled.ok ? 'it was accepted' : compiled.message;
}

describe('an object that an expression makes up', () => {
  const cases: [what: string, expression: string, want: unknown][] = [
    ['is empty', 'Object{}', {}],
    ['has fields', 'Object{spec: Object.spec{replicas: 3}}', { spec: { replicas: 3 } }],
    [
      'may stand apart from its brace',
      'Object {\n  spec : Object . spec { replicas : 3 },\n}',
      { spec: { replicas: 3 } },
    ],
    [
      'has maps beside objects',
      'Object{metadata: Object.metadata{labels: {"a": "b"}}}',
      { metadata: { labels: { a: 'b' } } },
    ],
    [
      'has objects in lists',
      'Object{spec: Object.spec{containers: [Object.spec.containers{name: "a"}]}}',
      { spec: { containers: [{ name: 'a' }] } },
    ],
    ['is chosen', 'true ? Object{spec: Object.spec{a: 1}} : Object{}', { spec: { a: 1 } }],
    [
      'comes of a loop',
      'Object{spec: Object.spec{containers: ["a", "b"].map(n, Object.spec.containers{name: n})}}',
      { spec: { containers: [{ name: 'a' }, { name: 'b' }] } },
    ],
    ['is not looked for in texts', '"Object{spec: 1}" + \'x{y: 2}\'', 'Object{spec: 1}x{y: 2}'],
    ['is not looked for in comments', 'Object{ // Object{a: "\n}', {}],
    ['is not what follows "in"', '"a" in {"a": 1}', true],
    ['may have what maps have', 'Object{a: {"b": object == null ? 1 : 2}}', { a: { b: 1 } }],
    [
      'is an operation of a patch',
      '[JSONPatch{op: "add", path: "/metadata/labels/" + jsonpatch.escapeKey("a/b~c"), value: Object.spec{x: 1}}]',
      [{ op: 'add', path: '/metadata/labels/a~1b~0c', value: { x: 1 } }],
    ],
  ];
  it.each(cases)('%s', (_what, expression, want) => expect(made(expression)).toEqual(want));

  it('is of the type of the field that it is for', () => {
    expect(refusal('Object{spec: Object.wrong{}}')).toBe(
      'compilation failed: ERROR: <input>:1:14: unexpected type name "Object.wrong", expected "Object.spec"\n' +
        ' | Object{spec: Object.wrong{}}\n | .............^',
    );
    expect(refusal('Pod{}')).toContain("undeclared reference to 'Pod' (in container '')");
  });

  it('keeps its place in what is said about it', () => {
    expect(refusal('Object{a: 1, b: absent}')).toBe(
      "compilation failed: ERROR: <input>:1:17: undeclared reference to 'absent' (in container '')\n" +
        ' | Object{a: 1, b: absent}\n | ................^',
    );
  });

  it('is only made by mutating policies', () => {
    expect(refusal('object.a.b{}')).toContain('undeclared reference');
  });
});

describe('a result as JSON', () => {
  it('has keys that are texts, and values that JSON knows', () => {
    expect(() => jsonOf(new Map([[1n, 2n]]))).toThrow('1 is no name of a field');
    expect(() => made('optional.of(1)')).toThrow('cannot be part of an object');
    expect(Object.entries(jsonOf(new Map([['__proto__', 1n]])) as object)).toEqual([['__proto__', 1]]);
  });
});
