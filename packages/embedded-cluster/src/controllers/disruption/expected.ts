import { scaled } from '../common/amounts.ts';
import { controllerOf } from '../common/owners.ts';
import type { PodObject } from '../common/workloads.ts';
import type { BudgetObject } from './budget.ts';
import type { FindScale } from './scales.ts';

export type Expectation =
  | { readonly kind: 'numbers'; readonly expected: number; readonly desired: number; readonly unmanaged: boolean }
  | { readonly kind: 'error'; readonly message: string };

/**
 * How many pods there should be, and how many of them healthy. A plain minimum is compared with the pods there are;
 * everything else with what their controllers are asked to run, even when not all of it exists.
 */
export function expectedPods({ spec }: BudgetObject, pods: readonly PodObject[], findScale: FindScale): Expectation {
  const { minAvailable, maxUnavailable } = spec ?? {};
  if (isSet(maxUnavailable)) {
    const sum = sumOfScales(pods, findScale);
    if (sum.kind === 'error') return sum;
    return { ...sum, desired: Math.max(0, sum.expected - scaled(maxUnavailable, sum.expected, 'up')) };
  }
  if (typeof minAvailable === 'string') {
    const sum = sumOfScales(pods, findScale);
    return sum.kind === 'error' ? sum : { ...sum, desired: scaled(minAvailable, sum.expected, 'up') };
  }
  if (isSet(minAvailable)) return { kind: 'numbers', expected: pods.length, desired: minAvailable, unmanaged: false };
  return { kind: 'numbers', expected: 0, desired: 0, unmanaged: false };
}

function isSet<T>(value: T | null | undefined): value is T {
  return value !== undefined && value !== null;
}

/** Each controller counts once. Pods without a controller cannot be counted and are left out. */
function sumOfScales(pods: readonly PodObject[], findScale: FindScale): Expectation {
  const scales = new Map<string, number>();
  const seen = new Set<string>();
  let unmanaged = false;
  for (const pod of pods) {
    const controller = controllerOf(pod);
    if (controller === undefined) {
      unmanaged = true;
      continue;
    }
    const identity = JSON.stringify([controller.apiVersion, controller.kind, controller.name, controller.uid]);
    if (seen.has(identity) || scales.has(controller.uid)) continue;
    seen.add(identity);
    const found = findScale(controller, pod.metadata.namespace ?? '');
    if (found.kind === 'error') return found;
    if (found.kind === 'none') return { kind: 'error', message: `found no controllers for pod "${pod.metadata.name}"` };
    scales.set(found.uid, found.replicas);
  }
  const expected = [...scales.values()].reduce((sum, replicas) => sum + replicas, 0);
  return { kind: 'numbers', expected, desired: 0, unmanaged };
}
