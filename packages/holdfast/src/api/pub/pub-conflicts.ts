import { type FieldError, invalid } from '@holdfast/base/field-errors';
import { type Fields, isObject } from '@holdfast/base/json';
import { overlap } from '@holdfast/base/labels/selector-overlap';
import { type PubTarget, parseTarget } from './pub-target.ts';

/**
 * The other budgets of the same namespace that want the same pods. One that is being deleted still counts: it protects
 * until it is gone. One that cannot be read is nothing to compare with, and no fault of the object at hand.
 */
export function conflictErrors(pub: unknown, spec: Fields, others: unknown): readonly FieldError[] {
  const target = parseTarget(spec);
  if (!target.ok || !Array.isArray(others)) return [];
  return others.filter((other) => isNeighbour(pub, other)).flatMap((other) => conflict(spec, target.value, other));
}

function isNeighbour(pub: unknown, other: unknown): boolean {
  const ours = identity(pub);
  const theirs = identity(other);
  return ours.namespace === theirs.namespace && (ours.name === undefined || ours.name !== theirs.name);
}

function identity(object: unknown): { readonly name: unknown; readonly namespace: unknown } {
  const metadata = isObject(object) && isObject(object['metadata']) ? object['metadata'] : {};
  return { name: metadata['name'], namespace: metadata['namespace'] };
}

function conflict(spec: Fields, target: PubTarget, other: unknown): readonly FieldError[] {
  if (!isObject(other) || !isObject(other['spec'])) return [];
  const theirs = parseTarget(other['spec']);
  if (!theirs.ok) return [];
  const { name } = identity(other);
  const suffix = `is in conflict with other PodUnavailableBudget ${typeof name === 'string' ? name : ''}`;
  if (sameWorkload(target, theirs.value)) {
    return [invalid('spec.targetReference', spec['targetRef'], `pub.spec.targetReference ${suffix}`)];
  }
  if (sameLabels(target, theirs.value)) {
    return [invalid('spec.selector', spec['selector'], `pub.spec.selector ${suffix}`)];
  }
  return [];
}

/** The version is not compared: apps/v1 and apps/v1beta1 serve the same Deployment. */
function sameWorkload(left: PubTarget, right: PubTarget): boolean {
  if (left.kind !== 'workload' || right.kind !== 'workload') return false;
  return left.group === right.group && left.workloadKind === right.workloadKind && left.name === right.name;
}

function sameLabels(left: PubTarget, right: PubTarget): boolean {
  return left.kind === 'selector' && right.kind === 'selector' && overlap(left.selector, right.selector);
}
