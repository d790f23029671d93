import type { Gap } from '../../observe/once/gap.ts';
import type { KindReader } from '../../observe/once/kind-reader.ts';
import type { LiveWorld } from '../../observe/once/live-world.ts';
import { readNodes } from '../../observe/once/nodes.ts';
import { type BudgetView, budgetViews } from './budget-view.ts';
import { namespacesWithBudgets } from './elsewhere.ts';
import { healthChecks, type OperatorCheck } from './health.ts';
import { type NodeView, nodeViews } from './node-view.ts';
import { readHealth } from './read-health.ts';
import { someOf } from './some-of.ts';
import { type Summary, summaryOf } from './summary.ts';

/** What is protected, what can be evicted now, and whether an operator judges. */
export interface StatusReport {
  readonly time: string;
  /** Empty: all. */
  readonly namespaces: readonly string[];
  readonly budgets: readonly BudgetView[];
  /** Only with their pods of these namespaces. */
  readonly nodes: readonly NodeView[];
  readonly operator: readonly OperatorCheck[];
  readonly gaps: readonly Gap[];
  readonly remarks: readonly string[];
  /** In numbers, and of everything that was read. */
  readonly summary: Summary;
  /** Only what is blocked is listed. */
  readonly filter?: 'blocked';
}

export async function readStatus(
  reader: KindReader,
  live: LiveWorld,
  nodeSelector: string | undefined,
): Promise<StatusReport> {
  const nodes = await readNodes(reader, nodeSelector);
  const health = await readHealth(reader, live);
  const { world, readAt, scope, gaps } = live;
  const follows = 'only nodes with pods in view are shown, and whether they are ready is unknown';
  const noNodes = nodes.kind === 'denied' ? [{ what: 'nodes', why: nodes.why, follows }] : [];
  const views = {
    budgets: budgetViews(world),
    nodes: nodeViews(world, nodes.kind === 'read' ? nodes.items : undefined, readAt),
    operator: healthChecks(health),
  };
  const namespaces = scope.kind === 'all' ? [] : scope.namespaces;
  const hint = views.budgets.length === 0 && scope.kind === 'some' ? await elsewhereHint(reader) : [];
  return {
    time: new Date(readAt).toISOString(),
    summary: summaryOf(views),
    namespaces,
    ...views,
    gaps: [...gaps, ...noNodes],
    remarks: [...remarksOf(live), ...hint],
  };
}

/** A user who forgot -A sees an empty table, and must not take it for "nothing is protected". */
async function elsewhereHint(reader: KindReader): Promise<readonly string[]> {
  const others = await namespacesWithBudgets(reader);
  if (others.length === 0) return [];
  const have = others.length === 1 ? 'namespace has' : 'namespaces have';
  return [`${others.length} other ${have} budgets (${someOf(others)}): use -A, or -n NAMESPACE`];
}

/** How this may differ from what the operator says. */
export function remarksOf({ leases, registrations }: Pick<LiveWorld, 'leases' | 'registrations'>): readonly string[] {
  const byTheirTimes = [...leases.values()].filter(({ by }) => by === 'renewTime');
  const ahead = byTheirTimes.filter(({ state }) => state === 'ahead').map(({ node }) => node);
  return [
    ...(byTheirTimes.length === 0 ? [] : [lookedOnce]),
    ...(ahead.length === 0 ? [] : [`leases of agents are from the future, and are not believed: ${someOf(ahead)}`]),
    ...(registrations.kind === 'known' && registrations.kruise ? [leftToKruise] : []),
  ];
}

const lookedOnce =
  'probe freshness is estimated from lease timestamps; status -w observes renewals, as the operator does';
const leftToKruise = 'PodUnavailableBudgets are left to Kruise, which is registered here, and are not shown';
