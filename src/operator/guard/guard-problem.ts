import type { Namespace } from '../../api/meta.ts';
import { label } from '../../api/names.ts';
import { guardedValue, guardLabel, isNeverGuarded } from './plan.ts';
import { outOfReach, type Registration } from './registration.ts';

/**
 * Why requests about the pods of a namespace do not reach us, as far as that can be seen from outside. Undefined: they do.
 * @param own the operator's own namespace
 */
export function guardProblem(namespace: Namespace, own: string, registration: Registration): string | undefined {
  const { name, labels = {} } = namespace.metadata;
  if (isNeverGuarded(name, own)) {
    return `nothing is guarded in kube-system and ${own}, so that they come up without us: use another namespace`;
  }
  return labelProblem(guardLabel(namespace)) ?? outOfReach(registration, labels);
}

function labelProblem(value: string | undefined): string | undefined {
  if (value === guardedValue) return undefined;
  if (value === undefined) {
    return `the namespace has no label ${label.guard}: the leader of the operator sets it, and logs why it cannot`;
  }
  if (value === 'disabled') {
    return `somebody turned protection off with the namespace's label ${label.guard}=disabled: remove it to turn it on`;
  }
  return `the namespace's label ${label.guard} is ${JSON.stringify(value)}, which means nothing: remove it, or set ${guardedValue} or disabled`;
}
