import type { Condition } from '@holdfast/base/meta';
import { condition } from '../../api/names.ts';
import { bit } from '../../core/health.ts';
import type { PodRecord } from '../../core/world/pod-record.ts';
import type { PubState } from '../../core/world/pub/pub-state.ts';
import { printable } from '../../kube/outcome/printable.ts';
import type { LeaseView } from '../../observe/once/probe-lease-book.ts';

/** What a pod with a disruption probe was last heard to say, and which agent confirms it. */
export interface ProbeReport {
  readonly valid: boolean;
  /** The condition Disruptable, as it is on the pod. */
  readonly disruptable?: { readonly status: string; readonly since?: string; readonly message?: string };
  readonly lease?: {
    readonly holder: string;
    readonly ageSeconds: number;
    readonly state: LeaseView['state'];
    /** Whose clock the age is by. */
    readonly by: LeaseView['by'];
    readonly listsPod: boolean;
  };
}

export function probeReport(
  pod: PodRecord,
  conditions: readonly Condition[],
  lease: LeaseView | undefined,
): ProbeReport | undefined {
  if (!pod.has(bit.probed)) return undefined;
  const shown = conditions.find(({ type }) => type === condition.disruptable);
  const { status, lastTransitionTime, message } = shown ?? {};
  const since = typeof lastTransitionTime === 'string' ? { since: lastTransitionTime } : {};
  return {
    valid: !pod.has(bit.probeInvalid),
    ...(status === undefined
      ? {}
      : { disruptable: { status, ...since, ...(message === undefined ? {} : { message: printable(message) }) } }),
    ...(lease === undefined
      ? {}
      : {
          lease: {
            holder: printable(lease.holder),
            ageSeconds: Math.round(lease.ageMs / 1_000),
            state: lease.state,
            by: lease.by,
            listsPod: lease.pods.has(pod.uid),
          },
        }),
  };
}

/** Why a pod does not count as up for a PodDisruptionBudget, in a few words; undefined: it does. */
export function whyDown(pod: PodRecord): string | undefined {
  return whyOut(pod) ?? whyUnhealthy(pod, pod.healthy);
}

function whyOut(pod: PodRecord): string | undefined {
  if (pod.has(bit.terminating)) return 'is being deleted';
  if (pod.has(bit.finished)) return 'has finished';
  if (pod.doomed) return 'is deleted with its owner';
  return pod.reserved === undefined ? undefined : 'is about to be deleted';
}

function whyUnhealthy(pod: PodRecord, isHealthy: boolean): string | undefined {
  if (isHealthy) return undefined;
  if (pod.has(bit.probed)) return whyNotDisruptable(pod);
  return pod.inService ? 'is out of service for an update in place' : 'is not ready';
}

function whyNotDisruptable(pod: PodRecord): string {
  if (pod.has(bit.probeInvalid)) return 'has a probe that cannot be read';
  if (pod.has(bit.disruptable)) return 'has a probe that no agent confirms';
  return pod.has(bit.probePending) ? 'has not been probed yet' : 'reports by its probe that it cannot be disrupted';
}

/** The same in the eyes of a PodUnavailableBudget, which wants more. */
export function whyDownForPub(pub: PubState, pod: PodRecord): string | undefined {
  const isUp = pub.judgesUpdates ? pod.inService : pod.has(bit.ready);
  return whyOut(pod) ?? whyUnhealthy(pod, pod.has(bit.probed) ? pod.healthy : isUp) ?? whyUnfit(pod);
}

function whyUnfit(pod: PodRecord): string | undefined {
  if (!pod.has(bit.running)) return 'does not run';
  if (pod.has(bit.unavailableLabel)) return 'is labelled as unavailable';
  return pod.has(bit.updateUnfinished) ? 'is being updated in place' : undefined;
}
