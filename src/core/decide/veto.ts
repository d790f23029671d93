import { bit } from '../health.ts';
import type { DisruptionRequest } from '../request.ts';
import type { Blocker } from '../verdict.ts';
import type { PodRecord } from '../world/pod-record.ts';
import type { Judge } from './judges.ts';
import { blocker } from './refusal.ts';

/** The pod's own no (V1), unless there is a way out (V2, I10). */
export function vetoOf(pod: PodRecord, request: DisruptionRequest, judges: readonly Judge[]): Blocker | undefined {
  if (!pod.vetoes || !vetoCounts(request, judges)) return undefined;
  if (isBrokenAnyway(pod, judges) || isBeyondHelp(pod, request, judges)) return undefined;
  if (pod.has(bit.probeInvalid))
    return blocker('ProbeInvalid', { pod, detail: 'see its annotation or its containers' });
  if (!pod.has(bit.disruptable)) return blocker('ProbeVeto', { pod });
  if (pod.agentHeard) return blocker('ProbeUnconfirmed', { pod, detail: `on ${pod.node}` });
  return blocker('ProbeStale', { pod, detail: pod.node === undefined ? 'it has no node' : `node ${pod.node}` });
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
    const own = Number(judge.pub.counts(pod) && pod.servesForPub);
    return unit.serving - own + unit.unprovenServing + 1 < judge.pub.boundsOf(unit).least;
  });
}
