import { describe, expect, it } from 'vitest';
import { compileCel } from '../../src/cel/cel.ts';
import { type Cardinality, costProblem, within } from '../../src/crd/validation/rule-cost.ts';
import type { Schema } from '../../src/kinds/schema.ts';

function problem(rule: string, schema: Schema, times: Cardinality = 1): string | undefined {
  const compiled = compileCel(rule, ['self', 'oldSelf']);
  if (!compiled.ok) throw new Error(compiled.message);
  return costProblem(compiled.program.loops, schema, times);
}

const text: Schema = { type: 'string' };
const texts: Schema = { type: 'array', items: text };
const few = (schema: Schema): Schema => ({ ...schema, maxItems: 10 });
const lists: Schema = { type: 'array', items: texts };
const object = (properties: Record<string, Schema>): Schema => ({ type: 'object', properties });
const nested = object({ list: { type: 'array', items: object({ names: texts }) } });
const map: Schema = { type: 'object', additionalProperties: texts };

describe('a rule is too expensive', () => {
  it.each<[what: string, rule: string, schema: Schema, times?: Cardinality]>([
    ['with a loop within a loop', 'self.all(x, self.exists(y, x != y))', texts],
    ['with a loop over lists of lists', 'self.all(x, x.all(y, y != ""))', lists],
    ['with a loop over what each element has', 'self.list.all(x, x.names.exists(n, n != ""))', nested],
    ['with a loop over each list of a map', 'self.all(key, self[key].all(x, x != ""))', map],
    ['with a loop, asked for each element of a list', 'self.all(x, x != "")', texts, 'unbounded'],
    ['with a loop beside a call', 'size(self.filter(x, self.exists(y, y == x))) > 0', texts],
  ])('%s', (_what, rule, schema, times) => {
    expect(problem(rule, schema, times)).toBe(
      'estimated rule cost exceeds budget by factor of more than 100x (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)',
    );
  });

  it('by a little, and says by how much', () => {
    const schema = { ...texts, maxItems: 5_000 };
    expect(problem('self.all(x, self.exists(y, x != y))', schema)).toContain('by factor of 2.5x');
    expect(problem('self.all(x, self.exists(y, x != y))', { ...texts, maxItems: 3_200 })).toMatch(
      /factor of 1\.0\d{5}x/,
    );
  });
});

describe('a rule is cheap enough', () => {
  it.each<[what: string, rule: string, schema: Schema, times?: Cardinality]>([
    ['with one loop', 'self.all(x, x != "")', texts],
    ['with loops beside each other', 'self.all(x, x != "") && self.exists(x, x == "a")', texts],
    ['with loops over short lists', 'self.all(x, self.exists(y, x != y))', few(texts)],
    ['without loops, asked for each element', 'self.startsWith("a")', text, 'unbounded'],
    ['with a loop over a short list, asked often', 'self.all(x, x != "")', few(texts), 1_000],
    ['with loops over what is not known', 'oldSelf.all(x, oldSelf.all(y, x == y))', texts],
    ['with loops over what it makes itself', 'self.split(",").all(x, [1, 2].all(y, true))', text],
  ])('%s', (_what, rule, schema, times) => expect(problem(rule, schema, times)).toBeUndefined());
});

describe('how often a rule may be asked', () => {
  it('is the product of the limits around it, if all are set', () => {
    expect(within(within(1, 10), 5)).toBe(50);
    expect(within(within(1, undefined), 5)).toBe('unbounded');
  });
});
