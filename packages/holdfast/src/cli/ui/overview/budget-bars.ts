import { describeRefusal } from '../../../api/refusals/refusal-texts.ts';
import { budgetName } from '../../../api/wording.ts';
import { askToEvict } from '../../../core/drain/evict.ts';
import type { BudgetRef } from '../../../core/verdict.ts';
import type { PdbState } from '../../../core/world/pdb-state.ts';
import type { PubState } from '../../../core/world/pub/pub-state.ts';
import type { World } from '../../../core/world/world.ts';
import type { BlockedNote, BudgetBar, BudgetKind } from '../../../ui/model.ts';
import { type BudgetView, budgetView } from '../../status/budget-view.ts';
import { budgetKindText } from '../../status/status-text.ts';

export type BudgetState = PdbState | PubState;

/** A budget as a page shows it, before it is known since when it blocks. */
export interface BudgetFacts {
  readonly view: BudgetView;
  /** What would help; empty where nothing is blocked. */
  readonly help: string;
}

/** Names of units that are down: more are counted. */
const maxNames = 5;
/** A pod that the budget refuses is nearly always among its first. */
const maxTried = 20;

export function barKeyOf({ kind, namespace, name }: BudgetRef): string {
  return `${budgetKindText(kind)}/${namespace}/${name}`;
}

export function budgetAt(world: World, kind: BudgetKind, namespace: string, name: string): BudgetState | undefined {
  const state = world.namespace(namespace);
  return kind === 'pdb' ? state?.pdbs.get(name) : state?.pubs.get(name);
}

export function budgetFacts(world: World, budget: BudgetState, now: number): BudgetFacts | undefined {
  const state = world.namespace(budget.ref.namespace);
  if (state === undefined) return undefined;
  const view = budgetView(world, state, budget);
  return { view, help: view.blocked === undefined ? '' : helpFor(world, budget, view.blocked, now) };
}

/** What a refusal of one of its pods says; where it has none, what refusals with its reason say. */
function helpFor(world: World, budget: BudgetState, blocked: NonNullable<BudgetView['blocked']>, now: number): string {
  let tried = 0;
  for (const { namespace, name } of budget.pods) {
    tried += 1;
    if (tried > maxTried) break;
    const verdict = askToEvict(world, { namespace, name }, now);
    if (verdict.result === 'allow') continue;
    const own = verdict.blockers.find((one) => one.budget?.name === budget.ref.name);
    if (own !== undefined) return own.unblock;
  }
  return describeRefusal(blocked.code, { pod: '', budget: budgetName(budget.ref) }).unblock;
}

export function barOf({ view, help }: BudgetFacts, since: Pick<BlockedNote, 'since' | 'sinceStart'>): BudgetBar {
  const { budget, scope, unit, pods, available, desired, expected, allowed, reserved, down, blocked } = view;
  return {
    key: barKeyOf(budget),
    kind: budgetKindText(budget.kind),
    namespace: budget.namespace,
    name: budget.name,
    scope,
    unit,
    pods,
    available,
    ...(desired === undefined ? {} : { desired }),
    ...(expected === undefined ? {} : { expected }),
    ...(allowed === undefined ? {} : { allowed }),
    reserved,
    down: { count: down.length, names: down.slice(0, maxNames) },
    ...(blocked === undefined ? {} : { blocked: { code: blocked.code, message: blocked.message, help, ...since } }),
  };
}
