import type { Reservation } from '../../api/ledger.ts';
import { decide } from '../../core/decide/decide.ts';
import type { Blocker } from '../../core/verdict.ts';
import type { NamespaceState } from '../../core/world/namespace-state.ts';
import type { PdbState } from '../../core/world/pdb-state.ts';
import type { PubState } from '../../core/world/pub/pub-state.ts';
import type { BuiltinStatus } from '../../observe/once/builtin-status.ts';
import { type LiveWorld, objectKey } from '../../observe/once/live-world.ts';
import { type BudgetView, budgetView } from '../status/budget-view.ts';
import type { Asked } from './answer.ts';
import { askedIn } from './asked.ts';
import { whyDown, whyDownForPub } from './pod-health.ts';
import { downPods, type UnitView, unitsOf } from './unit-view.ts';

/** Why pods of a budget may not go now: one entry for each reason. */
export interface Reason {
  readonly pods: number;
  /** One of them, with the whole refusal. */
  readonly example: string;
  readonly blocker: Blocker;
}

export interface BudgetExplanation {
  readonly budget: BudgetView;
  readonly asked: Asked;
  /** Its groups, those that are down first; empty where it counts pods. */
  readonly groups: readonly UnitView[];
  /** Its pods that do not count as up, and why. */
  readonly down: readonly { readonly pod: string; readonly why: string }[];
  /** How many of its pods could be evicted now, each alone. */
  readonly evictable: number;
  readonly reasons: readonly Reason[];
  readonly reservations: readonly Reservation[];
  /** PodDisruptionBudgets: what Kubernetes' own controller wrote. */
  readonly kubernetes?: BuiltinStatus;
}

/** More pods are not judged one by one: a question about a budget wants the overview. */
const maxJudged = 5_000;

/** Undefined: there is no such budget, or it is Kruise's. */
export function explainBudget(
  live: LiveWorld,
  kind: 'pdb' | 'pub',
  { namespace, name }: { readonly namespace: string; readonly name: string },
): BudgetExplanation | undefined {
  const { world, builtin } = live;
  const state = world.namespace(namespace);
  const budget = kind === 'pdb' ? state?.pdbs.get(name) : state?.pubs.get(name);
  if (state === undefined || budget === undefined) return undefined;
  const status = kind === 'pdb' ? builtin.get(objectKey(namespace, name)) : undefined;
  return {
    budget: budgetView(world, state, budget),
    asked: askedIn(live, namespace),
    groups: unitsOf(budget),
    down: downPods(budget.pods, 'mode' in budget ? whyDown : (pod) => whyDownForPub(budget, pod)),
    ...judged(live, budget),
    reservations: reservationsOf(state, budget),
    ...(status === undefined ? {} : { kubernetes: status }),
  };
}

function judged(
  { world, readAt }: LiveWorld,
  budget: PdbState | PubState,
): Pick<BudgetExplanation, 'evictable' | 'reasons'> {
  const reasons = new Map<string, Reason>();
  let evictable = 0;
  for (const { namespace, name } of [...budget.pods].slice(0, maxJudged)) {
    const verdict = decide(world, { operation: 'EVICT', namespace, pod: name }, readAt, { judgePlain: true });
    if (verdict.result === 'allow') evictable += 1;
    else {
      for (const blocker of verdict.blockers) {
        const key = `${blocker.code}/${blocker.budget?.kind}/${blocker.budget?.name}`;
        const before = reasons.get(key);
        reasons.set(
          key,
          before === undefined ? { pods: 1, example: name, blocker } : { ...before, pods: before.pods + 1 },
        );
      }
    }
  }
  return { evictable, reasons: [...reasons.values()] };
}

function reservationsOf(state: NamespaceState, budget: PdbState | PubState): readonly Reservation[] {
  return [...state.reservations.values()].filter(({ pod, uid }) => {
    const record = state.pods.get(pod);
    return record !== undefined && record.uid === uid && budget.pods.has(record);
  });
}
