import type { ContainerStatus, Pod } from '../../api/pod.ts';

/** A container that is restarted comes back at once, whatever the settle time: its first moments prove nothing. */
const leastSteadyMs = 10_000;

/** After so long the kubelet itself forgets that a container has crashed, and restarts it at once the next time. */
const mostSteadyMs = 600_000;

/** How long a pod must have been up since its last restart before it is trusted: as long as it may be broken, within bounds. */
export function steadyMs(settleMs: number): number {
  return Math.min(Math.max(settleMs, leastSteadyMs), mostSteadyMs);
}

/** How often the containers of a pod were restarted. */
export function restartsOf(pod: Pod): number {
  return containersOf(pod).reduce((sum, { restartCount = 0 }) => sum + restartCount, 0);
}

/** When one of the containers that run now was last restarted; undefined if none ever was, or the status does not say when. */
export function restartedAt(pod: Pod): number | undefined {
  const moments = containersOf(pod).flatMap(({ restartCount = 0, state }) => {
    const started = Date.parse(state?.running?.startedAt ?? '');
    return restartCount > 0 && !Number.isNaN(started) ? [started] : [];
  });
  return moments.length === 0 ? undefined : Math.max(...moments);
}

/** Sidecars are among the init containers; those that have ended do not run. */
function containersOf({ status }: Pod): readonly ContainerStatus[] {
  return [...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? [])];
}
