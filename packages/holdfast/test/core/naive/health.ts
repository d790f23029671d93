import { hasProbe, parseProbes } from '../../../../base/src/probes/probe.ts';
import { annotation, condition, label } from '../../../src/api/names.ts';
import type { Pod } from '../../../src/api/pod.ts';
import type { RefusalCode } from '../../../src/api/refusals/reasons.ts';
import { labelsOf, type NaiveState } from './state.ts';

function isTrue(pod: Pod, type: string): boolean {
  return (pod.status?.conditions ?? []).some((entry) => entry.type === type && entry.status === 'True');
}

export function isReady(pod: Pod): boolean {
  return isTrue(pod, 'Ready');
}

/** H6: Ready, or out of service for nothing but an update in place that was announced. */
export function isInService(pod: Pod): boolean {
  if (isReady(pod)) return true;
  const gates = (pod.spec?.readinessGates ?? []).map((gate) => gate.conditionType);
  const closed = gates.filter((gate) => !isTrue(pod, gate));
  const says = (pod.status?.conditions ?? []).find((entry) => entry.type === condition.inPlaceUpdateReady)?.status;
  const announced = closed.length === 1 && closed[0] === condition.inPlaceUpdateReady && says === 'False';
  return announced && isTrue(pod, 'ContainersReady');
}

/** What the lease of the pod's node says of it: nothing counts that is not renewed (H2). */
function saidByLease(state: NaiveState, pod: Pod, now: number): 'listed' | 'unlisted' | 'stale' {
  const lease = state.leases.get(pod.spec?.nodeName ?? '');
  if (lease === undefined || now >= lease.renewedAt + lease.durationSeconds * 1000) return 'stale';
  const isListed = lease.pods === undefined || [...lease.pods].includes(pod.metadata.uid ?? '');
  return isListed ? 'listed' : 'unlisted';
}

/** Why a pod with a probe cannot be lost now, or nothing (H2, H4). */
export function probeProblem(state: NaiveState, pod: Pod, now: number): RefusalCode | undefined {
  if (!hasProbe(pod)) return undefined;
  if (!parseProbes(pod).ok) return 'ProbeInvalid';
  if (!isTrue(pod, condition.disruptable)) return 'ProbeVeto';
  const said = saidByLease(state, pod, now);
  return said === 'listed' ? undefined : said === 'unlisted' ? 'ProbeUnconfirmed' : 'ProbeStale';
}

/** H1, H2 */
export function isHealthy(state: NaiveState, pod: Pod, now: number): boolean {
  return hasProbe(pod) ? probeProblem(state, pod, now) === undefined : isReady(pod);
}

/** H5: it does its part of the work of its group, whether or not it may be disrupted. */
export function works(state: NaiveState, pod: Pod, now: number): boolean {
  return isReady(pod) || isHealthy(state, pod, now);
}

/** H3, H6 */
export function isHealthyForPub(state: NaiveState, pod: Pod, judgesUpdates: boolean, now: number): boolean {
  const isUp = judgesUpdates ? isInService(pod) : isReady(pod);
  const healthy = hasProbe(pod) ? probeProblem(state, pod, now) === undefined : isUp;
  return healthy && isFitForPub(pod);
}

export function worksForPub(state: NaiveState, pod: Pod, judgesUpdates: boolean, now: number): boolean {
  const isUp = judgesUpdates ? isInService(pod) : isReady(pod);
  return (isUp && isFitForPub(pod)) || isHealthyForPub(state, pod, judgesUpdates, now);
}

function isFitForPub(pod: Pod): boolean {
  const setAside = Object.keys(labelsOf(pod)).some((key) => key.startsWith(label.unavailablePodPrefix));
  return pod.status?.phase === 'Running' && !setAside && !isBeingUpdatedInPlace(pod);
}

/**
 * Kruise notes the image of every container before it changes it; the update is under way while a container still runs
 * that image. A note that cannot be read is taken for an update under way.
 */
function isBeingUpdatedInPlace(pod: Pod): boolean {
  const note = pod.metadata.annotations?.[annotation.kruiseInPlaceState];
  if (note === undefined) return false;
  const before = imagesBefore(note);
  if (before === undefined) return true;
  return Object.entries(before).some(([name, image]) => {
    const now = (pod.status?.containerStatuses ?? []).find((status) => status.name === name)?.imageID;
    return now === undefined || now === image;
  });
}

function imagesBefore(note: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const content: unknown = JSON.parse(note);
    if (typeof content !== 'object' || content === null || !('lastContainerStatuses' in content)) return undefined;
    const entries = Object.entries(content.lastContainerStatuses ?? {});
    return Object.fromEntries(entries.map(([name, status]) => [name, (status as { imageID?: unknown }).imageID]));
  } catch {
    return undefined;
  }
}
