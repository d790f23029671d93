import type { Fields } from '@holdfast/base/json';
import type { ObjectMeta, StringMap } from '@holdfast/base/meta';
import type { PodTemplate } from '../lint/pod-templates.ts';

/** How the controller of some kinds makes pods from their manifests, which have no pods yet. */
export interface PodMaker {
  readonly group: string;
  readonly kinds: readonly string[];
  readonly podSet: (object: ManifestObject, template: PodTemplate) => PodSet;
  /** The PodGroup that the controller makes beside the pods. */
  readonly podGroup?: (object: ManifestObject, pods: number) => StandInGroup;
}

export interface ManifestObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Pick<ObjectMeta, 'name'>;
  readonly [field: string]: unknown;
}

/** How many pods a template stands for, and what their controller adds to each: by that their groups are known. */
export interface PodSet {
  readonly count: number;
  readonly mark: (index: number) => PodMarks;
}

export interface PodMarks {
  readonly labels: StringMap;
  readonly annotations: StringMap;
}

export interface StandInGroup {
  readonly apiVersion: string;
  readonly name: string;
  readonly minMember: number;
}

export function whole(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 ? value : undefined;
}

export function nearestWhole(around: readonly Fields[], ...fields: readonly string[]): number | undefined {
  return around.flatMap((holder) => fields.flatMap((field) => whole(holder[field]) ?? []))[0];
}
