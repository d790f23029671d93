import type { ObjectMeta } from '@holdfast/base/meta';
import type { StatefulSet } from '../../api/statefulset.ts';
import type { Removal } from '../../core/rollout/state.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import type { Failure } from '../../kube/outcome/failure.ts';
import { resources } from '../../observe/resources.ts';
import type { Removed } from './remove-pod.ts';

export interface ClaimCall {
  readonly client: Pick<KubeClient, 'get'>;
  readonly namespace: string;
  readonly deadlineMs: number;
  readonly signal: AbortSignal;
}

/**
 * With `whenScaled: Delete` the claims of a pod that is to go belong to the pod, and are collected after it. If the set is scaled up
 * again before that, they belong to it until it is healthy: removing the pod while it is broken loses the data in them. Undefined: no
 * claim of the pod is lost with it.
 */
export async function claimRefusal(call: ClaimCall, set: StatefulSet, removal: Removal): Promise<Removed | undefined> {
  // What is to go takes its claims with it if its owner has said so.
  if (removal.why === 'condemned') return undefined;
  for (const template of set.spec?.volumeClaimTemplates ?? []) {
    const refusal = await refusalOf(call, `${template.metadata?.name ?? ''}-${removal.pod}`, removal);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

async function refusalOf(call: ClaimCall, name: string, { uid }: Removal): Promise<Removed | undefined> {
  const { client, namespace, deadlineMs, signal } = call;
  const place = { namespace, name };
  const claim = await client.get<{ metadata: ObjectMeta }>(resources.claims, place, { deadlineMs, signal });
  if (!claim.ok) return unread(name, claim.failure);
  const goes = claim.value.metadata.ownerReferences?.some((owner) => owner.uid === uid) ?? false;
  const message = `its claim ${name} is owned by it and would be deleted with it; remove that owner reference from the claim`;
  return goes ? { kind: 'refused', message } : undefined;
}

/** What is not there cannot be lost. What we may not read is for a person to allow. */
function unread(name: string, { kind, message }: Failure): Removed | undefined {
  if (kind === 'notFound') return undefined;
  if (kind === 'denied') return { kind: 'refused', message: `its claim ${name} cannot be read: ${message}` };
  return { kind: 'failed', message, maybeDone: false };
}
