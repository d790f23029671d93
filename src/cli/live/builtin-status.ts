import { type Fields, isObject } from '../../api/json.ts';

/** What Kubernetes' own disruption controller wrote about a PodDisruptionBudget: the built-in check reads nothing else. */
export interface BuiltinStatus {
  readonly generation: number;
  readonly observedGeneration: number;
  readonly disruptionsAllowed: number;
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
  return {
    generation: number(metadata, 'generation'),
    observedGeneration: number(status, 'observedGeneration'),
    disruptionsAllowed: number(status, 'disruptionsAllowed'),
    currentHealthy: number(status, 'currentHealthy'),
    desiredHealthy: number(status, 'desiredHealthy'),
    expectedPods: number(status, 'expectedPods'),
  };
}
