/** What a pod needs of its node: a look, ports, probes. */

import { sameJson } from '@holdfast/base/json';
import type { PodObject } from '../../controllers/common/workloads.ts';
import type { ViewEvent } from '../../view.ts';
import { probeModeOf } from '../annotations.ts';
import { type ProbedPort, probedPorts } from '../probes/pod-probes.ts';
import type { Probed } from '../probes/prober.ts';
import { isStarted } from './pod-machine.ts';
import type { PodState } from './pod-state.ts';

/** Those that stay: an init container that ends by itself is not probed. */
export function runningContainers(pod: PodObject, state: PodState): readonly Probed[] {
  return state.containers.flatMap((record) =>
    record.role !== 'init' && record.run.kind === 'running'
      ? [
          {
            name: record.name,
            startedMs: record.run.startedMs,
            started: isStarted(pod, record),
            readinessPassed: record.readinessPassed,
          },
        ]
      : [],
  );
}

/** A TCP port has no other way to fail than to be closed. */
export function wantedPorts(pod: PodObject, running: readonly Probed[]): readonly ProbedPort[] {
  if (running.length === 0) return [];
  return probedPorts(pod).filter(
    ({ container, port, protocol }) =>
      running.some(({ name }) => name === container) && (protocol !== 'tcp' || probeModeOf(pod, { port }) === 'ok'),
  );
}

/** Most changes of a pod are the statuses that are written here. */
export function concernsNode({ type, object, previous }: ViewEvent): boolean {
  if (type !== 'MODIFIED' || !previous) return true;
  const [now, before] = [object as PodObject, previous as PodObject];
  return (
    now.metadata.generation !== before.metadata.generation ||
    now.metadata.deletionTimestamp !== before.metadata.deletionTimestamp ||
    now.metadata.deletionGracePeriodSeconds !== before.metadata.deletionGracePeriodSeconds ||
    now.spec.nodeName !== before.spec.nodeName ||
    (now.spec.readinessGates ?? []).length > 0 ||
    !sameJson(now.metadata.annotations, before.metadata.annotations) ||
    !sameJson(now.metadata.finalizers, before.metadata.finalizers)
  );
}
