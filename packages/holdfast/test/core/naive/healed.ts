import { annotation, condition, label } from '../../../src/api/names.ts';
import type { Pod } from '../../../src/api/pod.ts';
import { nodes } from './domain.ts';
import type { Event } from './events.ts';
import type { NaiveState } from './state.ts';

/** What has to happen until every pod that runs is healthy, and no disruption is under way. Budgets and scales stay. */
export function healing(state: NaiveState): readonly Event[] {
  const reserved = [...state.reservations.values()].flat().length;
  return [
    ...state.pods.filter(runs).map((pod): Event => ({ kind: 'upsertPod', pod: healed(pod) })),
    ...nodes.map((node): Event => ({ kind: 'setProbeLease', node, ageSeconds: 0, durationSeconds: 1_000 })),
    ...Array.from({ length: reserved }, (): Event => ({ kind: 'releaseNth', nth: 0 })),
    // What the built-in check admitted and counted is over.
    ...state.pdbs.map(({ status: _, ...pdb }): Event => ({ kind: 'upsertPdb', pdb })),
  ];
}

/** A pod that is terminating or finished does not become healthy again. */
function runs({ metadata, status }: Pod): boolean {
  const isFinished = status?.phase === 'Succeeded' || status?.phase === 'Failed';
  return !isFinished && (metadata.deletionTimestamp ?? undefined) === undefined;
}

function healed(pod: Pod): Pod {
  const { [annotation.kruiseInPlaceState]: _, ...annotations } = pod.metadata.annotations ?? {};
  const labels = Object.entries(pod.metadata.labels ?? {}).filter(
    ([key]) => !key.startsWith(label.unavailablePodPrefix),
  );
  const isProbed = annotations[annotation.disruptionProbe] !== undefined;
  const probe = isProbed ? { [annotation.disruptionProbe]: '{"tcpSocket": {"port": 1}}' } : {};
  const gates = (pod.spec?.readinessGates ?? []).map(({ conditionType }) => conditionType);
  const types = new Set(['Ready', 'ContainersReady', condition.disruptable, ...gates]);
  return {
    ...pod,
    metadata: { ...pod.metadata, labels: Object.fromEntries(labels), annotations: { ...annotations, ...probe } },
    spec: { ...pod.spec, nodeName: pod.spec?.nodeName ?? nodes[0] },
    status: {
      ...pod.status,
      phase: 'Running',
      conditions: [...types].map((type) => ({ type, status: 'True' as const })),
    },
  };
}
