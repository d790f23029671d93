import type { Fields } from '@holdfast/base/json';
import type { KindResource } from '../../kube/discovery/discovery.ts';
import { bare } from '../../trust/path-segments.ts';
import { segmentsOf, type TrustingConfiguration, withTrust } from '../../trust/webhook-trust.ts';
import type { ClusterApi } from '../cluster-api.ts';
import { endedBy, failedWith, type Went, went } from '../failures.ts';
import type { Manifest } from '../manifests/manifests.ts';
import { type ObjectRef, refText } from '../object-ref.ts';
import type { ObjectResult } from '../outcome.ts';
import { changedFields } from './changed-fields.ts';
import { type FoundDefinition, foreignSign, isTerminating } from './foreign.ts';

/** An object that is to be, and where its kind is served. */
export interface Located {
  readonly manifest: Manifest;
  readonly ref: ObjectRef;
  readonly resource: KindResource;
}

/** Brings one object about, and tells what that took. */
export async function applyObject(api: ClusterApi, located: Located, dryRun: boolean): Promise<Went<ObjectResult>> {
  const { ref, resource, manifest } = located;
  const before = await api.find(resource, ref);
  if (!before.ok) return endedBy(before.failure, refText(ref));
  const obstacle = before.value === undefined ? undefined : obstacleOf(ref, before.value);
  if (obstacle !== undefined) return obstacle;
  const after = await api.apply(resource, ref, manifestFor(manifest, before.value), dryRun);
  if (after.ok) return went(resultOf(before.value, after.value));
  if (dryRun && after.failure.kind === 'notFound') return went({ kind: 'unchecked', why: after.failure.message });
  return endedBy(after.failure, refText(ref));
}

/** The path that the operator wrote stays: a manifest knows the bare one only, which API servers would go back to. */
export function manifestFor(manifest: Manifest, before: Fields | undefined): Manifest {
  if (!('webhooks' in manifest) || before === undefined) return manifest;
  // Safe: API servers demand a clientConfig of every webhook.
  const [segment] = segmentsOf(before as TrustingConfiguration).filter((one) => one !== bare);
  return withTrust(manifest, { authorities: undefined, segment }) ?? manifest;
}

function obstacleOf(ref: ObjectRef, found: Fields): Went<ObjectResult> | undefined {
  if (isTerminating(found)) {
    return failedWith(`${refText(ref)} is being deleted`, 'Wait until it is gone, and run the same command again.');
  }
  // Safe as far as it goes: every field that is read may be missing.
  const sign = ref.kind === 'CustomResourceDefinition' ? foreignSign(found as FoundDefinition) : undefined;
  return sign === undefined ? undefined : went({ kind: 'skipped', why: foreignNote(sign) });
}

function foreignNote(sign: string): string {
  return `the definition that is there is not Holdfast's (${sign}), and whose it is keeps it; remove it and its owner first if Holdfast is to judge these objects`;
}

function resultOf(before: Fields | undefined, after: Fields): ObjectResult {
  if (before === undefined) return { kind: 'created' };
  const fields = changedFields(before, after);
  return fields.length === 0 ? { kind: 'unchanged' } : { kind: 'configured', fields };
}
