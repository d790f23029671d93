import { compareStrings } from '../compare.ts';
import { podKeyOf } from '../drain/simulate.ts';
import type { Charge } from '../verdict.ts';
import { defaultGraceSeconds, type PlanOptions } from './input.ts';
import type { Mover } from './movers.ts';
import { groupName, type PackedWave } from './pack-wave.ts';
import type { BudgetUse, PlannedWave } from './plan-result.ts';

/** A wave as people and programs read it. */
export function describeWave({ members }: PackedWave, options: PlanOptions): PlannedWave {
  const count = Math.max(...members.map(({ rounds }) => rounds.length));
  const rounds = Array.from({ length: count }, (_, i) => members.flatMap(({ rounds: own }) => own[i] ?? []));
  const charges = rounds.flatMap((parts) => parts.flatMap((part) => part.charges));
  const broken = new Set(charges.map(groupName));
  return {
    nodes: members.map(({ candidate, surge, rounds: own }) => ({
      name: candidate.name,
      pods: candidate.alone.order.length,
      rounds: own.length,
      surge,
      groups: [...new Set(own.flatMap(({ groups }) => [...groups]))].filter((group) => broken.has(group)).sort(),
    })),
    rounds: rounds.map((parts) => parts.flatMap(({ movers }) => movers.map(({ pod }) => podKeyOf(pod)))),
    budgets: budgetUses(charges),
    seconds: rounds.reduce(
      (sum, parts) =>
        sum +
        secondsOf(
          parts.flatMap(({ movers }) => movers),
          options,
        ),
      0,
    ),
  };
}

/** The slowest pod to leave, and then the time that replacements take. A round without pods takes no time. */
function secondsOf(movers: readonly Mover[], { startUpSeconds }: PlanOptions): number {
  if (movers.length === 0) return 0;
  return (
    startUpSeconds + movers.reduce((most, { shape }) => Math.max(most, shape?.graceSeconds ?? defaultGraceSeconds), 0)
  );
}

function budgetUses(charges: readonly Charge[]): readonly BudgetUse[] {
  const uses = new Map<string, { -readonly [K in keyof BudgetUse]: BudgetUse[K] } & { broken: string[] }>();
  for (const charge of charges) {
    const { budget, unitKind, unit, desired = 0 } = charge;
    const available = charge.available - 1;
    const key = `${budget.namespace}/${budget.name}/${budget.kind}/${unitKind}`;
    const use = uses.get(key);
    if (use === undefined) {
      uses.set(key, { budget, unitKind, broken: [unit], available, desired, atLimit: available <= desired });
      continue;
    }
    use.broken.push(unit);
    if (available < use.available) use.available = available;
    use.atLimit = use.available <= desired;
  }
  return [...uses].sort(([a], [b]) => compareStrings(a, b)).map(([, use]) => use);
}
