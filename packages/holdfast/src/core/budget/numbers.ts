import type { BudgetRef, ExpectedSource } from '../verdict.ts';
import type { PdbState } from '../world/pdb-state.ts';
import type { PubState } from '../world/pub/pub-state.ts';
import type { World } from '../world/world.ts';

/** The numbers of one budget as the rule sees them now. */
export interface BudgetNumbers {
  readonly mode: 'group' | 'perPod' | 'plain' | 'pub' | 'invalid';
  readonly available: number;
  readonly desired?: number;
  readonly expected?: number;
  readonly source?: ExpectedSource;
}

export function budgetNumbers(world: World, ref: BudgetRef, now: number): BudgetNumbers | undefined {
  world.advance(now);
  const state = world.namespace(ref.namespace);
  if (ref.kind === 'PodUnavailableBudget') {
    const pub = state?.pubs.get(ref.name);
    return pub === undefined ? undefined : numbersOf(pub, 'pub');
  }
  const pdb = state?.pdbs.get(ref.name);
  return pdb === undefined ? undefined : numbersOf(pdb, pdb.mode);
}

function numbersOf(budget: PdbState | PubState, mode: BudgetNumbers['mode']): BudgetNumbers {
  if (budget.rules === undefined) return { mode: 'invalid', available: 0 };
  const desired = budget.desired();
  const expected = budget.expected();
  return {
    mode,
    available: budget.available,
    ...(desired.known ? { desired: desired.count } : {}),
    ...(expected.known ? { expected: expected.count, source: expected.source } : {}),
  };
}
