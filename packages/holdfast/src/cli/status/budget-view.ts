import { formatFieldErrors } from '@holdfast/base/field-errors';
import type { RefusalCode } from '../../api/refusals/reasons.ts';
import { compareStrings } from '../../core/compare.ts';
import { type EntangledBy, entangledBy } from '../../core/decide/entangled-by.ts';
import { uncountedText } from '../../core/status/status-words.ts';
import type { BudgetRef, ExpectedSource } from '../../core/verdict.ts';
import type { NamespaceState } from '../../core/world/namespace-state.ts';
import type { PdbState } from '../../core/world/pdb-state.ts';
import type { PodRecord } from '../../core/world/pod-record.ts';
import type { PubState } from '../../core/world/pub/pub-state.ts';
import type { World } from '../../core/world/world.ts';

/** `builtin`: a PodDisruptionBudget that counts pods as Kubernetes does, which judges it itself unless it is entangled. */
export type BudgetScope = 'group' | 'pod' | 'builtin' | 'invalid';

/** One budget as it stands now. */
export interface BudgetView {
  readonly budget: BudgetRef;
  readonly scope: BudgetScope;
  readonly unit: 'group' | 'pod';
  /** It is a plain budget, and judged by Holdfast because it shares this pod with this budget. */
  readonly entangled?: EntangledBy;
  readonly pods: number;
  readonly available: number;
  readonly desired?: number;
  readonly expected?: number;
  /** Where the expected number comes from. */
  readonly source?: ExpectedSource;
  /** How many units may be disrupted now; absent where it is unknown, and then none may. */
  readonly allowed?: number;
  /** Disruptions under way that count as gone. */
  readonly reserved: number;
  /** Units that are not available, by name. */
  readonly down: readonly string[];
  /** Why nothing may be disrupted now. */
  readonly blocked?: { readonly code: RefusalCode; readonly message: string };
}

/** All budgets that are in view, by namespace, kind and name. */
export function budgetViews(world: World): readonly BudgetView[] {
  const views: BudgetView[] = [];
  const namespaces = [...world.namespaces()].sort((a, b) => compareStrings(a.name, b.name));
  for (const state of namespaces) {
    const budgets = [...inOrder(state.pdbs), ...inOrder(state.pubs)];
    for (const budget of budgets) views.push(budgetView(world, state, budget));
  }
  return views;
}

function inOrder<T>(budgets: ReadonlyMap<string, T>): readonly T[] {
  return [...budgets].sort(([a], [b]) => compareStrings(a, b)).map(([, budget]) => budget);
}

export function budgetView(world: World, state: NamespaceState, budget: PdbState | PubState): BudgetView {
  const scope = scopeOf(budget);
  const unit = scope === 'group' ? 'group' : 'pod';
  const desired = budget.desired();
  const expected = budget.expected();
  const entangled = 'mode' in budget ? entangledBy(state, budget) : undefined;
  const base = {
    budget: budget.ref,
    scope,
    unit,
    ...(entangled === undefined ? {} : { entangled }),
    pods: budget.pods.size,
    available: budget.rules === undefined ? 0 : budget.available,
    ...(desired.known ? { desired: desired.count } : {}),
    ...(expected.known && budget.rules !== undefined ? { expected: expected.count, source: expected.source } : {}),
    reserved: [...state.reservations.values()].filter(({ uid, pod }) => holds(budget, state.pods.get(pod), uid)).length,
    down: downUnits(budget, scope),
  } as const;
  const unknown = whyUnknown(world, state, budget);
  if (unknown !== undefined) return { ...base, blocked: unknown };
  const allowed = Math.max(0, base.available - (base.desired ?? 0));
  return allowed > 0 || base.desired === 0
    ? { ...base, allowed }
    : { ...base, allowed, blocked: { code: 'BudgetExhausted', message: exhaustedText(base) } };
}

function holds(budget: PdbState | PubState, pod: PodRecord | undefined, uid: string): boolean {
  return pod !== undefined && pod.uid === uid && budget.pods.has(pod);
}

function scopeOf(budget: PdbState | PubState): BudgetScope {
  if (budget.rules === undefined) return 'invalid';
  if ('mode' in budget) return budget.mode === 'plain' ? 'builtin' : budget.mode === 'group' ? 'group' : 'pod';
  return budget.rules.groups === undefined ? 'pod' : 'group';
}

function downUnits(budget: PdbState | PubState, scope: BudgetScope): readonly string[] {
  if (scope === 'invalid') return [];
  const names = 'mode' in budget ? downOfPdb(budget, scope) : downOfPub(budget);
  return names.sort(compareStrings);
}

function downOfPdb(pdb: PdbState, scope: BudgetScope): string[] {
  if (scope === 'group') {
    return [...pdb.units.keys()].filter((group) => !pdb.isAvailable(group)).map((group) => group.display);
  }
  const isUp = (pod: PodRecord) => (scope === 'builtin' ? pod.plainHealthy : pod.counted && pod.healthy);
  return [...pdb.pods].filter((pod) => pod.exists && !isUp(pod)).map((pod) => pod.name);
}

function downOfPub(pub: PubState): string[] {
  const groups = [...pub.units.values()].filter((unit) => !pub.isAvailable(unit)).map((unit) => unit.display);
  const singles = [...pub.pods].filter(
    (pod) => pub.unitOf(pod) === undefined && pod.exists && !(pod.counted && pub.healthy(pod)),
  );
  return [...groups, ...singles.map((pod) => pod.name)];
}

/** Why it is unknown how many units may be broken. */
function whyUnknown(world: World, state: NamespaceState, budget: PdbState | PubState): BudgetView['blocked'] {
  if (budget.rules === undefined) return { code: 'BudgetInvalid', message: formatFieldErrors(budget.errors) };
  if ('observedGeneration' in budget && budget.observedGeneration < budget.generation) {
    return { code: 'BudgetNotObserved', message: 'the operator has not processed its last change yet' };
  }
  if (budget.uncounted > 0) return { code: 'TooManyBudgets', message: uncountedText(budget.uncounted) };
  const missing = (['pubs', 'podGroups', 'workloads'] as const).filter((one) => world.syncedVersion(one) === undefined);
  if (missing.length > 0) return { code: 'NotSynced', message: `${missing.join(', ')} cannot be read` };
  const isOurs = !('mode' in budget) || budget.mode !== 'plain' || state.judgesPlain(budget);
  if (isOurs && (state.ledger === undefined || world.syncedVersion('ledgers') === undefined)) {
    return { code: 'LedgerUnknown', message: 'the disruptions under way are unknown' };
  }
  if ('mode' in budget && budget.mode === 'group' && budget.units.size === 0 && budget.pods.size > 0) {
    return { code: 'GroupNotResolved', message: `none of its ${budget.pods.size} pods has a group` };
  }
  const desired = budget.desired();
  return desired.known ? undefined : { code: 'ExpectedUnknown', message: desired.why };
}

const maxNames = 3;

function exhaustedText({ unit, down, expected }: Pick<BudgetView, 'unit' | 'down' | 'expected'>): string {
  if (down.length > 0) return `${namesText(unit, down)} ${down.length === 1 ? 'is' : 'are'} down`;
  return expected === 0 ? `there should be no ${unit}` : `it needs every ${unit} that there is`;
}

function namesText(unit: string, names: readonly string[]): string {
  const shown = names.slice(0, maxNames).join(', ');
  const more = names.length - maxNames;
  return `${unit}${names.length === 1 ? '' : 's'} ${shown}${more > 0 ? ` and ${more} more` : ''}`;
}
