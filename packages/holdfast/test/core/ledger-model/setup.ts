import { aGroupPdb, aPub } from '../../../../../test/support/builders.ts';
import type { PodDisruptionBudget } from '../../../src/api/pdb.ts';
import type { PodUnavailableBudget } from '../../../src/api/pub/pub.ts';
import type { Random } from './random.ts';

/** What a schedule protects: all groups under one budget, the even ones under a second. */
export interface Budgets {
  readonly groups: number;
  readonly size: number;
  /** Pods that make a group serve. */
  readonly minimum: number;
  /** Groups that must serve: of all, and of the even ones. */
  readonly desired: number;
  readonly desiredEven: number;
  readonly pdbs: readonly PodDisruptionBudget[];
  readonly pubs: readonly PodUnavailableBudget[];
}

const groupLabelKey = 'leaderworkerset.sigs.k8s.io/group-index';

export function randomBudgets(random: Random): Budgets {
  const groups = 2 + random.below(3);
  const size = 1 + random.below(3);
  const minimum = 1 + random.below(size);
  // Mostly one disruption at a time: that is where a mistake of one shows.
  const desired = random.chance(70) ? groups - 1 : random.below(groups + 1);
  const desiredEven = random.chance(60) ? 0 : random.below(Math.ceil(groups / 2) + 1);
  const byPdb = random.chance(50);
  const scope = { 'holdfast.dev/budget-scope': 'PodGroup', 'holdfast.dev/group-min-available': String(minimum) };
  const pdb = aGroupPdb('all', { app: 'llm' }, { minAvailable: desired });
  const all = { ...pdb, metadata: { ...pdb.metadata, annotations: scope } };
  const even = aPub('even', evenSpec(desiredEven, minimum));
  const allAsPub = aPub('all', { ...evenSpec(desired, minimum), selector: { matchLabels: { app: 'llm' } } });
  return {
    groups,
    size,
    minimum,
    desired,
    desiredEven,
    pdbs: byPdb ? [all] : [],
    pubs: byPdb ? [even] : [even, allAsPub],
  };
}

/** Budgets over the even groups that refuse nothing and come and go, beside a plain PDB over all pods. */
export function budgetsBesidePlain(random: Random): BudgetsBesidePlain {
  const groups = 2 + random.below(3);
  const size = 1 + random.below(2);
  const pods = groups * size;
  const even = aGroupPdb('even', { tier: 'even' }, { minAvailable: 0 });
  return {
    groups,
    size,
    minimum: 1,
    desired: 0,
    desiredEven: 0,
    pdbs: [],
    pubs: [],
    desiredPods: random.chance(70) ? pods - 1 : 1 + random.below(pods),
    even: random.chance(50) ? { kind: 'pdb', pdb: even } : { kind: 'pub', pub: aPub('even', evenSpec(0, 1)) },
  };
}

export interface BudgetsBesidePlain extends Budgets {
  /** Pods that the plain PDB needs. */
  readonly desiredPods: number;
  readonly even:
    | { readonly kind: 'pdb'; readonly pdb: PodDisruptionBudget }
    | { readonly kind: 'pub'; readonly pub: PodUnavailableBudget };
}

/**
 * Often a group begins down, where the budgets can do without it: these pods of it are not ready. What is free because of that, and
 * comes up unseen, is where a verdict rests on what is no more.
 */
export function downAtFirst(random: Random, budgets: Budgets): readonly string[] {
  const { groups, size, minimum, desired, desiredEven } = budgets;
  const group = random.below(groups);
  const spare = groups > desired && (group % 2 === 1 || Math.ceil(groups / 2) > desiredEven);
  if (!spare || random.chance(30)) return [];
  const down = size - minimum + 1 + random.below(minimum);
  return Array.from({ length: down }, (_, worker) => `llm-${group}-${worker}`);
}

function evenSpec(minAvailable: number, minReadyReplicas: number) {
  return {
    selector: { matchLabels: { tier: 'even' } },
    minAvailable,
    podGroupPolicy: { groupLabelKey, minReadyReplicas },
  };
}
