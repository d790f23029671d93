import type { KubeObject } from '../../src/cluster/objects.ts';
import { type Cause, type Disruption, type History, isTerminating } from './history.ts';
import { isDoomed, ownerMoments, replicasOf, rootOf } from './owners.ts';

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

interface Labelled {
  readonly labels: Readonly<Record<string, string>>;
}

interface Limit {
  readonly minAvailable?: number | string;
  readonly maxUnavailable?: number | string;
}

interface BudgetSpec extends Limit {
  readonly selector?: { readonly matchLabels?: Readonly<Record<string, string>> };
  readonly unhealthyPodEvictionPolicy?: string;
  readonly podGroupPolicy?: { readonly groupLabelKey: string; readonly minReadyReplicas?: number };
}

/** A budget of either kind as the rule reads it. */
interface Budget {
  readonly name: string;
  readonly kind: 'PDB' | 'PUB';
  readonly spec: BudgetSpec;
  /** Absent: each pod is a unit. */
  readonly groups?: { readonly key: (pod: Labelled) => string | undefined; readonly minimum: (size: number) => number };
}

interface SeenPod extends Labelled {
  readonly uid: string;
  readonly name: string;
  readonly ready: boolean;
  readonly phase: string;
  readonly size: number;
  readonly object: KubeObject;
}

const lwsIndex = 'leaderworkerset.sigs.k8s.io/group-index';
const lwsSize = 'leaderworkerset.sigs.k8s.io/size';

/** Undefined: it was allowed, by what could be known when it was asked for. */
export function judgeDisruption(history: History, disruption: Disruption): Violation | undefined {
  const pod = seen(disruption.pod);
  // A pod that does not run yet, or no longer, serves nothing.
  if (pod.phase !== 'Running') return undefined;
  const asked = disruption.askedAt ?? disruption.at;
  // A reservation speaks for what it was judged by: pods that broke later are not charged to it, a budget that changed is asked again (I14).
  const since = asked - staleMs;
  const podsSince = Math.min(asked, disruption.reservedAt ?? asked) - staleMs;
  const before = disruption.seq - 1;
  const owners = ownerMoments(history, podsSince, before);
  if (owners.some((seq) => isDoomed(history, disruption.pod, seq))) return undefined;
  for (const kind of ['PDB', 'PUB'] as const) {
    for (const name of budgetNames(history, kind, before)) {
      const why = refusal(history, { kind, name, disruption, pod, since, podsSince, before, owners });
      if (why !== undefined) {
        const message = `${disruption.cause} of ${pod.name} by ${disruption.user}: ${why}`;
        return { clause: 'I1', at: disruption.at, message };
      }
    }
  }
  return undefined;
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
    reservedAt: undefined,
  };
  return judgeDisruption(history, disruption) === undefined;
}

interface Question {
  readonly kind: Budget['kind'];
  readonly name: string;
  readonly disruption: Disruption;
  readonly pod: SeenPod;
  readonly since: number;
  readonly podsSince: number;
  readonly before: number;
  readonly owners: readonly number[];
}

/** Why a budget would not have let it go, in any state that it, its pods and their owners had while the request could see them. */
function refusal(history: History, question: Question): string | undefined {
  const { kind, name, disruption, pod, since, podsSince, before, owners } = question;
  const gone = goneBefore(history, disruption.seq, kind);
  let why: string | undefined;
  for (const budgetSeq of history.moments(resourceOf(kind), since, before)) {
    const object = history.get(resourceOf(kind), `${disruption.pod.metadata.namespace}/${name}`, budgetSeq);
    const budget = object === undefined ? undefined : readBudget(kind, object);
    // There was a time within the window at which it did not exist, or did not cover the pod.
    if (budget === undefined || !asks(budget, disruption.cause) || !selects(budget, pod)) return undefined;
    for (const podSeq of history.moments('pods', podsSince, before)) {
      const pods = history
        .list('pods', podSeq)
        .filter((one) => !isTerminating(one))
        .map(seen);
      const there = pods.filter((one) => one.uid !== pod.uid && !gone.has(one.uid));
      const self = pods.find((one) => one.uid === pod.uid);
      if (self === undefined) continue;
      // Its labels were others a moment ago, by which the budget did not cover it.
      if (!selects(budget, self)) return undefined;
      for (const ownerSeq of owners) {
        const expected = expectedUnits(history, budget, ownerSeq, [...there, self]);
        why ??= evaluate(budget, self, there, expected);
        if (evaluate(budget, self, there, expected) === undefined) return undefined;
      }
    }
  }
  return why;
}

/** The one rule of the specification (N4, P3). Undefined: it agrees. */
function evaluate(budget: Budget, self: SeenPod, others: readonly SeenPod[], expected: number): string | undefined {
  const covered = others.filter((one) => selects(budget, one));
  const units = unitsOf(budget, covered);
  const key = budget.groups === undefined ? self.uid : (budget.groups.key(self) ?? self.uid);
  const rest = units.get(key) ?? { healthy: 0, minimum: minimumOf(budget, self) };
  const upWithout = rest.healthy >= rest.minimum;
  const upWith = rest.healthy + Number(self.ready) >= rest.minimum;
  const otherUnits = [...units]
    .filter(([one]) => one !== key)
    .filter(([, unit]) => unit.healthy >= unit.minimum).length;
  const available = otherUnits + Number(upWith);
  const desired = desiredOf(budget.spec, expected);
  const isPlain = budget.kind === 'PDB' && budget.groups === undefined;
  if (isPlain && expected <= 0) return `PDB ${budget.name} is over pods whose number nothing states`;
  if (upWithout || desired === 0) return undefined;
  const numbers = `${budget.kind} ${budget.name} needs ${desired} and has ${available} of ${expected}`;
  if (upWith) return available - 1 >= desired ? undefined : `${numbers}, and it breaks ${key}`;
  if (budget.kind === 'PUB' || budget.spec.unhealthyPodEvictionPolicy === 'AlwaysAllow') return undefined;
  return available >= desired ? undefined : `${numbers}, and pods of broken units may not go`;
}

interface Unit {
  healthy: number;
  readonly minimum: number;
}

function unitsOf(budget: Budget, pods: readonly SeenPod[]): ReadonlyMap<string, Unit> {
  const units = new Map<string, Unit>();
  for (const pod of pods) {
    const key = budget.groups === undefined ? pod.uid : (budget.groups.key(pod) ?? pod.uid);
    const unit = units.get(key) ?? { healthy: 0, minimum: minimumOf(budget, pod) };
    unit.healthy += Number(pod.ready);
    units.set(key, unit);
  }
  return units;
}

function minimumOf(budget: Budget, pod: SeenPod): number {
  return budget.groups?.key(pod) === undefined ? 1 : budget.groups.minimum(pod.size);
}

function desiredOf({ minAvailable, maxUnavailable }: Limit, expected: number): number {
  const min = minAvailable === undefined ? 0 : amount(minAvailable, expected);
  const max = maxUnavailable === undefined ? 0 : Math.max(0, expected - amount(maxUnavailable, expected));
  return Math.max(min, max);
}

function amount(value: number | string, total: number): number {
  return typeof value === 'number' ? value : Math.ceil((Number.parseInt(value, 10) * total) / 100);
}

/** How many units the owners of these pods want. Pods without an owner count themselves, but not for Kubernetes' own rule (P3). */
function expectedUnits(history: History, budget: Budget, seq: number, pods: readonly SeenPod[]): number {
  const covered = pods.filter((pod) => selects(budget, pod));
  const { minAvailable, maxUnavailable } = budget.spec;
  const isPlain = budget.kind === 'PDB' && budget.groups === undefined;
  if (isPlain && typeof minAvailable === 'number' && maxUnavailable === undefined) return covered.length;
  const roots = new Map<string, KubeObject>();
  const alone: SeenPod[] = [];
  for (const pod of covered) {
    const root = rootOf(history, pod.object, seq);
    if (root === undefined || root === 'gone') alone.push(pod);
    else roots.set(root.metadata.uid ?? '', root);
  }
  const wanted = [...roots.values()].reduce((sum, root) => sum + replicasOf(root), 0);
  return wanted + (isPlain ? 0 : unitsOf(budget, alone).size);
}

/**
 * Pods that judged requests took away before this write, by uid: they are gone, whatever an older view says. PDBs judge evictions
 * alone, so for them a pod that was deleted broke by itself.
 */
function goneBefore(history: History, seq: number, kind: Budget['kind']): ReadonlySet<string> {
  const judged = history.disruptions.filter((one) => one.seq < seq && (kind === 'PUB' || one.cause === 'EVICT'));
  return new Set(judged.map((one) => one.pod.metadata.uid ?? ''));
}

function resourceOf(kind: Budget['kind']): string {
  return kind === 'PDB' ? 'policy/poddisruptionbudgets' : 'policy.kruise.io/podunavailablebudgets';
}

function budgetNames(history: History, kind: Budget['kind'], seq: number): readonly string[] {
  return history.list(resourceOf(kind), seq).map((one) => one.metadata.name);
}

function readBudget(kind: Budget['kind'], object: KubeObject): Budget {
  const spec = object['spec'] as BudgetSpec;
  const { name, annotations = {} } = object.metadata;
  if (kind === 'PUB') {
    const policy = spec.podGroupPolicy;
    if (policy === undefined) return { name, kind, spec };
    const minimum = policy.minReadyReplicas ?? 1;
    return { name, kind, spec, groups: { key: labelled(policy.groupLabelKey), minimum: () => minimum } };
  }
  if (annotations['holdfast.dev/budget-scope'] !== 'PodGroup') return { name, kind, spec };
  const label = annotations['holdfast.dev/group-label'];
  if (label === undefined) return { name, kind, spec, groups: { key: labelled(lwsIndex), minimum: (size) => size } };
  const minimum = Number(annotations['holdfast.dev/group-min-available']);
  return { name, kind, spec, groups: { key: labelled(label), minimum: () => minimum } };
}

function labelled(key: string): (pod: Labelled) => string | undefined {
  return ({ labels }) => labels[key];
}

function asks(budget: Budget, cause: Cause): boolean {
  return budget.kind === 'PUB' || cause === 'EVICT';
}

function selects({ spec }: Budget, { labels }: Labelled): boolean {
  return Object.entries(spec.selector?.matchLabels ?? {}).every(([key, value]) => labels[key] === value);
}

function seen(object: KubeObject): SeenPod {
  const { uid = '', name, labels = {}, annotations = {} } = object.metadata;
  const status = (object['status'] ?? {}) as {
    readonly phase?: string;
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
  const ready = status.conditions?.some((one) => one.type === 'Ready' && one.status === 'True') === true;
  const size = Number(annotations[lwsSize] ?? '1');
  return { uid, name, labels, ready, phase: status.phase ?? 'Pending', size, object };
}
