import type { BlockedPod, DrainSimulation, PodKey } from '../../core/drain/simulate.ts';
import type { Charge } from '../../core/verdict.ts';
import { table } from '../table.ts';

export interface RoundsFacts {
  readonly title: string;
  readonly pods: number;
  /** Pods that no controller recreates. */
  readonly isLost: (pod: PodKey) => boolean;
}

/** What evicting these pods would do, for people. */
export function roundsText({ title, pods, isLost }: RoundsFacts, result: DrainSimulation): string {
  const sections = [`${title}\n`];
  const steps = result.rounds.flatMap((round, index) =>
    round.map(({ pod, charges }) => [String(index + 1), pod.namespace, pod.name, ...effects(charges, isLost(pod))]),
  );
  const later = result.waiting.filter(({ pod }) => !result.stuck.some((one) => one.pod === pod));
  if (steps.length > 0) sections.push(table(['ROUND', 'NAMESPACE', 'POD', 'UNIT', 'EFFECT', 'BUDGET'], steps));
  if (later.length > 0) sections.push(`\nNot in round 1, because:\n${blocked(later)}`);
  if (result.stuck.length > 0)
    sections.push(`\nCannot be evicted:\n${blocked(result.stuck)}${lostText(result, isLost)}`);
  sections.push(`\n${summary(pods, result)}\n`);
  return sections.join('\n');
}

function effects(charges: readonly Charge[], lost: boolean): readonly [string, string, string] {
  const [charge] = charges;
  const after = lost ? ', not recreated' : '';
  if (charge === undefined) return ['-', `not protected${after}`, '-'];
  const worst = charges.find((one) => one.effect === 'breaks') ?? charge;
  const words = { breaks: `breaks a ${worst.unitKind}`, surplus: 'surplus', down: 'already down' } as const;
  return [
    worst.unit,
    `${words[worst.effect]}${after}`,
    `${worst.budget.name} (${worst.available} available, ${worst.desired} needed)`,
  ];
}

/** A budget that a lost pod was counted in does not recover by waiting. */
function lostText({ rounds }: DrainSimulation, isLost: (pod: PodKey) => boolean): string {
  const lost = rounds.flat().filter(({ pod, charges }) => charges.length > 0 && isLost(pod));
  if (lost.length === 0) return '';
  const names = lost.map(({ pod }) => `${pod.namespace}/${pod.name}`).join(', ');
  return `\n  Not recreated after their eviction, so their budgets do not recover: ${names}`;
}

function blocked(pods: readonly BlockedPod[]): string {
  return pods
    .flatMap(({ pod, blockers }) =>
      blockers.map((one) => `  ${pod.namespace}/${pod.name}: ${one.message}; ${one.unblock}`),
    )
    .join('\n');
}

function summary(pods: number, { rounds, stuck }: DrainSimulation): string {
  const count = `${rounds.length} ${rounds.length === 1 ? 'round' : 'rounds'}`;
  return `${pods - stuck.length} of ${pods} pods can be evicted, in ${count}; ${stuck.length} cannot.`;
}
