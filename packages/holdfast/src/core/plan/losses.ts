import type { BudgetRef, Charge, Verdict } from '../verdict.ts';
import { obtain } from '../world/selector-index.ts';

/** A budget as a plan spends it: so many units may be down at once. */
export interface BudgetAllowance {
  readonly budget: BudgetRef;
  readonly unitKind: 'pod' | 'group';
  /** Available units beyond the desired ones, with nothing drained. */
  readonly allowed: number;
}

/** One unit of a budget that goes down. */
export interface LostUnit {
  readonly allowance: BudgetAllowance;
  readonly unit: string;
}

/** The budgets that drains were charged to, each with what it gives at rest, as the engine says. */
export class BudgetAllowances {
  readonly #known = new Map<string, BudgetAllowance>();
  readonly #losses = new Map<string, LostUnit>();

  /** `atRest` asks about the charged pod while nothing is drained. */
  lossOf(charge: Charge, atRest: () => Verdict): LostUnit {
    const key = allowanceKey(charge);
    return obtain(this.#losses, `${key} ${charge.unit}`, () => {
      const { budget, unitKind, unit } = charge;
      const allowance = obtain(this.#known, key, () => ({ budget, unitKind, allowed: allowedAtRest(key, atRest()) }));
      return { allowance, unit };
    });
  }

  /** Undefined for a budget that no node alone is charged to. */
  allowanceOf(charge: Charge): BudgetAllowance | undefined {
    return this.#known.get(allowanceKey(charge));
  }
}

/** One PDB may count groups for some pods, and be Kubernetes' own for others. */
function allowanceKey({ budget, unitKind }: Charge): string {
  return `${budget.kind}/${budget.namespace}/${budget.name}/${unitKind}`;
}

/** Infinite where it is unknown: then only the engine says no. */
function allowedAtRest(key: string, verdict: Verdict): number {
  if (verdict.result === 'deny') return Number.POSITIVE_INFINITY;
  const charge = verdict.charges.find((one) => allowanceKey(one) === key);
  return charge?.desired === undefined ? Number.POSITIVE_INFINITY : charge.available - charge.desired;
}
