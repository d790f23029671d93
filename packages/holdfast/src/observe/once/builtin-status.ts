import { type Fields, isObject } from '@holdfast/base/json';
import { annotation } from '../../api/names.ts';

/** What Kubernetes' own disruption controller wrote about a PodDisruptionBudget: the built-in check reads nothing else. */
export interface BuiltinStatus {
  readonly generation: number;
  readonly observedGeneration: number;
  /** Where Holdfast shows units there (S3), what Kubernetes by itself would show: pods. */
  readonly disruptionsAllowed: number;
  /** The number of units that Holdfast shows in its place. The API server's check goes by it. */
  readonly projected?: number;
  readonly currentHealthy: number;
  readonly desiredHealthy: number;
  readonly expectedPods: number;
}

export function builtinStatusOf(object: Fields): BuiltinStatus {
  const { metadata, status } = object;
  const number = (fields: unknown, key: string): number => {
    const value = isObject(fields) ? fields[key] : undefined;
    return typeof value === 'number' ? value : 0;
  };
  const currentHealthy = number(status, 'currentHealthy');
  const desiredHealthy = number(status, 'desiredHealthy');
  const expectedPods = number(status, 'expectedPods');
  return {
    generation: number(metadata, 'generation'),
    observedGeneration: number(status, 'observedGeneration'),
    disruptionsAllowed: isProjected(metadata)
      ? inPods(expectedPods, currentHealthy - desiredHealthy)
      : number(status, 'disruptionsAllowed'),
    currentHealthy,
    desiredHealthy,
    expectedPods,
    ...(isProjected(metadata) ? { projected: number(status, 'disruptionsAllowed') } : {}),
  };
}

/** As the disruption controller computes it. Where it cannot tell how many pods there should be, it allows none. */
function inPods(expected: number, spare: number): number {
  return expected > 0 ? Math.max(0, spare) : 0;
}

function isProjected(metadata: unknown): boolean {
  const annotations = isObject(metadata) ? metadata['annotations'] : undefined;
  return isObject(annotations) && annotations[annotation.disruptionsAllowed] !== undefined;
}
