/** The cluster that the operator is shown: who lives in it, as arithmetic, so that nothing of it has to be kept. */

export const namespaces = 500;
export const nodes = 5_000;
const budgetsEach = 20;
const podsUnderBudget = 12;
/** Pods of a namespace that no budget covers. */
const freeEach = 48;
const hotPods = 3_000;
export const groupSize = 4;

export type Protection = 'groups' | 'pods' | 'none';

/** A Deployment with its pods, and the budget of the same name: a PDB that counts groups, or a PUB that counts pods. */
export interface Workload {
  readonly index: number;
  readonly namespace: string;
  readonly name: string;
  readonly protection: Protection;
  readonly firstPod: number;
  readonly pods: number;
  /** As a budget writes it. */
  readonly maxUnavailable: number | string;
  /** Units that must be available. */
  readonly desired: number;
}

/** One budget over many pods, whose disruptions are asked for again and again. */
export const hotNamespaces = { pods: 'hot-pods', groups: 'hot-groups' } as const;

export const workloads: readonly Workload[] = makeWorkloads();
export const podCount = workloads.reduce((sum, { pods }) => sum + pods, 0);
export const budgetCount = workloads.filter(({ protection }) => protection !== 'none').length;

const ownerOfPod = new Uint16Array(podCount);
for (const { index, firstPod, pods } of workloads) ownerOfPod.fill(index, firstPod, firstPod + pods);

export function workloadOfPod(pod: number): Workload {
  return workloads[ownerOfPod[pod] ?? 0] as Workload;
}

const byPlace = new Map(workloads.map((one) => [`${one.namespace}/${one.name}`, one]));

export function workloadAt(namespace: string, name: string): Workload | undefined {
  return byPlace.get(`${namespace}/${name}`);
}

/** How many units a workload has: groups, or pods. */
export function unitsOf({ protection, pods }: Workload): number {
  return protection === 'groups' ? pods / groupSize : pods;
}

export function podName(pod: number): string {
  return `${workloadOfPod(pod).name}-7d4b9c6f5d-${pod.toString(16).padStart(5, '0')}`;
}

/** The other way round. Undefined: there is no such pod. */
export function podNamed(namespace: string, name: string): number | undefined {
  const pod = Number.parseInt(name.slice(-5), 16);
  if (!(pod < podCount)) return undefined;
  return podName(pod) === name && workloadOfPod(pod).namespace === namespace ? pod : undefined;
}

export function namespaceNames(): readonly string[] {
  return [...new Set(workloads.map(({ namespace }) => namespace))];
}

function makeWorkloads(): readonly Workload[] {
  const made: Workload[] = [];
  let firstPod = 0;
  const add = (namespace: string, name: string, protection: Protection, pods: number, share: number) => {
    const units = protection === 'groups' ? pods / groupSize : pods;
    const allowed = share === 0 ? 1 : units * share;
    const maxUnavailable = share === 0 ? 1 : `${share * 100}%`;
    const desired = protection === 'none' ? 0 : units - allowed;
    made.push({ index: made.length, namespace, name, protection, firstPod, pods, maxUnavailable, desired });
    firstPod += pods;
  };
  for (let space = 0; space < namespaces; space += 1) {
    for (let app = 0; app < budgetsEach; app += 1) {
      add(`team-${space}`, `checkout-${app}`, app % 2 === 0 ? 'groups' : 'pods', podsUnderBudget, 0);
    }
    add(`team-${space}`, 'tools', 'none', freeEach, 0);
  }
  add(hotNamespaces.pods, 'hot', 'pods', hotPods, 0.5);
  add(hotNamespaces.groups, 'hot', 'groups', hotPods, 0.5);
  return made;
}
