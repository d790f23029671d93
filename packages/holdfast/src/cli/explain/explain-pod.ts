import type { Condition } from '@holdfast/base/meta';
import type { Reservation } from '../../api/ledger.ts';
import { type Consulted, consult } from '../../core/decide/consult.ts';
import { decide } from '../../core/decide/decide.ts';
import type { Opinion } from '../../core/decide/evaluate.ts';
import { bit } from '../../core/health.ts';
import type { Operation } from '../../core/request.ts';
import type { Blocker, BudgetRef, Charge, Verdict } from '../../core/verdict.ts';
import type { NamespaceState } from '../../core/world/namespace-state.ts';
import type { OwnerNode } from '../../core/world/owners/owner-node.ts';
import type { PodRecord } from '../../core/world/pod-record.ts';
import { type LiveWorld, objectKey } from '../../observe/once/live-world.ts';
import { type BudgetView, budgetView } from '../status/budget-view.ts';
import { type Answer, type Asked, combinedAnswerOf, compare, type DryRunComparison } from './answer.ts';
import { askedIn, foreignIn } from './asked.ts';
import { type BuiltinAnswer, builtinAnswer, builtinBudgets, checkedAnswer, notChecked } from './builtin-check.ts';
import type { DryRun } from './dry-run.ts';
import { type ProbeReport, probeReport, whyDown } from './pod-health.ts';
import { type UnitView, unitOf } from './unit-view.ts';

/** One budget over the pod: its numbers, the unit that the pod is in, and what it says. */
export interface BudgetOpinion extends BudgetView {
  /** Kubernetes' own check evaluates this budget, and Holdfast does not. */
  readonly builtin: boolean;
  /** Absent: the pod is a unit of its own. */
  readonly group?: UnitView;
  /** What losing the pod would do, where the budget agrees. */
  readonly effect?: Charge['effect'];
  readonly refusal?: Blocker;
}

export interface OwnerView {
  readonly kind: string;
  readonly name: string;
  readonly state: OwnerNode['state'];
  /** How many it wants. */
  readonly replicas?: number;
}

export interface PodQuestion {
  readonly namespace: string;
  readonly name: string;
  readonly operation: Operation;
  /** On the pod, as it was read. */
  readonly conditions: readonly Condition[];
  /** What the API server answered when it was asked, too. */
  readonly said: DryRun;
}

/** The whole verdict about one pod. */
export interface PodExplanation {
  readonly operation: Operation;
  readonly pod: {
    readonly namespace: string;
    readonly name: string;
    readonly uid: string;
    readonly node?: string;
    readonly ready: boolean;
    /** Why it does not count as up. */
    readonly down?: string;
  };
  readonly answer: Answer;
  readonly holdfast: { readonly asked: Asked; readonly verdict: Verdict; readonly otherWebhooks: readonly string[] };
  readonly budgets: readonly BudgetOpinion[];
  /** Budgets over the pod that do not judge this operation. */
  readonly silent: readonly BudgetRef[];
  /** From its controller up. */
  readonly owners: readonly OwnerView[];
  readonly probe?: ProbeReport;
  /** Its own, and those of others under the same budgets. */
  readonly reservations: readonly Reservation[];
  /** What Kubernetes by itself would say, which counts pods. */
  readonly kubernetes: BuiltinAnswer;
  readonly api: { readonly said: DryRun; readonly comparison: DryRunComparison };
}

/** Undefined: there is no such pod. */
export function explainPod(live: LiveWorld, question: PodQuestion): PodExplanation | undefined {
  const { namespace, name, operation, conditions, said } = question;
  const { world, readAt, builtin } = live;
  const state = world.namespace(namespace);
  const pod = state?.pods.get(name);
  if (state === undefined || pod === undefined) return undefined;
  const request = { operation, namespace, pod: name };
  const otherWebhooks = foreignIn(live, namespace);
  const verdict = decide(world, request, readAt, { foreignEvictionWebhook: otherWebhooks.length > 0 });
  const consulted = consult(world, request, readAt);
  const asked = askedIn(live, namespace);
  const budgets = builtinBudgets(pod, (budget) => builtin.get(objectKey(namespace, budget)));
  const kubernetes = operation === 'EVICT' ? builtinAnswer(pod, budgets) : notChecked;
  const checked = operation === 'EVICT' ? checkedAnswer(pod, budgets) : notChecked;
  const probe = probeReport(pod, conditions, pod.node === undefined ? undefined : live.leases.get(pod.node));
  return {
    operation,
    pod: podView(pod),
    answer: combinedAnswerOf(verdict, checked, asked),
    holdfast: { asked, verdict, otherWebhooks },
    budgets: consulted.map((one) => opinionView(live, state, pod, one)),
    silent: silentBudgets(pod, consulted),
    owners: ownersOf(pod),
    ...(probe === undefined ? {} : { probe }),
    reservations: reservationsAround(state, pod),
    kubernetes,
    api: { said, comparison: compare(verdict, checked, asked, said) },
  };
}

/** A PodDisruptionBudget judges evictions only, and a PodUnavailableBudget the operations that it names. */
function silentBudgets(pod: PodRecord, consulted: readonly Consulted[]): readonly BudgetRef[] {
  const judging = new Set(consulted.map(({ judge }) => refKey('pdb' in judge ? judge.pdb.ref : judge.pub.ref)));
  const covering = new Map<string, BudgetRef>();
  const all = [...pod.pdbs, ...pod.pubs, ...pod.groups.flatMap((group) => [...group.budgets])];
  for (const { ref } of all) covering.set(refKey(ref), ref);
  return [...covering].filter(([key]) => !judging.has(key)).map(([, ref]) => ref);
}

function refKey({ kind, namespace, name }: BudgetRef): string {
  return `${kind}/${namespace}/${name}`;
}

function podView(pod: PodRecord): PodExplanation['pod'] {
  const { namespace, name, uid, node } = pod;
  const down = whyDown(pod);
  return {
    namespace,
    name,
    uid,
    ...(node === undefined ? {} : { node }),
    ready: pod.has(bit.ready),
    ...(down === undefined ? {} : { down }),
  };
}

function opinionView(
  { world }: LiveWorld,
  state: NamespaceState,
  pod: PodRecord,
  { judge, opinion, builtin }: Consulted,
): BudgetOpinion {
  const group = unitOf(judge, pod);
  const view = budgetView(world, state, 'pdb' in judge ? judge.pdb : judge.pub);
  return {
    ...view,
    builtin,
    ...(group === undefined ? {} : { group }),
    // A terminating pod is not counted, so the numbers would describe the cluster without it.
    ...(pod.reserved !== undefined ? {} : saying(opinion)),
  };
}

function saying(opinion: Opinion): Pick<BudgetOpinion, 'effect' | 'refusal'> {
  return opinion.agrees ? { effect: opinion.charge.effect } : { refusal: opinion.blocker };
}

function ownersOf(pod: PodRecord): readonly OwnerView[] {
  const nodes: OwnerNode[] = [];
  for (let node = pod.controller; node !== undefined && !nodes.includes(node); node = node.controller) nodes.push(node);
  if (pod.root !== undefined && !nodes.some(({ nameKey }) => nameKey === pod.root?.nameKey)) nodes.push(pod.root);
  return nodes.map(({ kind, name, state, replicas }) => ({
    kind,
    name,
    state,
    ...(replicas === undefined ? {} : { replicas }),
  }));
}

/** Disruptions that were allowed, and count as gone for the budgets of the pod. */
function reservationsAround(state: NamespaceState, pod: PodRecord): readonly Reservation[] {
  const budgets = [...pod.pdbs, ...pod.pubs, ...pod.groups.flatMap((group) => [...group.budgets])];
  return [...state.reservations.values()].filter((reservation) => {
    const other = state.pods.get(reservation.pod);
    if (other === undefined || other.uid !== reservation.uid) return false;
    return other === pod || budgets.some((budget) => budget.pods.has(other));
  });
}
