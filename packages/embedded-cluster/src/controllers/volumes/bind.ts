/** Which volume a claim gets, and what both then say of each other. */

import { matches, parseSelector } from '@holdfast/base/labels/label-selector';
import type { ObjectReference } from 'kubernetes-types/core/v1.js';
import { compareQuantities, parseQuantity, zeroQuantity } from '../../kinds/quantity.ts';
import type { KubeObject } from '../../objects.ts';

interface Common {
  readonly accessModes?: readonly string[];
  readonly storageClassName?: string;
  readonly volumeAttributesClassName?: string;
  readonly volumeMode?: string;
}

export interface Volume extends KubeObject {
  readonly spec: Common & { readonly capacity?: Readonly<Record<string, string>>; readonly claimRef?: ObjectReference };
  readonly status?: { readonly phase?: string };
}

export interface VolumeClaim extends KubeObject {
  readonly spec: Common & {
    readonly volumeName?: string;
    readonly selector?: unknown;
    readonly resources?: { readonly requests?: Readonly<Record<string, string>> };
  };
  readonly status?: { readonly phase?: string };
}

/** Whether a volume is kept for this claim, and not for an earlier one of the same name. */
function isFor({ claimRef }: Volume['spec'], { metadata }: VolumeClaim): boolean {
  if (claimRef?.name !== metadata.name || claimRef.namespace !== metadata.namespace) return false;
  return claimRef.uid === undefined || claimRef.uid === '' || claimRef.uid === metadata.uid;
}

/**
 * The volume that the claim names or that is kept for it; else, unless the choice waits for a pod, the smallest one that will do.
 * Undefined: it waits.
 */
export function volumeFor(claim: VolumeClaim, volumes: readonly Volume[], waitsForPod: boolean): Volume | undefined {
  const free = volumes.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const { volumeName = '' } = claim.spec;
  if (volumeName !== '') {
    const named = free.find(({ metadata }) => metadata.name === volumeName);
    return named && (named.spec.claimRef === undefined || isFor(named.spec, claim)) && fits(named, claim)
      ? named
      : undefined;
  }
  const kept = free.find(({ spec }) => isFor(spec, claim));
  if (kept) return fits(kept, claim) ? kept : undefined;
  if (waitsForPod) return undefined;
  return free
    .filter((volume) => volume.spec.claimRef === undefined && fits(volume, claim) && isSelected(volume, claim))
    .sort((a, b) => compareQuantities(sizeOf(a), sizeOf(b)) || (a.metadata.name < b.metadata.name ? -1 : 1))[0];
}

function sizeOf({ spec }: Volume) {
  return parseQuantity(spec.capacity?.['storage']) ?? zeroQuantity;
}

function fits(volume: Volume, { spec: wanted }: VolumeClaim): boolean {
  const { spec } = volume;
  const size = parseQuantity(wanted.resources?.requests?.['storage']) ?? zeroQuantity;
  return (
    (wanted.storageClassName ?? '') === (spec.storageClassName ?? '') &&
    (wanted.volumeAttributesClassName ?? '') === (spec.volumeAttributesClassName ?? '') &&
    (wanted.volumeMode ?? 'Filesystem') === (spec.volumeMode ?? 'Filesystem') &&
    (wanted.accessModes ?? []).every((mode) => spec.accessModes?.includes(mode)) &&
    compareQuantities(size, sizeOf(volume)) <= 0
  );
}

function isSelected({ metadata }: Volume, { spec }: VolumeClaim): boolean {
  if (spec.selector === undefined) return true;
  const selector = parseSelector(spec.selector, 'selector');
  return selector.ok && matches(selector.value, metadata.labels ?? {});
}

const byController = 'pv.kubernetes.io/bound-by-controller';
const completed = 'pv.kubernetes.io/bind-completed';

/** The volume as it says whose it is; undefined where it says so already. */
export function takenVolume(volume: Volume, { metadata }: VolumeClaim): Volume | undefined {
  const { name, namespace, uid, resourceVersion } = metadata;
  const { claimRef } = volume.spec;
  if (claimRef?.uid === uid) return undefined;
  const reference = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', name, namespace, uid, resourceVersion };
  const annotations = claimRef
    ? volume.metadata.annotations
    : { ...volume.metadata.annotations, [byController]: 'yes' };
  return {
    ...volume,
    metadata: { ...volume.metadata, ...(annotations && { annotations }) },
    spec: { ...volume.spec, claimRef: reference as ObjectReference },
  };
}

/** The claim as it names its volume. */
export function namingClaim(claim: VolumeClaim, volume: string): VolumeClaim {
  const chosen = claim.spec.volumeName ? {} : { [byController]: 'yes' };
  const annotations = { ...claim.metadata.annotations, ...chosen, [completed]: 'yes' };
  return { ...claim, metadata: { ...claim.metadata, annotations }, spec: { ...claim.spec, volumeName: volume } };
}

export function boundStatus({ spec }: Volume): object {
  const { accessModes, capacity, volumeAttributesClassName: attributes } = spec;
  return {
    phase: 'Bound',
    ...(accessModes && { accessModes }),
    ...(capacity && { capacity }),
    ...(attributes && { currentVolumeAttributesClassName: attributes }),
  };
}

/** What a volume is, by the claim that it names, if that is there. */
export function volumePhase(volume: Volume, claim: VolumeClaim | undefined): string {
  const { claimRef } = volume.spec;
  if (claimRef === undefined) return 'Available';
  if (claim && isFor(volume.spec, claim)) return claim.spec.volumeName === volume.metadata.name ? 'Bound' : 'Available';
  return claimRef.uid ? 'Released' : 'Available';
}
