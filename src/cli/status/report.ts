import type { Gap } from '../live/gap.ts';
import type { KindReader } from '../live/kind-reader.ts';
import type { LiveWorld } from '../live/live-world.ts';
import { readNodes } from '../live/nodes.ts';
import { type BudgetView, budgetViews } from './budget-view.ts';
import { type Check, healthChecks, someOf } from './health.ts';
import { type NodeView, nodeViews } from './node-view.ts';
import { readHealth } from './read-health.ts';

/** What is protected, what may go now, and whether anybody judges. */
export interface StatusReport {
  readonly time: string;
  /** Empty: all. */
  readonly namespaces: readonly string[];
  readonly budgets: readonly BudgetView[];
  /** Only with their pods of these namespaces. */
  readonly nodes: readonly NodeView[];
  readonly operator: readonly Check[];
  readonly gaps: readonly Gap[];
  readonly remarks: readonly string[];
}

export async function readStatus(
  reader: KindReader,
  live: LiveWorld,
  nodeSelector: string | undefined,
): Promise<StatusReport> {
  const nodes = await readNodes(reader, nodeSelector);
  const health = await readHealth(reader, live);
  const { world, readAt, scope, gaps } = live;
  const follows = 'those are shown on which pods in view run, and whether they are ready is not known';
  const noNodes = nodes.kind === 'denied' ? [{ what: 'nodes', why: nodes.why, follows }] : [];
  return {
    time: new Date(readAt).toISOString(),
    namespaces: scope.kind === 'all' ? [] : scope.namespaces,
    budgets: budgetViews(world),
    nodes: nodeViews(world, nodes.kind === 'read' ? nodes.items : undefined, readAt),
    operator: healthChecks(health),
    gaps: [...gaps, ...noNodes],
    remarks: remarksOf(live),
  };
}

/** What somebody should know who compares this with what the operator says. */
export function remarksOf({ leases, registrations }: Pick<LiveWorld, 'leases' | 'registrations'>): readonly string[] {
  const byTheirTimes = [...leases.values()].filter(({ by }) => by === 'renewTime');
  const ahead = byTheirTimes.filter(({ state }) => state === 'ahead').map(({ node }) => node);
  return [
    ...(byTheirTimes.length === 0 ? [] : [lookedOnce]),
    ...(ahead.length === 0 ? [] : [`leases of agents are from our future, and are not believed: ${someOf(ahead)}`]),
    ...(registrations.kind === 'known' && registrations.kruise ? [leftToKruise] : []),
  ];
}

const lookedOnce =
  "disruption probes are judged by the times in their agents' leases: who looks once sees no renewal, as the operator does";
const leftToKruise = 'PodUnavailableBudgets are left to Kruise, which is registered here: what it says is not in this';
