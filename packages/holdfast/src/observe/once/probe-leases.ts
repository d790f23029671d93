import { agentsNamespace } from '../../api/installation-names.ts';
import { probeLeaseLabels } from '../../api/probe-lease.ts';
import type { World } from '../../core/world/world.ts';
import type { Interner } from '../../kube/projection/interner.ts';
import type { ReadSession } from '../session.ts';
import { type Gap, listRight } from './gap.ts';
import type { KindReader } from './kind-reader.ts';
import { believed, foundLeaseProjection, type LeaseView, type ProbeLeaseBook } from './probe-lease-book.ts';
import { only } from './scope.ts';

export interface LeaseReading {
  readonly session: ReadSession;
  readonly reader: KindReader;
  readonly world: World;
  readonly interner: Interner;
  readonly book: ProbeLeaseBook;
}

export interface LeasesRead {
  /** By node. */
  readonly views: ReadonlyMap<string, LeaseView>;
  readonly gaps: readonly Gap[];
}

const kind = { group: 'coordination.k8s.io', kind: 'Lease' };
const follows = 'no answer of a disruption probe is trusted, and every pod with a probe is refused';

/** Reads the agents' leases only where a pod in view has a probe: nothing else needs that right. */
/** @param namespace the operator's */
export async function readProbeLeases(reading: LeaseReading, namespace: string): Promise<LeasesRead> {
  const { session, reader, world, interner, book } = reading;
  // Without any lease every pod with a probe is refused, so that it is safe not to know them.
  world.setSynced('leases', '0');
  const nodes = probedNodes(world);
  if (nodes.size === 0) return { views: new Map(), gaps: [] };
  const labelSelector = Object.entries(probeLeaseLabels)
    .map(([key, value]) => `${key}=${value}`)
    .join(',');
  const project = () => foundLeaseProjection(interner);
  const list = (where: string) => reader.list({ kind, scope: only(where), project, selection: { labelSelector } });
  const read = await list(agentsNamespace);
  const former = await list(namespace);
  const own = read.kind === 'read' ? read.items : [];
  const replaced = new Set(own.flatMap(({ content }) => (content.ok ? [content.value.node] : [])));
  // Agents of an earlier version keep theirs beside the operator, until they are replaced.
  const others = (former.kind === 'read' ? former.items : []).filter(
    ({ content }) => content.ok && !replaced.has(content.value.node),
  );
  const now = session.clock.now();
  const views = book.look([...own, ...others], now).filter(({ node }) => nodes.has(node));
  for (const view of views) {
    const lease = believed(view, now);
    if (lease !== undefined) world.setProbeLease(view.node, lease);
  }
  const gaps = read.kind === 'denied' ? [deniedLeasesGap(read.why)] : [];
  return { views: new Map(views.map((view) => [view.node, view])), gaps };
}

export function deniedLeasesGap(why: string): Gap {
  const right = listRight('coordination.k8s.io', 'leases', ['ProbeStale', 'ProbeUnconfirmed', 'UnitWithheld']);
  return { what: `leases in ${agentsNamespace}`, why, follows, right };
}

/** Nodes with probed pods: the leases of other nodes do not matter here. */
function probedNodes(world: World): ReadonlySet<string> {
  const nodes = new Set<string>();
  for (const state of world.namespaces()) {
    for (const { node } of state.probedPods) if (node !== undefined) nodes.add(node);
  }
  return nodes;
}
