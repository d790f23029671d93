/** Finds pods for a selector, and budgets for a pod, without going through all of a namespace. */

import { matches, type Selector } from '@holdfast/base/labels/label-selector';
import type { KubeObject } from '../../objects.ts';
import type { ViewEvent } from '../../view.ts';
import type { PodObject } from '../common/workloads.ts';
import { type BudgetObject, budgetSelectorOf } from './budget.ts';

type Bucket<T> = Map<string, T>;

/** Objects under any number of words; each object has a name of its own. */
class Buckets<T extends KubeObject> {
  readonly #buckets = new Map<string, Bucket<T>>();

  put(words: readonly string[], object: T): void {
    for (const word of words) {
      const bucket = this.#buckets.get(word);
      if (bucket) bucket.set(object.metadata.name, object);
      else this.#buckets.set(word, new Map([[object.metadata.name, object]]));
    }
  }

  take(words: readonly string[], object: T): void {
    for (const word of words) {
      const bucket = this.#buckets.get(word);
      if (bucket?.delete(object.metadata.name) && bucket.size === 0) this.#buckets.delete(word);
    }
  }

  under(word: string): readonly T[] {
    return [...(this.#buckets.get(word)?.values() ?? [])];
  }
}

function labelWord(namespace: string, key: string, value: string): string {
  return JSON.stringify([namespace, key, value]);
}

/** For pods and selectors that no single label decides. */
function anyWord(namespace: string): string {
  return JSON.stringify([namespace]);
}

/** One label that everything selected has; else the namespace as a whole. */
function decidingWord(namespace: string, selector: Selector): string {
  for (const requirement of selector) {
    if (requirement.op !== 'In' || requirement.values.length !== 1) continue;
    return labelWord(namespace, requirement.key, requirement.values[0] as string);
  }
  return anyWord(namespace);
}

export class PodIndex {
  readonly #pods = new Buckets<PodObject>();

  update({ type, object, previous }: ViewEvent): void {
    if (previous !== undefined) this.#pods.take(podWords(previous), previous as PodObject);
    if (type !== 'DELETED') this.#pods.put(podWords(object), object as PodObject);
  }

  select(namespace: string, selector: Selector): readonly PodObject[] {
    const candidates = this.#pods.under(decidingWord(namespace, selector));
    return candidates.filter(({ metadata }) => matches(selector, metadata.labels ?? {}));
  }
}

function podWords({ metadata }: KubeObject): readonly string[] {
  const { namespace = '', labels = {} } = metadata;
  return [anyWord(namespace), ...Object.entries(labels).map(([key, value]) => labelWord(namespace, key, value))];
}

export class BudgetIndex {
  readonly #budgets = new Buckets<BudgetObject>();

  update({ type, object, previous }: ViewEvent): void {
    if (previous !== undefined) this.#budgets.take(budgetWords(previous), previous as BudgetObject);
    if (type !== 'DELETED') this.#budgets.put(budgetWords(object), object as BudgetObject);
  }

  /** In the order of their names. A selector that cannot be read selects nothing. */
  over(pod: PodObject): readonly BudgetObject[] {
    const { labels = {} } = pod.metadata;
    return podWords(pod)
      .flatMap((word) => this.#budgets.under(word))
      .filter((budget) => {
        const reading = budgetSelectorOf(budget);
        return reading.kind === 'selector' && matches(reading.selector, labels);
      })
      .sort((left, right) => (left.metadata.name < right.metadata.name ? -1 : 1));
  }
}

function budgetWords(budget: KubeObject): readonly string[] {
  const reading = budgetSelectorOf(budget as BudgetObject);
  return reading.kind === 'selector' ? [decidingWord(budget.metadata.namespace ?? '', reading.selector)] : [];
}
