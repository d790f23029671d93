import type { StringMap } from '@holdfast/base/meta';
import { groupSystems } from './systems.ts';

/** An owner that is known by the labels of its pods. */
export interface OwnerByLabel {
  readonly group: string;
  readonly kind: string;
  readonly name: string;
}

const entries = groupSystems.flatMap(({ labelledOwner }) => labelledOwner ?? []);

/**
 * The root owner that labels of a pod name (O3).
 * @param end the kind at the end of the pod's chain of controllers, as far as there is one
 */
export function labelledOwnerOf(
  labels: StringMap,
  end: { readonly group: string; readonly kind: string } | undefined,
): OwnerByLabel | undefined {
  for (const { group, kind, nameOf, notBelow } of entries) {
    const name = nameOf(labels);
    if (name === undefined) continue;
    const isComplete = notBelow?.some((one) => one.group === end?.group && one.kind === end.kind);
    if (isComplete !== true) return { group, kind, name };
  }
  return undefined;
}

export function sameLabelledOwner(a: StringMap, b: StringMap): boolean {
  const [one, other] = [labelledOwnerOf(a, undefined), labelledOwnerOf(b, undefined)];
  return one?.group === other?.group && one?.kind === other?.kind && one?.name === other?.name;
}
