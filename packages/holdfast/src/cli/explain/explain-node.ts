import { type DrainSimulation, podKeyOf, simulateDrain } from '../../core/drain/simulate.ts';
import type { Blocker, Charge } from '../../core/verdict.ts';
import type { LiveWorld } from '../../observe/once/live-world.ts';
import type { LeaseView } from '../../observe/once/probe-lease-book.ts';
import { type NamedNode, type NodeView, nodeView, podsByNode } from '../status/node-view.ts';

/** One pod's part in a drain of its node. */
export interface NodePod {
  readonly namespace: string;
  readonly name: string;
  /** 1: now; more: when those that went before are back; absent: not as things are. */
  readonly round?: number;
  readonly charges: readonly Charge[];
  /** Why not now. */
  readonly blockers: readonly Blocker[];
}

export interface NodeExplanation {
  readonly node: NodeView;
  readonly pods: readonly NodePod[];
  /** The agent that asks the probes of its pods. */
  readonly lease?: Pick<LeaseView, 'holder' | 'state' | 'by'> & { readonly ageSeconds: number };
}

export function explainNode(live: LiveWorld, node: NamedNode): NodeExplanation {
  const { world, readAt, leases } = live;
  const pods = (podsByNode(world).get(node.name) ?? []).map(podKeyOf);
  const drained = simulateDrain(world, pods, readAt, { order: 'any' });
  const lease = leases.get(node.name);
  return {
    node: nodeView(node, pods.length, drained),
    pods: partsOf(drained),
    ...(lease === undefined
      ? {}
      : {
          lease: {
            holder: lease.holder,
            state: lease.state,
            by: lease.by,
            ageSeconds: Math.round(lease.ageMs / 1_000),
          },
        }),
  };
}

function partsOf({ rounds, waiting, stuck }: DrainSimulation): readonly NodePod[] {
  const why = new Map(waiting.map(({ pod, blockers }) => [`${pod.namespace}/${pod.name}`, blockers]));
  const going = rounds.flatMap((round, index) =>
    round.map(({ pod, charges }) => ({
      ...pod,
      round: index + 1,
      charges,
      blockers: why.get(`${pod.namespace}/${pod.name}`) ?? [],
    })),
  );
  return [...going, ...stuck.map(({ pod, blockers }) => ({ ...pod, charges: [], blockers }))];
}
