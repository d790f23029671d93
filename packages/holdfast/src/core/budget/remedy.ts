import type { LimitField, Remedy } from '../../api/refusals/refusal-outlook.ts';
import { type Desired, desiredOf } from './desired.ts';
import type { Limit } from './rules.ts';
import type { Supply } from './supply.ts';

/** What a budget asks for, and `total` where it states itself how many units there should be. */
interface Needs {
  readonly limit: Limit;
  readonly total?: number;
  readonly desired: number;
}

/** Whether waiting can make `most - 1 >= desired` true while the budget and the scale of its workloads stay as they are. */
export function remedyOf(needs: Needs, supply: Supply): Remedy {
  if (!supply.known || needs.desired < supply.count) return { kind: 'wait' };
  const { count: most, stated, owner } = supply;
  const field = bindingField(needs, most);
  const units = unitsThatHelp(needs, most);
  if (units === undefined) return { kind: 'change', most, stated, field };
  if (supply.mayGrow) return { kind: 'wait' };
  const scale = owner === undefined ? {} : { scale: { owner: owner.name, to: units - owner.besides } };
  return { kind: 'change', most, stated, add: units - most, ...scale, field };
}

/**
 * The smallest number of units with which one may break. A percentage below 100 leaves one of 100 units, so no more than that
 * many are tried. Where no number is enough (maxUnavailable 0, minAvailable 100 %), there is none.
 */
function unitsThatHelp({ limit, total, desired }: Needs, most: number): number | undefined {
  if (total !== undefined) return desired + 1;
  const { minAvailable } = limit;
  const first = Math.max(most, minAvailable?.kind === 'count' ? minAvailable.count : 0) + 1;
  for (let units = first; units <= first + 100; units += 1) {
    const needed = desiredFor(limit, units);
    if (needed.known && units - 1 >= needed.count) return units;
  }
  return undefined;
}

function desiredFor(limit: Limit, count: number): Desired {
  return desiredOf(limit, { known: true, count, source: 'scale' });
}

/** With both, the one that asks for more. */
function bindingField({ limit, total, desired }: Needs, most: number): LimitField {
  const { minAvailable, maxUnavailable } = limit;
  if (maxUnavailable === undefined) return 'minAvailable';
  if (minAvailable === undefined) return 'maxUnavailable';
  const byMin = desiredFor({ minAvailable }, total ?? most);
  return byMin.known && byMin.count >= desired ? 'minAvailable' : 'maxUnavailable';
}
