import type { Charge } from '../../core/verdict.ts';
import { ageText } from '../output/age.ts';
import { table } from '../table.ts';
import type { NodeExplanation, NodePod } from './explain-node.ts';
import { section } from './layout.ts';
import { blockerLines, type WordsOptions } from './pod-text.ts';

export function nodeText({ node, pods, lease }: NodeExplanation, { paint }: WordsOptions): string {
  const { now, later, stuck } = node;
  const whole = later + stuck === 0;
  const may = whole ? paint('good', 'all of its pods may go now') : paint('bad', 'not all of its pods may go now');
  const counts = `${node.pods} ${node.pods === 1 ? 'pod' : 'pods'} that a drain would evict: ${now} go now, ${later} later, ${stuck} cannot go as things are`;
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
  const rows = pods.map(({ namespace, name, wave, charges }) => [
    namespace,
    name,
    whenText(wave),
    ...effectCells(charges),
  ]);
  return table(['NAMESPACE', 'POD', 'GOES', 'UNIT', 'EFFECT', 'BUDGET'], rows);
}

function whenText(wave: number | undefined): string {
  if (wave === undefined) return 'not as things are';
  return wave === 1 ? 'now' : `in wave ${wave}`;
}

const effects = { breaks: 'breaks it', surplus: 'costs nothing', down: 'is down already' } as const;

function effectCells(charges: readonly Charge[]): readonly [string, string, string] {
  const worst = charges.find(({ effect }) => effect === 'breaks') ?? charges[0];
  if (worst === undefined) return ['-', '-', '-'];
  const { unitKind, unit, effect, budget } = worst;
  return [`${unitKind} ${unit}`, effects[effect], budget.name];
}

function blockedLines({ namespace, name, blockers }: NodePod): readonly string[] {
  return [`${namespace}/${name}`, ...blockers.flatMap(blockerLines).map((line) => `  ${line}`)];
}
