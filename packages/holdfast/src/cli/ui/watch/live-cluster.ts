import type { Namespace } from '@holdfast/base/meta';
import type { ProbeLease } from '../../../core/lease.ts';
import { KindReader } from '../../../observe/once/kind-reader.ts';
import type { LiveWorld } from '../../../observe/once/live-world.ts';
import type { LeaseView } from '../../../observe/once/probe-lease-book.ts';
import { readRegistrations } from '../../../observe/once/registrations.ts';
import { everywhere, only } from '../../../observe/once/scope.ts';
import type { ReadSession } from '../../../observe/session.ts';
import type { OperatorHead } from '../../../ui/model.ts';
import { healthChecks, type OperatorCheck } from '../../status/health.ts';
import { readHealth } from '../../status/read-health.ts';
import { summaryOf } from '../../status/summary.ts';
import type { ClusterWatch } from './cluster-watch.ts';

/** The followed cluster in the shape in which the commands that look once have it: so `explain` answers from it as it is. */
export function liveWorldOf(watch: ClusterWatch, session: ReadSession, within: string | undefined): LiveWorld {
  const { clock } = session;
  const readAt = clock.now();
  const namespaces = new Map<string, Namespace>();
  for (const one of watch.namespaces.items()) namespaces.set(one.metadata.name, one);
  const leases = new Map<string, LeaseView>();
  for (const [node, lease] of watch.leases()) leases.set(node, leaseView(node, lease, clock.monotonic()));
  return {
    world: watch.world,
    scope: within === undefined ? everywhere : only(within),
    readAt,
    gaps: watch.rights.gaps(),
    namespaces,
    builtin: new Map(),
    leases,
    registrations: watch.registrations,
    operatorNamespace: watch.operatorNamespace,
  };
}

/** Who holds a lease is read where it is asked for. */
function leaseView(node: string, { renewedAt, durationSeconds, pods }: ProbeLease, now: number): LeaseView {
  const ageMs = now - renewedAt;
  const state = ageMs < durationSeconds * 1_000 ? 'fresh' : 'expired';
  return { node, holder: '', durationSeconds, pods: pods ?? new Set(), ageMs, by: 'seen', state };
}

/** Reads what no watch shows of the operator. */
export async function readOperator(
  watch: ClusterWatch,
  session: ReadSession,
  within: string | undefined,
): Promise<readonly OperatorCheck[]> {
  const reader = new KindReader(session);
  watch.setRegistrations(await readRegistrations(reader));
  return healthChecks(await readHealth(reader, liveWorldOf(watch, session, within)));
}

const ranks = { failed: 0, warning: 1, unknown: 2, ok: 3 } as const;

export function operatorHead(checks: readonly OperatorCheck[], agents: OperatorHead['agents']): OperatorHead {
  const { operator: state } = summaryOf({ budgets: [], nodes: [], operator: checks });
  const rows = checks.map(({ check, state: one, detail }) => ({ check, state: one, detail }));
  return {
    state: checks.length === 0 ? 'unknown' : state,
    checks: rows.sort((a, b) => ranks[a.state] - ranks[b.state]),
    ...(agents === undefined ? {} : { agents }),
  };
}

/** Agents that have to confirm the answers of probed pods, and how many of them are heard. */
export function agentCounts(watch: ClusterWatch): OperatorHead['agents'] {
  const nodes = new Set<string>();
  for (const { probedPods } of watch.world.namespaces()) {
    for (const { node, live } of probedPods) if (live && node !== undefined && node !== '') nodes.add(node);
  }
  if (nodes.size === 0) return undefined;
  const fresh = [...nodes].filter((node) => watch.confirmedAt(node) !== undefined).length;
  return { fresh, total: nodes.size };
}
