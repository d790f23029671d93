import type { PassCode } from '../../api/refusals/reasons.ts';
import { bit } from '../health.ts';
import type { DisruptionRequest } from '../request.ts';
import { isAtLeast } from '../resource-version.ts';
import { type Collection, collections } from '../sync.ts';
import type { Blocker } from '../verdict.ts';
import type { NamespaceState } from '../world/namespace-state.ts';
import type { PodRecord } from '../world/pod-record.ts';
import type { PubState } from '../world/pub/pub-state.ts';
import type { World } from '../world/world.ts';
import type { Judge } from './judges.ts';
import { blocker } from './refusal.ts';

/** The gates before the budgets, in the order in which `decide` asks: what is exempt, what is not known, the pod's own no. */

/** Why no budget need be evaluated, whatever the pod is like, which may not even be in view (X2, X3). */
export function exemptRequest(state: NamespaceState | undefined, request: DisruptionRequest): PassCode | undefined {
  if (state?.terminating) return 'NamespaceTerminating';
  return exemptRequester(request) ?? (state?.unguarded ? 'NamespaceUnguarded' : undefined);
}

function exemptRequester({ operation, requester, takesAway }: DisruptionRequest): PassCode | undefined {
  const kind = requester?.kind;
  // These delete what is dead already, whatever our view still says.
  if (operation === 'DELETE') {
    if (kind === 'garbageCollector' || kind === 'podGarbageCollector') return 'GarbageCollection';
    // Urgent pods do not wait, least of all those of the operator itself.
    return kind === 'scheduler' ? 'Preemption' : undefined;
  }
  // It takes references off the pods of an owner that is deleted and leaves them.
  const orphans = operation === 'UPDATE' && takesAway === false && kind === 'garbageCollector';
  return orphans ? 'GarbageCollection' : undefined;
}

/** Why no budget need be evaluated for this pod (I7): nothing is lost, or the loss is not voluntary. */
export function exemptPod(state: NamespaceState, pod: PodRecord, request: DisruptionRequest): PassCode | undefined {
  if (pod.has(bit.terminating)) return 'Terminating';
  if (pod.has(bit.finished)) return 'Finished';
  if (isKubelet(pod, request)) return 'KubeletDelete';
  return pod.doomed && !isKeptIdle(state, pod, request) ? 'WorkloadGone' : undefined;
}

/** A PUB with a total of its own protects the pods of a workload that is scaled to 0 (X4). */
function isKeptIdle(state: NamespaceState, pod: PodRecord, { operation }: DisruptionRequest): boolean {
  if (!pod.idle) return false;
  const keeps = (pub: PubState): boolean => pub.overridesScale && pub.protects(operation) && !pub.leavesAlone(pod);
  return pod.pubs.some(keeps) || state.possiblePubs(pod).some(keeps);
}

function isKubelet(pod: PodRecord, request: DisruptionRequest): boolean {
  const { operation, requester } = request;
  return operation === 'DELETE' && requester?.kind === 'kubelet' && requester.node === pod.node;
}

interface PodName {
  readonly name: string;
}

/** Collections without which nothing can be said about a pod. The ledger's absence is told apart: it has its own reason. */
const needed: readonly Collection[] = collections.filter((one) => one !== 'ledgers');

export function notSynced(world: World, pod: PodName): Blocker | undefined {
  const missing = needed.filter((one) => world.syncedVersion(one) === undefined);
  if (missing.length === 0) return undefined;
  return blocker('NotSynced', { pod, detail: `it is still waiting for ${missing.join(', ')}` });
}

/** Whether the ledger of the namespace is known. */
export function ledgerUnknown(world: World, state: NamespaceState, pod: PodName): Blocker | undefined {
  if (world.syncedVersion('ledgers') !== undefined && state.ledger !== undefined) return undefined;
  return blocker('LedgerUnknown', { pod });
}

/** A reservation may have been pruned because another replica saw the pod terminate, in a newer view than ours (L2). */
export function cacheStale(world: World, state: NamespaceState, pod: PodName): Blocker | undefined {
  const watermark = state.ledger?.spec?.watermark;
  if (watermark === undefined) return undefined;
  const seen = world.syncedVersion('pods') ?? '';
  if (isAtLeast(seen, watermark)) return undefined;
  return blocker('CacheStale', {
    pod,
    detail: `it has seen resourceVersion ${seen}, and the ledger was written at ${watermark}`,
  });
}

/** The pod's own no (V1), unless there is a way out (V2, I10). */
export function vetoOf(pod: PodRecord, request: DisruptionRequest, judges: readonly Judge[]): Blocker | undefined {
  if (!pod.vetoes || !vetoCounts(request, judges)) return undefined;
  if (isBrokenAnyway(pod, judges) || isBeyondHelp(pod, request, judges)) return undefined;
  if (pod.has(bit.probeInvalid)) return blocker('ProbeInvalid', { pod });
  if (!pod.has(bit.disruptable))
    return blocker('ProbeVeto', { pod, ...(pod.has(bit.probePending) ? pending(pod) : {}) });
  if (pod.agentHeard) return blocker('ProbeUnconfirmed', { pod, detail: `${pod.node}` });
  return blocker('ProbeStale', { pod, ...(pod.node === undefined ? {} : { detail: pod.node }) });
}

/** The pod did not say no: it was not asked. It counts as a no all the same (I4). */
function pending({ node }: PodRecord): { readonly detail: string } {
  return { detail: `on ${node ?? 'its node'}` };
}

/** Evictions always; deletes and updates only under a PUB, so that a probe alone never blocks a rollout. A resize loses nothing. */
function vetoCounts(request: DisruptionRequest, judges: readonly Judge[]): boolean {
  if (request.operation === 'EVICT') return true;
  if (request.operation === 'RESIZE') return false;
  return judges.some((judge) => judge.kind === 'pub');
}

/** It does not serve, and every budget says that such pods may always go. */
function isBrokenAnyway(pod: PodRecord, judges: readonly Judge[]): boolean {
  if (pod.inService || judges.length === 0) return false;
  return judges.every((judge) =>
    judge.kind === 'pub' || judge.kind === 'pubPossible'
      ? judge.kind === 'pub' && judge.pub.rules !== undefined
      : judge.pdb.rules?.unhealthy === 'always',
  );
}

/** A delete of a pod whose group would be down even if this pod were healthy: its controller is putting the group right. */
function isBeyondHelp(pod: PodRecord, request: DisruptionRequest, judges: readonly Judge[]): boolean {
  if (request.operation !== 'DELETE') return false;
  return judges.every((judge) => {
    const unit = judge.kind === 'pub' ? judge.pub.unitOf(pod) : undefined;
    if (judge.kind !== 'pub' || unit === undefined) return false;
    const own = Number(judge.pub.counts(pod) && judge.pub.serves(pod));
    return unit.serving - own + unit.unprovenServing + 1 < judge.pub.boundsOf(unit).least;
  });
}
