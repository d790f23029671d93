/** Whom a claim belongs to under the set's retention policy; garbage collection deletes it together with that owner. */

import type { OwnerReference } from 'kubernetes-types/meta/v1.js';
import { ownerReference } from '../common/owners.ts';
import type { ClaimObject, PodObject, StatefulSetObject } from '../common/workloads.ts';
import { isInRange } from './ordinals.ts';

interface Party {
  readonly object: StatefulSetObject | PodObject;
  readonly owns: boolean;
}

/** The set and the pod, and which of them should own the claim. */
function parties(set: StatefulSetObject, pod: PodObject, ordinal: number): readonly Party[] {
  const policy = set.spec.persistentVolumeClaimRetentionPolicy;
  const condemned = !isInRange(set, ordinal);
  const onScale = policy?.whenScaled === 'Delete' && condemned;
  const onDelete = policy?.whenDeleted === 'Delete' && !onScale;
  return [
    { object: set, owns: onDelete },
    { object: pod, owns: onScale },
  ];
}

function names(reference: OwnerReference, object: StatefulSetObject | PodObject): boolean {
  return (
    reference.apiVersion === object.apiVersion &&
    reference.kind === object.kind &&
    reference.name === object.metadata.name
  );
}

/** The claim belongs to an earlier object of the same name, and garbage collection is about to take it. */
export function isStale(claim: ClaimObject, object: StatefulSetObject | PodObject): boolean {
  const reference = claim.metadata.ownerReferences?.find((one) => names(one, object));
  return reference !== undefined && reference.uid !== object.metadata.uid;
}

function retainsAll(set: StatefulSetObject): boolean {
  const policy = set.spec.persistentVolumeClaimRetentionPolicy;
  return policy?.whenScaled !== 'Delete' && policy?.whenDeleted !== 'Delete';
}

/** Another controller owns the claim, and the policy keeps out of it. */
export function hasOtherController(claim: ClaimObject, set: StatefulSetObject, pod: PodObject): boolean {
  if (retainsAll(set)) return false;
  return (claim.metadata.ownerReferences ?? []).some((reference) => {
    const party = [set, pod].find((object) => names(reference, object));
    return party ? reference.uid !== party.metadata.uid : reference.controller === true;
  });
}

/** The claim with the owners it should have; undefined when it has them. */
export function withRightOwners(
  claim: ClaimObject,
  set: StatefulSetObject,
  pod: PodObject,
  ordinal: number,
): ClaimObject | undefined {
  if (isStale(claim, set) || isStale(claim, pod)) return undefined;
  const references = claim.metadata.ownerReferences ?? [];
  const other = hasOtherController(claim, set, pod);
  const wanted = parties(set, pod, ordinal).filter(({ owns }) => owns && !other);
  const foreign = references.filter((reference) => !names(reference, set) && !names(reference, pod));
  const isRight =
    references.length === foreign.length + wanted.length &&
    wanted.every(({ object }) => references.some((one) => one.uid === object.metadata.uid && one.controller === true));
  if (isRight) return undefined;
  const ownerReferences = [...foreign, ...wanted.map(({ object }) => ownerReference(object))];
  return { ...claim, metadata: { ...claim.metadata, ownerReferences } };
}
