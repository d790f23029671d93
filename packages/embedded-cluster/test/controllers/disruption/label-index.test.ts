import fc from 'fast-check';
import type { LabelSelector } from 'kubernetes-types/meta/v1.js';
import { describe, expect, it } from 'vitest';
import { matches } from '../../../../base/src/labels/label-selector.ts';
import type { PodObject } from '../../../src/controllers/common/workloads.ts';
import { type BudgetObject, budgetSelectorOf } from '../../../src/controllers/disruption/budget.ts';
import { BudgetIndex, PodIndex } from '../../../src/controllers/disruption/label-index.ts';
import { aPod, budget } from './budgets.ts';

const word = fc.constantFrom('a', 'b', 'constructor');
const labels = fc.dictionary(word, word, { maxKeys: 3 });
const expression = fc.oneof(
  fc.record({ key: word, operator: fc.constantFrom('In', 'NotIn'), values: fc.uniqueArray(word, { minLength: 1 }) }),
  fc.record({ key: word, operator: fc.constantFrom('Exists', 'DoesNotExist') }),
);
const selector: fc.Arbitrary<LabelSelector> = fc.record({
  matchLabels: labels,
  matchExpressions: fc.array(expression, { maxLength: 2 }),
});
const namespace = fc.constantFrom('x', 'y');

function podWith(name: string, where: string, own: Record<string, string>): PodObject {
  const made = aPod(name);
  return { ...made, metadata: { ...made.metadata, namespace: where, labels: own } };
}

function budgetWith(name: string, where: string, selects: LabelSelector): BudgetObject {
  const made = budget({ minAvailable: 1, selector: selects });
  return { ...made, metadata: { ...made.metadata, name, namespace: where } };
}

function isOver(one: BudgetObject, pod: PodObject): boolean {
  const reading = budgetSelectorOf(one);
  return (
    one.metadata.namespace === pod.metadata.namespace &&
    reading.kind === 'selector' &&
    matches(reading.selector, pod.metadata.labels ?? {})
  );
}

describe('the index of pods and budgets', () => {
  it('finds what a look at everything would find, whatever came, changed and went', () => {
    const change = fc.record({ name: fc.nat(4), namespace, labels, selector, gone: fc.boolean() });
    fc.assert(
      fc.property(fc.array(change, { maxLength: 30 }), (changes) => {
        const pods = new PodIndex();
        const budgets = new BudgetIndex();
        const allPods = new Map<string, PodObject>();
        const allBudgets = new Map<string, BudgetObject>();
        for (const one of changes) {
          const key = `${one.namespace}/${one.name}`;
          step(pods, allPods, key, podWith(`p-${one.name}`, one.namespace, one.labels), one.gone);
          step(budgets, allBudgets, key, budgetWith(`b-${one.name}`, one.namespace, one.selector), one.gone);
        }
        for (const pod of allPods.values()) {
          const expected = [...allBudgets.values()].filter((one) => isOver(one, pod)).map(nameOf);
          expect(budgets.over(pod).map(nameOf)).toEqual(expected.toSorted());
        }
        for (const one of allBudgets.values()) {
          const reading = budgetSelectorOf(one);
          if (reading.kind !== 'selector') throw new Error('not a selector');
          const expected = [...allPods.values()].filter((pod) => isOver(one, pod)).map(nameOf);
          const found = pods.select(one.metadata.namespace ?? '', reading.selector).map(nameOf);
          expect(found.toSorted()).toEqual(expected.toSorted());
        }
      }),
    );
  });
});

function nameOf({ metadata }: PodObject | BudgetObject): string {
  return metadata.name;
}

function step<T extends PodObject | BudgetObject>(
  index: PodIndex | BudgetIndex,
  all: Map<string, T>,
  key: string,
  object: T,
  gone: boolean,
): void {
  const previous = all.get(key);
  if (!gone) {
    index.update({ type: previous ? 'MODIFIED' : 'ADDED', object, previous });
    all.set(key, object);
  } else if (previous) {
    index.update({ type: 'DELETED', object: previous, previous });
    all.delete(key);
  }
}
