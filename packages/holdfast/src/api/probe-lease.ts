/**
 * What the agent of a node says with its one lease: that it lives, and which of its node's probed pods can be lost now. Both sides
 * of that conversation are here.
 */

import { annotationField, readAnnotations } from '@holdfast/base/annotations';
import { failed, invalid, type Parsed, parsed, required } from '@holdfast/base/field-errors';
import { isInt32From, isObject } from '@holdfast/base/json';
import type { StringMap } from '@holdfast/base/meta';
import { annotation, label } from './names.ts';

export interface ProbeLeaseContent {
  readonly node: string;
  /** The agent, and its process start. */
  readonly holder: string;
  readonly durationSeconds: number;
  /** Uids of pods. */
  readonly disruptable: ReadonlySet<string>;
}

/** Finds these leases among all others. */
export const probeLeaseLabels: StringMap = { [label.probeLease]: 'true' };

/** An object has room for 256 KiB of annotations; this many uids leave some of it for others. */
export const maxListedPods = 5_000;

/** No agent asks for a longer lease, and the operator trusts none for longer without a renewal, whatever the lease says. */
export const maxLeaseSeconds = 3_600;

/** Pods beyond the limit are left out, and so count as not disruptable. */
export function probeLeaseAnnotations(node: string, holder: string, uids: Iterable<string>): StringMap {
  const listed = [...uids].toSorted().slice(0, maxListedPods);
  return {
    [annotation.node]: node,
    [annotation.listedBy]: holder,
    [annotation.disruptablePods]: listed.join(' '),
  };
}

/** A lease that cannot be read confirms no pod. */
export function readProbeLease(object: unknown): Parsed<ProbeLeaseContent> {
  const annotations = readAnnotations(object);
  if (!annotations.ok) return annotations;
  const node = annotations.value[annotation.node];
  if (node === undefined || node === '') {
    return failed(required(annotationField(annotation.node), 'must name the node of the lease'));
  }
  const spec = isObject(object) ? object['spec'] : undefined;
  if (!isObject(spec)) return failed(invalid('spec', spec, 'must be an object'));
  const { holderIdentity: holder, leaseDurationSeconds: durationSeconds } = spec;
  if (typeof holder !== 'string' || holder === '') {
    return failed(required('spec.holderIdentity', 'must name the agent that renews it'));
  }
  // An ordinary lease client that takes the lease leaves the annotations as they are, and would renew another agent's list.
  if (annotations.value[annotation.listedBy] !== holder) {
    return failed(
      required(
        annotationField(annotation.listedBy),
        'must name the holder of the lease: a list that another agent wrote does not count',
      ),
    );
  }
  if (!isInt32From(1, durationSeconds)) {
    return failed(invalid('spec.leaseDurationSeconds', durationSeconds, 'must be a 32-bit integer greater than 0'));
  }
  const uids = annotations.value[annotation.disruptablePods] ?? '';
  return parsed({ node, holder, durationSeconds, disruptable: new Set(uids.split(' ').filter((uid) => uid !== '')) });
}
