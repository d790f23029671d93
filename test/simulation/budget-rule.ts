import type { KubeObject } from '../../packages/embedded-cluster/src/objects.ts';
import type { Cause, History } from './history.ts';
import { controllerOf, replicasOf, rootOf } from './owners.ts';
import type { Labelled, SeenPod } from './seen-pod.ts';

/** Budgets and the one rule, written down again from the specification for the shapes that the simulation makes. */

interface Limit {
  readonly minAvailable?: number | string;
  readonly maxUnavailable?: number | string;
}

interface BudgetSpec extends Limit {
  readonly selector?: { readonly matchLabels?: Readonly<Record<string, string>> };
  readonly unhealthyPodEvictionPolicy?: string;
  readonly podGroupPolicy?: { readonly groupLabelKey: string; readonly minReadyReplicas?: number };
  readonly protectTotalReplicas?: number;
}

/** A budget of either kind as the rule reads it. */
export interface Budget {
  readonly name: string;
  readonly kind: 'PDB' | 'PUB';
  readonly spec: BudgetSpec;
  /** Absent: each pod is a unit. */
  readonly groups?: { readonly key: (pod: Labelled) => string | undefined; readonly minimum: (size: number) => number };
}

const lwsIndex = 'leaderworkerset.sigs.k8s.io/group-index';

export function readBudget(kind: Budget['kind'], object: KubeObject): Budget {
  const spec = object['spec'] as BudgetSpec;
  const { name, annotations = {} } = object.metadata;
  if (kind === 'PUB') {
    const policy = spec.podGroupPolicy;
    if (policy === undefined) return { name, kind, spec };
    const minimum = policy.minReadyReplicas ?? 1;
    // A minimum that no group can reach is the size that the pods state (U2).
    return {
      name,
      kind,
      spec,
      groups: { key: labelled(policy.groupLabelKey), minimum: (size) => Math.min(minimum, size) },
    };
  }
  if (annotations['holdfast.dev/budget-scope'] !== 'PodGroup') return { name, kind, spec };
  const label = annotations['holdfast.dev/group-label'];
  const stated = annotations['holdfast.dev/group-min-available'];
  const minimum = stated === undefined ? (size: number) => size : () => Number(stated);
  return { name, kind, spec, groups: { key: labelled(label ?? lwsIndex), minimum } };
}

function labelled(key: string): (pod: Labelled) => string | undefined {
  return ({ labels }) => labels[key];
}

/** PDBs judge evictions alone. */
export function asks(budget: Budget, cause: Cause): boolean {
  return budget.kind === 'PUB' || cause === 'EVICT';
}

export function selects({ spec }: Budget, { labels }: Labelled): boolean {
  return Object.entries(spec.selector?.matchLabels ?? {}).every(([key, value]) => labels[key] === value);
}

export function unitKey(budget: Budget, pod: SeenPod): string {
  return budget.groups?.key(pod) ?? pod.uid;
}

/** The one rule of the specification (N4, P3, P5, H5). Undefined: it agrees. */
export function evaluate(
  budget: Budget,
  self: SeenPod,
  others: readonly SeenPod[],
  expected: number,
): string | undefined {
  const name = `${budget.kind} ${budget.name}`;
  if (budget.kind === 'PDB' && self.undivided) return `${name} is over pods that say nothing of their group`;
  if (isPlain(budget) && expected <= 0) return `${name} is over pods whose number nothing states`;
  const units = unitsOf(
    budget,
    others.filter((one) => selects(budget, one)),
  );
  const key = unitKey(budget, self);
  const { healthy, serving, minimum } = units.get(key) ?? { ...none, minimum: minimumOf(budget, self) };
  if (healthy >= minimum) return undefined;
  const upWith = healthy + Number(isHealthy(budget, self)) >= minimum;
  const isWithheld = !upWith && serving + Number(self.ready || isHealthy(budget, self)) >= minimum;
  if (isWithheld && budget.groups !== undefined) return `${name}: a probe withholds ${key}`;
  const desired = desiredOf(budget.spec, expected);
  if (desired === 0) return undefined;
  const available = [...units].filter(([one, unit]) => one !== key && unit.healthy >= unit.minimum).length;
  const numbers = `${name} needs ${desired} and has ${available + Number(upWith)} of ${expected}`;
  if (upWith) return available >= desired ? undefined : `${numbers}, and it breaks ${key}`;
  if (budget.kind === 'PUB' || budget.spec.unhealthyPodEvictionPolicy === 'AlwaysAllow') return undefined;
  return available >= desired ? undefined : `${numbers}, and pods of broken units may not go`;
}

function isPlain(budget: Budget): boolean {
  return budget.kind === 'PDB' && budget.groups === undefined;
}

function isHealthy(budget: Budget, pod: SeenPod): boolean {
  if (budget.kind === 'PUB') return pod.healthyForPub;
  return isPlain(budget) ? pod.ready : pod.healthy;
}

interface Unit {
  healthy: number;
  /** Ready or healthy (H5). */
  serving: number;
  readonly minimum: number;
}

const none = { healthy: 0, serving: 0 };

function unitsOf(budget: Budget, pods: readonly SeenPod[]): ReadonlyMap<string, Unit> {
  const units = new Map<string, Unit>();
  for (const pod of pods) {
    const key = unitKey(budget, pod);
    const unit = units.get(key) ?? { ...none, minimum: minimumOf(budget, pod) };
    unit.healthy += Number(isHealthy(budget, pod));
    unit.serving += Number(pod.ready || isHealthy(budget, pod));
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
export function expectedUnits(history: History, budget: Budget, seq: number, pods: readonly SeenPod[]): number {
  const covered = pods.filter((pod) => selects(budget, pod));
  const { minAvailable, maxUnavailable, protectTotalReplicas } = budget.spec;
  if (protectTotalReplicas !== undefined) return protectTotalReplicas;
  const plain = isPlain(budget);
  if (plain && typeof minAvailable === 'number' && maxUnavailable === undefined) return covered.length;
  const owners = new Map<string, KubeObject>();
  const alone: SeenPod[] = [];
  for (const pod of covered) {
    // Kubernetes' own rule counts pods, so it asks the owner that does (P7); the others ask the one that counts units (P6, U3).
    const owner = (plain ? controllerOf : rootOf)(history, pod.object, seq);
    if (owner === undefined || owner === 'gone') alone.push(pod);
    else owners.set(owner.metadata.uid ?? '', owner);
  }
  const wanted = [...owners.values()].reduce((sum, owner) => sum + replicasOf(owner), 0);
  return wanted + (plain ? 0 : unitsOf(budget, alone).size);
}
