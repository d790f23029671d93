/** Which object controls which: references, and the claiming of objects by a selector. */

import { matches, parseSelector, type Selector } from '@holdfast/base/labels/label-selector';
import type { LabelSelector, OwnerReference } from 'kubernetes-types/meta/v1.js';
import type { KubeObject } from '../../objects.ts';

export function controllerOf(object: KubeObject): OwnerReference | undefined {
  return object.metadata.ownerReferences?.find((reference) => reference.controller === true);
}

export function ownerReference(owner: KubeObject): OwnerReference {
  return {
    apiVersion: owner.apiVersion,
    kind: owner.kind,
    name: owner.metadata.name,
    uid: owner.metadata.uid ?? '',
    controller: true,
    blockOwnerDeletion: true,
  };
}

const parsedSelectors = new WeakMap<object, Selector | 'none'>();

/** A selector that cannot be read selects nothing; so does an empty one, which workloads may not have. */
export function selects(selector: LabelSelector | undefined, labels: Readonly<Record<string, string>>): boolean {
  if (selector === undefined) return false;
  let known = parsedSelectors.get(selector);
  if (known === undefined) {
    const parsed = parseSelector(selector, 'selector');
    known = parsed.ok && parsed.value.length > 0 ? parsed.value : 'none';
    parsedSelectors.set(selector, known);
  }
  return known !== 'none' && matches(known, labels);
}

export interface Claims<T> {
  /** Controlled now, and still selected. */
  readonly owned: readonly T[];
  readonly adopt: readonly T[];
  readonly release: readonly T[];
}

/** Sorts candidates by what their owner has to do with them. An owner on its way out neither adopts nor releases. */
export function planClaims<T extends KubeObject>(
  owner: KubeObject,
  selected: (object: T) => boolean,
  candidates: Iterable<T>,
): Claims<T> {
  const owned: T[] = [];
  const adopt: T[] = [];
  const release: T[] = [];
  const leaving = owner.metadata.deletionTimestamp !== undefined;
  for (const candidate of candidates) {
    const controller = controllerOf(candidate);
    if (controller === undefined) {
      if (!leaving && candidate.metadata.deletionTimestamp === undefined && selected(candidate)) adopt.push(candidate);
    } else if (controller.uid === owner.metadata.uid) {
      if (selected(candidate)) owned.push(candidate);
      else if (!leaving) release.push(candidate);
    }
  }
  return { owned, adopt, release };
}
