/** The rules of the resize subresource: nothing but CPU and memory of containers moves. */

import { type FieldError, forbidden, invalid } from '@holdfast/base/field-errors';
import { sameJson } from '@holdfast/base/json';
import type { JsonObject } from '../../../objects.ts';
import { objectAt, objectsAt, textAt } from '../checks/read.ts';
import { podQosClass } from './pod-qos.ts';

const immutableRest = 'only cpu and memory resources are mutable';

/**
 * The old spec with the resources that the new one wants. Containers that came, went or moved stay in, so that
 * validation can refuse them.
 */
export function withResizedOnly(now: JsonObject, before: JsonObject): JsonObject {
  const keys = ['containers', 'initContainers'] as const;
  if (keys.some((key) => orderErrors(key, now, before).length > 0)) return now;
  const resized: JsonObject = { ...before };
  for (const key of keys) {
    const wanted = objectsAt(now, key);
    if (wanted.length === 0) continue;
    resized[key] = objectsAt(before, key).map((container, index) => resizedContainer(container, wanted[index] ?? {}));
  }
  return resized;
}

function resizedContainer(container: JsonObject, wanted: JsonObject): JsonObject {
  const resized: JsonObject = { ...container };
  for (const key of ['resources', 'resizePolicy']) {
    if (wanted[key] === undefined) delete resized[key];
    else resized[key] = wanted[key];
  }
  return resized;
}

export function podResizeErrors(now: JsonObject, before: JsonObject): readonly FieldError[] {
  const errors: FieldError[] = [];
  const qosClass = podQosClass(before);
  if (qosClass !== podQosClass(now)) {
    errors.push(invalid('spec', qosClass, 'Pod QOS Class may not change as a result of resizing'));
  }
  const order = [...orderErrors('containers', now, before), ...orderErrors('initContainers', now, before)];
  errors.push(...order);
  if (order.length > 0) return errors;
  errors.push(...removalErrors('initContainers', now, before), ...removalErrors('containers', now, before));
  const kept: JsonObject = { ...now };
  for (const key of ['containers', 'initContainers']) {
    const old = objectsAt(before, key);
    if (old.length === 0) continue;
    const undone = objectsAt(now, key).map((container, index) => withOldAmounts(container, old[index] ?? {}));
    kept[key] = undone;
    errors.push(...restErrors(key, undone, old));
  }
  if (errors.length > 0 || sameJson(kept, before)) return errors;
  return [forbidden('spec', immutableRest)];
}

function orderErrors(key: string, now: JsonObject, before: JsonObject): readonly FieldError[] {
  const containers = objectsAt(now, key);
  const old = objectsAt(before, key);
  if (containers.length !== old.length) {
    return [forbidden(`spec.${key}`, `${key} may not be added or removed on resize`)];
  }
  return old.flatMap((container, index) =>
    textAt(container, 'name') === textAt(containers[index], 'name')
      ? []
      : [forbidden(`spec.${key}[${index}].name`, `${key} may not be renamed or reordered on resize`)],
  );
}

function removalErrors(key: string, now: JsonObject, before: JsonObject): readonly FieldError[] {
  const containers = objectsAt(now, key);
  return objectsAt(before, key).flatMap((old, index) =>
    ['requests', 'limits'].flatMap((list) => {
      const left = objectAt(objectAt(containers[index], 'resources'), list) ?? {};
      const had = objectAt(objectAt(old, 'resources'), list) ?? {};
      if (Object.keys(had).every((name) => Object.hasOwn(left, name))) return [];
      return [forbidden(`spec.${key}[${index}].resources.${list}`, `resource ${list} cannot be removed`)];
    }),
  );
}

function restErrors(key: string, now: readonly JsonObject[], before: readonly JsonObject[]): readonly FieldError[] {
  return now.flatMap((container, index) => {
    if (sameJson(container, before[index])) return [];
    if (key === 'containers') return [forbidden('spec', immutableRest)];
    const detail = 'only cpu and memory resources for init or sidecar containers are mutable';
    return [forbidden(`spec.${key}[${index}]`, detail)];
  });
}

/** The container with its CPU and memory as they were. */
function withOldAmounts(container: JsonObject, old: JsonObject): JsonObject {
  const resources = objectAt(container, 'resources') ?? {};
  const before = objectAt(old, 'resources') ?? {};
  const undone: JsonObject = { ...resources };
  for (const list of ['requests', 'limits']) {
    const amounts = amountsUndone(objectAt(resources, list), objectAt(before, list));
    if (amounts === undefined) delete undone[list];
    else undone[list] = amounts;
  }
  return { ...container, resources: undone };
}

function amountsUndone(now: JsonObject | undefined, before: JsonObject | undefined): JsonObject | undefined {
  if (now === undefined && before === undefined) return undefined;
  const amounts: JsonObject = { ...now };
  for (const name of ['cpu', 'memory']) {
    if (before !== undefined && Object.hasOwn(before, name)) amounts[name] = before[name];
    else delete amounts[name];
  }
  return before === undefined && Object.keys(amounts).length === 0 ? undefined : amounts;
}
