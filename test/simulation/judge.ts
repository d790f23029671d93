import type { KubeObject } from '../../packages/embedded-cluster/src/objects.ts';
import { asks, type Budget, evaluate, expectedUnits, readBudget, selects, unitKey } from './budget-rule.ts';
import { type Cause, type Disruption, type History, isTerminating } from './history.ts';
import { isIdle, isTakenAlong, ownerMoments } from './owners.ts';
import { isBack } from './pod-updates.ts';
import { vouchedSets } from './probe-leases.ts';
import { isProtected } from './protection.ts';
import { type SeenPod, seen } from './seen-pod.ts';

/**
 * Whether a disruption was within the budgets, from the API server's own history alone. It shares no code with the engine: the rules
 * are written down again here, from the specification, for the shapes of budgets that the simulation makes.
 */

export interface Violation {
  readonly clause: string;
  readonly at: number;
  readonly message: string;
}

/** How old a view may be that a decision rests on: a dead watch is noticed within this time. */
const staleMs = 15_000;

/** Undefined: it was allowed, by what could be known when it was asked for. */
export function judgeDisruption(history: History, disruption: Disruption): Violation | undefined {
  const pod = seen(disruption.pod);
  if (isSuccessor(history, disruption)) {
    const message = `${pod.name} was created after the eviction that took it away was asked for`;
    return { clause: 'P9', at: disruption.at, message };
  }
  // A pod that does not run yet, or no longer, serves nothing.
  if (pod.phase !== 'Running') return undefined;
  const asked = disruption.askedAt ?? disruption.at;
  // A reservation speaks for what it was judged by: pods that broke later are not charged to it, a budget that changed is asked again (I14).
  const reserved = Math.min(asked, disruption.reservedAt ?? asked);
  const before = disruption.seq - 1;
  const owners = ownerMoments(history, reserved - staleMs, before);
  if (owners.some((seq) => isTakenAlong(history, disruption.pod, seq))) return undefined;
  const idle = owners.some((seq) => isIdle(history, disruption.pod, seq));
  const seenLeases = vouchedSets(history, reserved - staleMs, before, Math.min(disruption.at, history.now), staleMs);
  // A replica that has just started has seen no lease renewed, and believes none (H2).
  const vouched = [...seenLeases, new Set<string>()];
  if (!idle && isVetoed(history, { disruption, asked, before, vouched })) {
    const message = `${disruption.cause} of ${pod.name} by ${disruption.user}: its probe said no, and it was ready`;
    return { clause: 'V1', at: disruption.at, message };
  }
  for (const kind of ['PDB', 'PUB'] as const) {
    for (const name of budgetNames(history, kind, before)) {
      const why = refusal(history, { kind, name, disruption, pod, asked, reserved, before, idle, vouched });
      if (why !== undefined) {
        const message = `${disruption.cause} of ${pod.name} by ${disruption.user}: ${why}`;
        return { clause: 'I1', at: disruption.at, message };
      }
    }
  }
  return undefined;
}

/**
 * An eviction is bound to the pod that had its name when it was asked for, and takes no other away (P9). Where the webhook that binds it did not
 * answer in time, and neither a budget of Holdfast's nor a probe protects the pod, it passes by the name alone.
 */
function isSuccessor(history: History, { cause, pod, lastAskedAt, seq }: Disruption): boolean {
  if (cause !== 'EVICT' || lastAskedAt === undefined) return false;
  const versions = history.versions('pods', `${pod.metadata.namespace}/${pod.metadata.name}`);
  const first = versions.find((one) => one.object?.metadata.uid === pod.metadata.uid && one.seq <= seq);
  return first !== undefined && first.at > lastAskedAt && isProtected(history, seen(pod), seq - 1);
}

/** Whether every budget would let a pod go now, with nothing in doubt. */
export function mayGoNow(history: History, object: KubeObject, cause: Cause): boolean {
  const at = Number.MAX_SAFE_INTEGER;
  const disruption: Disruption = {
    seq: history.seq + 1,
    at,
    pod: object,
    cause,
    user: '',
    askedAt: at,
    lastAskedAt: at,
    reservedAt: undefined,
    firmSince: new Map(),
  };
  return judgeDisruption(history, disruption) === undefined;
}

interface Question {
  readonly kind: Budget['kind'];
  readonly name: string;
  readonly disruption: Disruption;
  readonly pod: SeenPod;
  readonly asked: number;
  readonly reserved: number;
  readonly before: number;
  /** Its workload is scaled to 0: only budgets with a total of their own are asked (X4). */
  readonly idle: boolean;
  readonly vouched: readonly ReadonlySet<string>[];
}

/** Why a budget would not have let it go, in any state that it, its pods and their owners had while the request could see them. */
function refusal(history: History, question: Question): string | undefined {
  const { kind, name, disruption, pod, asked, before, idle } = question;
  const gone = goneBefore(history, disruption.seq, kind);
  let why: string | undefined;
  for (const budgetSeq of history.moments(resourceOf(kind), asked - staleMs, before)) {
    const object = history.get(resourceOf(kind), `${disruption.pod.metadata.namespace}/${name}`, budgetSeq);
    const budget = object === undefined ? undefined : readBudget(kind, object);
    // There was a time within the window at which it did not exist, or did not cover the pod.
    if (budget === undefined || !asks(budget, disruption.cause) || !selects(budget, pod)) return undefined;
    if (idle && budget.spec.protectTotalReplicas === undefined) return undefined;
    const podsSince = paidSince(history, budget, question) - staleMs;
    const owners = ownerMoments(history, podsSince, before);
    for (const pods of viewsOf(history, podsSince, question)) {
      const there = pods.filter((one) => one.uid !== pod.uid && !gone.has(one.uid));
      const self = pods.find((one) => one.uid === pod.uid);
      if (self === undefined) continue;
      // Its labels were others a moment ago, by which the budget did not cover it.
      if (!selects(budget, self)) return undefined;
      for (const ownerSeq of owners) {
        const refused = evaluate(budget, self, there, expectedUnits(history, budget, ownerSeq, [...there, self]));
        if (refused === undefined) return undefined;
        why ??= refused;
      }
    }
  }
  return why;
}

/** The pods as a view may have shown them since then, newest first. */
function* viewsOf(
  history: History,
  since: number,
  { before, vouched }: Pick<Question, 'before' | 'vouched'>,
): Iterable<readonly SeenPod[]> {
  for (const seq of history.moments('pods', since, before)) {
    const pods = history.list('pods', seq).filter((one) => !isTerminating(one));
    for (const uids of vouched) yield pods.map((one) => seen(one, uids));
  }
}

/** A pod that is ready and whose probe says no is not evicted, whatever budgets say (V1); one that is not ready has a way out (V2). */
function isVetoed(
  history: History,
  { disruption, asked, before, vouched }: Pick<Question, 'disruption' | 'asked' | 'before' | 'vouched'>,
): boolean {
  if (disruption.cause !== 'EVICT' || !seen(disruption.pod).probed) return false;
  for (const pods of viewsOf(history, asked - staleMs, { before, vouched })) {
    const self = pods.find((one) => one.uid === disruption.pod.metadata.uid);
    if (self !== undefined && (self.healthy || !self.ready)) return false;
  }
  return true;
}

/**
 * Since when the fall of the pod's unit is paid for: the first reservation of a pod of it that rests on no condition took the unit down
 * for every count (N1), and breaking it costs one however many of its pods go (I2). What happened to other units since is not charged again.
 */
function paidSince(history: History, budget: Budget, { disruption, pod, reserved, before }: Question): number {
  const unit = history
    .list('pods', before)
    .map((one) => seen(one))
    .filter((one) => selects(budget, one) && unitKey(budget, one) === unitKey(budget, pod));
  return unit.reduce((first, { uid }) => Math.min(first, disruption.firmSince.get(uid) ?? first), reserved);
}

/**
 * Pods that judged requests took away before this write, by uid: they are gone, whatever an older view says; those that were updated in
 * place until they are back. PDBs judge evictions alone, so for them a pod that was deleted or updated broke by itself.
 */
function goneBefore(history: History, seq: number, kind: Budget['kind']): ReadonlySet<string> {
  const judged = history.disruptions.filter((one) => one.seq < seq && (kind === 'PUB' || one.cause === 'EVICT'));
  const gone = judged.filter(({ pod, update }) => {
    if (update === undefined) return true;
    const now = history.get('pods', `${pod.metadata.namespace}/${pod.metadata.name}`, seq - 1);
    return now?.metadata.uid === pod.metadata.uid && now !== undefined && !isBack(update, now);
  });
  return new Set(gone.map((one) => one.pod.metadata.uid ?? ''));
}

function resourceOf(kind: Budget['kind']): string {
  return kind === 'PDB' ? 'policy/poddisruptionbudgets' : 'policy.kruise.io/podunavailablebudgets';
}

function budgetNames(history: History, kind: Budget['kind'], seq: number): readonly string[] {
  return history.list(resourceOf(kind), seq).map((one) => one.metadata.name);
}
