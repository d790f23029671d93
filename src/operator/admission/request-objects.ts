import { type Fields, isObject, isUnset } from '../../api/json.ts';
import type { OwnerReference, StringMap } from '../../api/meta.ts';
import type { ReviewPart } from './review.ts';

/** What admission needs to know of a pod in a review, checked; `whole` is the pod as it came. */
export interface ReviewedPod {
  readonly name: string;
  readonly uid: string | undefined;
  readonly labels: StringMap;
  readonly ownerReferences: readonly OwnerReference[];
  readonly terminating: boolean;
  readonly whole: unknown;
}

/** What an Eviction says about the deletion it asks for. */
export interface EvictionTerms {
  readonly dryRun: boolean;
  readonly gracePeriodSeconds?: number;
  readonly propagationPolicy?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
}

export type Checked<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problem: string };

/** Undefined: the review has no such object. */
export function reviewedPod(field: string, part: ReviewPart): Checked<ReviewedPod | undefined> {
  if (!part.ok) return part;
  if (isUnset(part.value)) return { ok: true, value: undefined };
  const metadata = isObject(part.value) ? part.value['metadata'] : undefined;
  if (!isObject(metadata)) return bad(`${field}.metadata must be an object`);
  const { name, uid, labels, ownerReferences, deletionTimestamp } = metadata;
  if (!isOptionalText(name)) return bad(`${field}.metadata.name must be a string`);
  if (!isOptionalText(uid)) return bad(`${field}.metadata.uid must be a string`);
  if (!isUnset(labels) && !isStringMap(labels)) return bad(`${field}.metadata.labels must be a map of strings`);
  if (!isUnset(ownerReferences) && !isOwners(ownerReferences)) {
    return bad(`${field}.metadata.ownerReferences must be a list of owners`);
  }
  return {
    ok: true,
    value: {
      name: name ?? '',
      uid: uid ?? undefined,
      labels: labels ?? {},
      ownerReferences: ownerReferences ?? [],
      terminating: !isUnset(deletionTimestamp),
      whole: part.value,
    },
  };
}

export function evictionTerms(eviction: unknown): Checked<EvictionTerms> {
  if (!isObject(eviction)) return bad('request.object must be an Eviction');
  const options = eviction['deleteOptions'];
  if (isUnset(options)) return { ok: true, value: { dryRun: false } };
  if (!isObject(options)) return bad('request.object.deleteOptions must be an object');
  const { dryRun, gracePeriodSeconds: grace, propagationPolicy: policy, preconditions } = options;
  if (!isUnset(dryRun) && !Array.isArray(dryRun)) return bad('request.object.deleteOptions.dryRun must be a list');
  if (!isUnset(grace) && !Number.isInteger(grace)) {
    return bad('request.object.deleteOptions.gracePeriodSeconds must be an integer');
  }
  if (!isOptionalText(policy)) return bad('request.object.deleteOptions.propagationPolicy must be a string');
  const wanted = preconditionsOf(preconditions);
  if (!wanted.ok) return wanted;
  return {
    ok: true,
    value: {
      // A word that the API server does not know is refused by it afterwards, so nothing happens then, either.
      dryRun: Array.isArray(dryRun) && dryRun.length > 0,
      ...(typeof grace === 'number' ? { gracePeriodSeconds: grace } : {}),
      ...(isUnset(policy) ? {} : { propagationPolicy: policy }),
      ...wanted.value,
    },
  };
}

function preconditionsOf(source: unknown): Checked<Pick<EvictionTerms, 'uid' | 'resourceVersion'>> {
  if (isUnset(source)) return { ok: true, value: {} };
  const field = 'request.object.deleteOptions.preconditions';
  if (!isObject(source)) return bad(`${field} must be an object`);
  const { uid, resourceVersion } = source;
  if (!isOptionalText(uid)) return bad(`${field}.uid must be a string`);
  if (!isOptionalText(resourceVersion)) return bad(`${field}.resourceVersion must be a string`);
  return {
    ok: true,
    value: { ...(isUnset(uid) ? {} : { uid }), ...(isUnset(resourceVersion) ? {} : { resourceVersion }) },
  };
}

function bad<T>(problem: string): Checked<T> {
  return { ok: false, problem };
}

function isOptionalText(value: unknown): value is string | undefined | null {
  return isUnset(value) || typeof value === 'string';
}

function isStringMap(value: unknown): value is StringMap {
  return isObject(value) && Object.values(value).every((one) => typeof one === 'string');
}

function isOwners(value: unknown): value is readonly OwnerReference[] {
  return Array.isArray(value) && value.every((one) => isObject(one) && isOwner(one));
}

function isOwner(owner: Fields): boolean {
  const named = ['apiVersion', 'kind', 'name', 'uid'].every((key) => typeof owner[key] === 'string');
  return named && (isUnset(owner['controller']) || typeof owner['controller'] === 'boolean');
}
