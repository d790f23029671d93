import type { BudgetUse, DrainPlan, LowerBound, PlannedWave, StuckNode } from '../../core/plan/plan-result.ts';
import type { BudgetRef } from '../../core/verdict.ts';
import { ageText } from '../output/age.ts';
import type { Paint } from '../output/paint.ts';
import { table } from '../table.ts';

/** More than this is counted in the table, and listed in full as JSON. */
const maxNamed = 6;
/** A node may have a hundred pods that are refused for the same reason. */
const maxPodsPerNode = 5;

/** A plan for people. */
export function planText(plan: DrainPlan, asked: number, paint: Paint): string {
  const drained = plan.waves.reduce((sum, { nodes }) => sum + nodes.length, 0);
  const head = `Plan for ${counted(asked, 'node')}: ${drained} can be drained, in ${counted(plan.waves.length, 'wave')}.`;
  const sections = [paint('strong', head)];
  if (plan.waves.length > 0) sections.push(waveTable(plan.waves), plan.waves.map(nodeLines).join('\n'));
  if (plan.never.length > 0) sections.push(neverSection(plan.never, paint));
  if (plan.waves.length > 0) sections.push(...closing(plan));
  return `${sections.join('\n\n')}\n`;
}

function waveTable(waves: readonly PlannedWave[]): string {
  const rows = waves.map((wave, index) => [
    String(index + 1),
    String(wave.nodes.length),
    String(wave.rounds.reduce((sum, pods) => sum + pods.length, 0)),
    String(wave.rounds.length),
    ageText(wave.seconds * 1_000),
    some(groupsDown(wave)),
    some(wave.budgets.filter(({ atLimit }) => atLimit).map(limitText)),
  ]);
  return table(['WAVE', 'NODES', 'PODS', 'ROUNDS', 'ABOUT', 'GROUPS DOWN', 'BUDGETS AT THEIR LIMIT'], rows);
}

function groupsDown({ nodes }: PlannedWave): readonly string[] {
  return [...new Set(nodes.flatMap(({ groups }) => groups))].sort();
}

function limitText({ budget, available, desired }: BudgetUse): string {
  return `${budget.namespace}/${budget.name} (${available} left, ${desired} needed)`;
}

function nodeLines({ nodes }: PlannedWave, index: number): string {
  const names = nodes.map(({ name, surge }) => (surge ? `${name} (replaced first)` : name));
  return `Wave ${index + 1}: ${names.join(' ')}`;
}

function neverSection(never: readonly StuckNode[], paint: Paint): string {
  const head = paint('bad', `Cannot be drained: ${counted(never.length, 'node')}`);
  return [head, ...never.flatMap((one) => stuckLines(one).map((line) => `  ${line}`))].join('\n');
}

/** Why a node cannot be drained. */
export function stuckLines(stuck: StuckNode): readonly string[] {
  const { node } = stuck;
  if (stuck.why === 'noRoom') {
    const { namespace, name } = stuck.pod;
    return [`${node}: no other node has room for ${namespace}/${name}; add nodes, or plan with --max-surge`];
  }
  const all =
    stuck.why === 'noController'
      ? stuck.pods.map(
          ({ namespace, name }) => `${namespace}/${name} has no controller and would not be recreated (use --force)`,
        )
      : stuck.pods.flatMap(({ pod, blockers }) =>
          blockers.map((one) => `${pod.namespace}/${pod.name}: ${one.message}; ${one.unblock}`),
        );
  const shown = all.slice(0, maxPodsPerNode).map((line) => `${node}: ${line}`);
  return all.length > shown.length ? [...shown, `${node}: and ${all.length - shown.length} more reasons`] : shown;
}

function closing({ waves, lowerBound, seconds, room }: DrainPlan): readonly string[] {
  const shortest = lowerBound.waves >= waves.length;
  const bound = shortest
    ? `No plan has fewer waves: ${boundText(lowerBound)}.`
    : `At least ${counted(lowerBound.waves, 'wave')}: ${boundText(lowerBound)}. Whether a plan with fewer than ${waves.length} exists is not known.`;
  const time = `About ${ageText(seconds * 1_000)} in all: an estimate from grace periods and start-up times, without the maintenance itself.`;
  const assumed = 'Each wave assumes that all pods of the wave before are healthy again.';
  const unseen = 'Room for these pods was not checked: the snapshot has no Node objects.';
  return [bound, [time, assumed, ...(room === 'notLookedAt' ? [unseen] : [])].join('\n')];
}

export function boundText(bound: LowerBound): string {
  switch (bound.why) {
    case 'nothingToDrain':
      return 'there is nothing to drain';
    case 'oneIsNeeded':
      return 'there are nodes to drain';
    case 'budget':
      return budgetBoundText(bound);
    case 'room':
      return `nodes with ${amount(bound.resource, bound.needed)} are to be emptied, and ${amount(bound.resource, bound.free)} are free at a time`;
    case 'search':
      return `all ${bound.tried} sets of these nodes were tried`;
    case 'firstWave':
      return `the first wave cannot take all of these nodes (${boundText(bound.because)})`;
  }
}

function budgetBoundText(bound: Extract<LowerBound, { readonly why: 'budget' }>): string {
  const { budget, unitKind, allowed, units, rounds } = bound;
  const slow = rounds === 1 ? '' : `, in waves of at most ${rounds} rounds`;
  return `${nameOf(budget)} lets ${counted(allowed, unitKind)} go at once, and ${counted(units, unitKind)} of it must${slow}`;
}

const gib = 1024 ** 3;

function amount(resource: string, value: number): string {
  if (resource === 'cpu') return `${(value / 1_000).toFixed(1)} CPUs`;
  if (resource === 'memory') return `${(value / gib).toFixed(1)} GiB of memory`;
  return resource === 'pods' ? `room for ${value} pods` : `${value} ${resource}`;
}

function nameOf({ kind, namespace, name }: BudgetRef): string {
  return `${kind} ${namespace}/${name}`;
}

function some(names: readonly string[]): string {
  if (names.length === 0) return '-';
  const shown = names.slice(0, maxNamed).join(', ');
  return names.length > maxNamed ? `${shown} and ${names.length - maxNamed} more` : shown;
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}
