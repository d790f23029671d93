/** Amounts of resources as numbers: CPU in thousandths, everything else in whole units. */

import { milliUnits, parseQuantity, wholeUnits } from '../../kinds/quantity.ts';

export type ResourceAmounts = ReadonlyMap<string, number>;

export const noAmounts: ResourceAmounts = new Map();

/** Clusters use few different texts; beyond this many, the known ones are forgotten. */
const maxKnown = 10_000;
const known = new Map<string, number>();

/** What cannot be read is nothing: validation has refused it long before. */
function amountOf(resource: string, quantity: unknown): number {
  const id = `${resource === 'cpu' ? 'm' : 'u'}${String(quantity)}`;
  const before = known.get(id);
  if (before !== undefined) return before;
  const parsed = parseQuantity(quantity);
  const amount = parsed === undefined ? 0 : Number(resource === 'cpu' ? milliUnits(parsed) : wholeUnits(parsed));
  if (known.size >= maxKnown) known.clear();
  known.set(id, amount);
  return amount;
}

export function readAmounts(list: Readonly<Record<string, unknown>> | undefined): ResourceAmounts {
  if (list === undefined) return noAmounts;
  return new Map(Object.entries(list).map(([resource, quantity]) => [resource, amountOf(resource, quantity)]));
}

export function addAmounts(sum: Map<string, number>, more: ResourceAmounts, sign: 1 | -1 = 1): void {
  for (const [resource, amount] of more) sum.set(resource, (sum.get(resource) ?? 0) + sign * amount);
}

export function raiseAmounts(highest: Map<string, number>, others: ResourceAmounts): void {
  for (const [resource, amount] of others) {
    if (amount > (highest.get(resource) ?? 0)) highest.set(resource, amount);
  }
}
