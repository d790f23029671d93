import { objectsAt, pairsAt, textAt, textsAt } from '../kinds/builtin/checks/read.ts';
import { formatQuantity, parseQuantity } from '../kinds/quantity.ts';
import type { JsonObject } from '../objects.ts';

export const none = '<none>';
export const unset = '<unset>';

export function orNone(text: string): string {
  return text === '' ? none : text;
}

/** `a=b,c=d`, sorted. */
export function formatLabels(parent: JsonObject | undefined, key: string): string {
  const pairs = pairsAt(parent, key).map(([name, value]) => `${name}=${value}`);
  return orNone(pairs.sort().join(','));
}

/** Undefined when the selector has an unknown operator. */
export function labelSelectorText(selector: JsonObject | undefined): string | undefined {
  const requirements = pairsAt(selector, 'matchLabels').map(([key, value]) => ({ key, text: `${key}=${value}` }));
  for (const expression of objectsAt(selector, 'matchExpressions')) {
    const text = requirementText(expression);
    if (text === undefined) return undefined;
    requirements.push({ key: textAt(expression, 'key'), text });
  }
  const sorted = requirements.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  return sorted.map(({ text }) => text).join(',');
}

export function formatSelector(selector: JsonObject | undefined): string {
  const text = labelSelectorText(selector);
  return text === undefined ? '<error>' : orNone(text);
}

function requirementText(expression: JsonObject): string | undefined {
  const key = textAt(expression, 'key');
  const values = [...textsAt(expression, 'values')].sort().join(',');
  switch (textAt(expression, 'operator')) {
    case 'In':
      return `${key} in (${values})`;
    case 'NotIn':
      return `${key} notin (${values})`;
    case 'Exists':
      return key;
    case 'DoesNotExist':
      return `!${key}`;
    default:
      return undefined;
  }
}

/** The first few, and how many there are beyond. */
export function someOf(list: readonly string[], shown: number): string {
  const text = list.slice(0, shown).join(',');
  return list.length > shown ? `${text} + ${list.length - shown} more...` : text;
}

/** Names and images of the containers of a pod spec. */
export function containerCells(podSpec: JsonObject | undefined): readonly [names: string, images: string] {
  const containers = objectsAt(podSpec, 'containers');
  return [
    containers.map((container) => textAt(container, 'name')).join(','),
    containers.map((container) => textAt(container, 'image')).join(','),
  ];
}

/** As the API writes it; what is not there is nothing. */
export function quantityText(value: unknown): string {
  const quantity = parseQuantity(value);
  return quantity ? formatQuantity(quantity) : '0';
}

/** Without the empty ones and without repetition, sorted. */
export function distinct(texts: readonly string[]): string[] {
  return [...new Set(texts.filter((text) => text !== ''))].sort();
}

export function conditionStatus(status: JsonObject | undefined, type: string): string | undefined {
  const condition = objectsAt(status, 'conditions').find((of) => of['type'] === type);
  return condition ? textAt(condition, 'status') : undefined;
}
