import type { Blocker, BudgetRef } from '../../core/verdict.ts';
import { ageText } from '../output/age.ts';
import { budgetKindText } from '../status/status-text.ts';
import { table } from '../table.ts';
import type { NodeExplanation, NodePod } from './explain-node.ts';
import { section } from './layout.ts';
import { blockerLines, type WordsOptions } from './pod-text.ts';

export function nodeText({ node, pods, lease }: NodeExplanation, { paint }: WordsOptions): string {
  const { now, later, stuck } = node;
  const whole = later + stuck === 0;
  const may = whole
    ? paint('good', 'all its pods can be evicted now')
    : paint('bad', 'not all its pods can be evicted now');
  const counts = `${node.pods} ${node.pods === 1 ? 'pod' : 'pods'} that a drain would evict: ${now} evictable now, ${later} after recovery, ${stuck} blocked`;
  const agent =
    lease === undefined
      ? []
      : [`agent ${lease.holder}: its lease is ${lease.state}, renewed ${ageText(lease.ageSeconds * 1_000)} ago`];
  const head = [
    `${paint('strong', `Node ${node.name}`)}: ${may}.`,
    `  ${counts}`,
    ...agent.map((line) => `  ${line}`),
  ].join('\n');
  const blocked = pods.filter(({ blockers }) => blockers.length > 0);
  return [
    head,
    ...(pods.length === 0 ? [] : [podTable(pods)]),
    ...(blocked.length === 0 ? [] : [section('Why not now', blocked.flatMap(blockedLines), paint)]),
  ].join('\n\n');
}

function podTable(pods: readonly NodePod[]): string {
  const rows = pods.map((pod) => [pod.namespace, pod.name, whenText(pod.round), ...effectCells(pod)]);
  return table(['NAMESPACE', 'POD', 'EVICTABLE', 'UNIT', 'EFFECT', 'BUDGET'], rows);
}

function whenText(round: number | undefined): string {
  if (round === undefined) return 'blocked';
  return round === 1 ? 'now' : `after recovery (round ${round})`;
}

const effects = { breaks: 'goes down', surplus: 'stays up', down: 'is down already' } as const;

function effectCells({ charges, blockers }: NodePod): readonly [string, string, string] {
  const worst = charges.find(({ effect }) => effect === 'breaks') ?? charges[0];
  if (worst === undefined) return ['-', ...blockerCells(blockers)];
  const { unitKind, unit, effect, budget } = worst;
  return [`${unitKind} ${unit}`, effects[effect], budgetName(budget)];
}

/** A pod that cannot be evicted has no effect: the row names what blocks it. */
function blockerCells(blockers: readonly Blocker[]): readonly [string, string] {
  const [first] = blockers;
  if (first === undefined) return ['-', '-'];
  const more = blockers.length === 1 ? '' : ` and ${blockers.length - 1} more`;
  return [`${first.code}${more}`, first.budget === undefined ? '-' : budgetName(first.budget)];
}

function budgetName({ kind, name }: BudgetRef): string {
  return `${budgetKindText(kind)}/${name}`;
}

function blockedLines({ namespace, name, blockers }: NodePod): readonly string[] {
  return [`${namespace}/${name}`, ...blockers.flatMap(blockerLines).map((line) => `  ${line}`)];
}
