import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FieldTree } from '../../src/patch/fields/field-set.ts';
import { internFields } from '../../src/patch/fields/intern-fields.ts';

const element = fc.constantFrom('.', 'f:a', 'f:b', 'k:{"name":"x"}', 'f:1 f:b 2', 'f:');
const leaf: fc.Arbitrary<FieldTree> = fc.constant({});
const twig = fc.dictionary(element, leaf, { maxKeys: 3 });
const branch = fc.dictionary(element, twig, { maxKeys: 3 });
const tree = fc.dictionary(element, branch, { maxKeys: 3 });

describe('sets of fields that are kept once', () => {
  it('say what they said', () => {
    fc.assert(
      fc.property(tree, (fields) => {
        expect(internFields(fields)).toEqual(fields);
      }),
    );
  });

  it('are one where they are equal, and two where they are not', () => {
    fc.assert(
      fc.property(tree, tree, (left, right) => {
        const equal = JSON.stringify(left) === JSON.stringify(right);
        expect(internFields(left) === internFields(structuredClone(right))).toBe(equal);
      }),
    );
  });

  it('share the parts that are equal', () => {
    const pod = (ip: string) => internFields({ 'f:spec': { 'f:x': {} }, 'f:status': { [`k:{"ip":"${ip}"}`]: {} } });
    const [one, other] = [pod('10.0.0.1'), pod('10.0.0.2')];
    expect(one).not.toBe(other);
    expect(one['f:spec']).toBe(other['f:spec']);
  });

  it('are still one after many others came', () => {
    const known = internFields({ 'f:known': {} });
    for (let i = 0; i < 5_000; i += 1) internFields({ [`f:${i}`]: {} });
    expect(internFields(known)).toBe(known);
    expect(internFields({ 'f:known': {} })).toEqual(known);
  });
});
