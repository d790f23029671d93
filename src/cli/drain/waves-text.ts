import type { BlockedPod, DrainSimulation } from '../../core/drain/simulate.ts';
import type { Charge } from '../../core/verdict.ts';
import { table } from '../table.ts';

/** What evicting so many pods would do, for people. */
export function simulationText(title: string, pods: number, result: DrainSimulation): string {
  const sections = [`${title}\n`];
  const steps = result.waves.flatMap((wave, index) =>
    wave.map(({ pod, charges }) => [String(index + 1), pod.namespace, pod.name, ...effects(charges)]),
  );
  if (steps.length > 0) sections.push(table(['WAVE', 'NAMESPACE', 'POD', 'UNIT', 'EFFECT', 'BUDGET'], steps));
  if (result.waiting.length > 0) sections.push(`\nNot in wave 1, because:\n${blocked(result.waiting)}`);
  if (result.stuck.length > 0) sections.push(`\nCan never go as things are:\n${blocked(result.stuck)}`);
  sections.push(`\n${summary(pods, result)}\n`);
  return sections.join('\n');
}

function effects(charges: readonly Charge[]): readonly [string, string, string] {
  const [charge] = charges;
  if (charge === undefined) return ['-', 'not protected', '-'];
  const worst = charges.find((one) => one.effect === 'breaks') ?? charge;
  const words = { breaks: `breaks a ${worst.unitKind}`, surplus: 'surplus', down: 'already down' } as const;
  return [
    worst.unit,
    words[worst.effect],
    `${worst.budget.name} (${worst.available} available, ${worst.desired} needed)`,
  ];
}

function blocked(pods: readonly BlockedPod[]): string {
  return pods
    .flatMap(({ pod, blockers }) =>
      blockers.map((one) => `  ${pod.namespace}/${pod.name}: ${one.message}; ${one.unblock}`),
    )
    .join('\n');
}

function summary(pods: number, result: DrainSimulation): string {
  const gone = pods - result.stuck.length;
  const waves = `${result.waves.length} ${result.waves.length === 1 ? 'wave' : 'waves'}`;
  return `${gone} of ${pods} pods can go, in ${waves}; ${result.stuck.length} can never go as things are.`;
}
