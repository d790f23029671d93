import type { Effects, PodVersion } from '../../../src/core/verdict.ts';
import type { ApiServer } from './api-server.ts';

/** A request that was allowed and has not happened yet. */
export interface Admitted {
  readonly pod: string;
  readonly uid: string;
  readonly effects: Effects;
  readonly askedAt: number;
  readonly claim: string;
}

/**
 * What a replica reads before it lets an allowed request pass: the pods that the verdict rests on, and the target itself where
 * the API server is to delete it. A takeover leaves the target's version to its own delete.
 */
export function basisHolds(server: ApiServer, { complete, onlyIf, restsOn = [] }: Effects): boolean {
  const own = complete === 'pass' && onlyIf !== undefined ? [onlyIf] : [];
  return [...own, ...restsOn].every((one) => isUnchanged(server, one));
}

/** A pod that is gone serves nothing, as was believed of it. */
function isUnchanged(server: ApiServer, { pod, uid, resourceVersion }: PodVersion): boolean {
  const live = server.pods.get(pod);
  return live === undefined || (live.uid === uid && String(live.version) === resourceVersion);
}

/** Whether the API server would still do it. The target's version is a precondition of a takeover's delete, and of nothing else. */
export function mayStillGo(server: ApiServer, { pod, uid, effects: { onlyIf, complete } }: Admitted): boolean {
  const live = server.pods.get(pod);
  if (live?.uid !== uid) return false;
  return onlyIf === undefined || complete === 'pass' || String(live.version) === onlyIf.resourceVersion;
}
