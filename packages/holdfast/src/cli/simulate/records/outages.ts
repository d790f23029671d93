import type { BudgetResult, GroupResult, Outage, SimulationResult, Span } from '../simulation-result.ts';
import { momentText, spanText } from '../texts/times.ts';

/**
 * When a workload had no group that serves, or a budget over pods no pod. What was down from the beginning is not an outage that the
 * simulation caused.
 */
export function outagesOf({
  groups,
  budgets,
  durationMs,
}: Pick<SimulationResult, 'groups' | 'budgets' | 'durationMs'>): readonly Outage[] {
  const workloads = new Map<string, GroupResult[]>();
  for (const group of groups) {
    const of = `${group.namespace}/${group.of}`;
    const known = workloads.get(of);
    if (known === undefined) workloads.set(of, [group]);
    else known.push(group);
  }
  const ofGroups = [...workloads].flatMap(([of, members]) =>
    allDown(members, durationMs).map((span): Outage => ({ unit: 'group', of, ...span })),
  );
  return [...ofGroups, ...budgets.flatMap(podOutages)].sort((a, b) => a.from - b.from);
}

function podOutages({ budget, unit, none, available }: BudgetResult): readonly Outage[] {
  if (unit !== 'pod') return [];
  const caused = available === 0 ? none.slice(1) : none;
  return caused.map((span) => ({ unit, of: `${budget.namespace}/${budget.name}`, ...span }));
}

/** The spans in which every one of these groups was down. */
function allDown(groups: readonly GroupResult[], end: number): readonly Span[] {
  const [first, ...others] = groups;
  let common: readonly Span[] = first?.down ?? [];
  for (const { down } of others) common = common.flatMap((one) => down.flatMap((other) => overlap(one, other, end)));
  return groups.every(({ startedDown }) => startedDown === true) ? common.filter(({ from }) => from > 0) : common;
}

function overlap(a: Span, b: Span, end: number): readonly Span[] {
  const from = Math.max(a.from, b.from);
  const to = Math.min(a.to ?? Number.POSITIVE_INFINITY, b.to ?? Number.POSITIVE_INFINITY);
  if (from >= Math.min(to, end)) return [];
  return [Number.isFinite(to) ? { from, to } : { from }];
}

/** `no group of shop/llm served from t+00:01 to t+00:19 (18s)`. */
export function outageText({ unit, of, from, to }: Outage, end: number): string {
  const what = unit === 'group' ? `no group of ${of} served` : `no pod of ${of} was available`;
  const until = to === undefined ? 'the end' : momentText(to);
  return `${what} from ${momentText(from)} to ${until} (${spanText((to ?? end) - from)})`;
}

/** How long something did not serve at all, every workload for itself. */
export function outageMs({ outages, durationMs }: Pick<SimulationResult, 'outages' | 'durationMs'>): number {
  return outages.reduce((sum, { from, to = durationMs }) => sum + to - from, 0);
}
