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
    return `Holdfast does not protect pods in kube-system and ${own}, so that they can start without it: use another namespace`;
  }
  return labelProblem(guardLabel(namespace)) ?? outOfReach(registration, labels);
}

function labelProblem(value: string | undefined): string | undefined {
  if (value === guardedValue) return undefined;
  if (value === undefined) {
    return `the namespace has no label ${label.guard} yet: the leader of the operator sets it; if this stays, read its log`;
  }
  if (value === 'disabled') {
    return `the namespace's label ${label.guard}=disabled turns protection off: remove the label to turn it on`;
  }
  return `the namespace's label ${label.guard} is ${JSON.stringify(value)}, which is not a known value: remove it, or set ${guardedValue} or disabled`;
}
