import type { ChangeRecord, Reservation } from '../../api/ledger.ts';
import { type ContainerRun, decodeRuns } from '../container-runs.ts';
import { bit } from '../health.ts';
import { isNewer } from '../resource-version.ts';
import type { PodRecord } from '../world/pod-record.ts';
import { type PendingRestart, pendingRestarts, restartsBetween } from './change-record.ts';

/** How a restart stands. `unclear`: of several changes some were carried out, or left out by the kubelet; the pod does not say which. */
type Progress = 'done' | 'returned' | 'pending' | 'unclear';

/**
 * Whether the pod shows that an UPDATE or RESIZE is over (L8): `updated`, or `returned` when it did not happen or was taken back.
 *
 * It rests on what kubelets do: they write the generation that they work on into `observedGeneration` before they do anything about
 * it, and take up the next one when they are done. So when the newest generation is observed, and a container is still the one from
 * before a change that the spec no longer asks for, nothing happens to it any more.
 */
export function changeOver(reservation: Reservation, pod: PodRecord): 'updated' | 'returned' | undefined {
  const { change } = reservation;
  if (change === undefined || change.open === true || !isDecided(reservation, pod)) return undefined;
  if (change.announced === true) return pod.has(bit.announcedUpdate) ? undefined : 'returned';
  // Labels and owners have changed by now, or never will: either way the pod counts where it is seen to be.
  if (change.restarts === undefined) return 'updated';
  if (pod.has(bit.generationLag | bit.resizing | bit.announcedUpdate)) return undefined;
  const progress = progressOf(reservation, change, pod);
  if (progress.length > 0 && progress.every((one) => one === 'returned')) return 'returned';
  const isOver = progress.every((one) => one === 'done' || one === 'returned');
  return isOver && pod.healthyForPub(true) ? 'updated' : undefined;
}

/**
 * Whether the API server has decided about the change: it stores one only on top of the very version that it showed to its webhooks,
 * so a pod with a newer version shows what became of it.
 */
export function isDecided({ change }: Reservation, pod: PodRecord): boolean {
  return change !== undefined && isNewer(pod.resourceVersion, change.from);
}

/** Whether the pod shows that a change is not over yet, however long ago it was allowed. */
export function isUnderWay(reservation: Reservation, pod: PodRecord): boolean {
  const { change } = reservation;
  if (change === undefined) return false;
  if (pod.has(bit.announcedUpdate)) return true;
  // Kubelets do not try again what they found to be impossible, and restart nothing for it.
  if (pod.has(bit.resizing)) return !pod.has(bit.resizeInfeasible);
  return isDecided(reservation, pod) && progressOf(reservation, change, pod).includes('pending');
}

function progressOf(reservation: Reservation, change: ChangeRecord, pod: PodRecord): readonly Progress[] {
  const runs = decodeRuns(pod.runs);
  const tells = pod.has(bit.tellsGeneration) || (pod.generation > 0 && pod.generation === reservation.generation);
  return pendingRestarts(change).map((one) => restartProgress(one, runs.get(one.name), tells));
}

/** @param tells whether a container from before the change is known to stay when the spec asks for it again */
function restartProgress(before: PendingRestart, now: ContainerRun | undefined, tells: boolean): Progress {
  if (now === undefined) return 'pending';
  const restarts = restartsBetween(before, now);
  if (restarts >= before.changes) return now.started ? 'done' : 'pending';
  if (restarts > 0) return 'unclear';
  if (now.demand !== before.demand) return 'pending';
  return tells ? 'returned' : 'unclear';
}
