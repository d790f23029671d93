import type { OwnerState } from '../../packages/holdfast/src/core/owner.ts';
import type { PlanNode, PodShape } from '../../packages/holdfast/src/core/plan/input.ts';
import type { World } from '../../packages/holdfast/src/core/world/world.ts';
import { groupPdbOf, podOf, pubOf, statefulSet, syncedWorld } from '../core/fleet.ts';

const gib = 1024 ** 3;

/** Two thirds of the room is used, so that there is some for pods that move, and not for all at once. */
const cores = 32_000;
const shapes: readonly PodShape[] = [250, 500, 1_000].map((cpu) => ({
  requests: new Map([
    ['cpu', cpu],
    ['memory', (cpu / 1_000) * 4 * gib],
  ]),
  graceSeconds: 30,
  allows: () => true,
}));

export interface Fleet {
  readonly world: World;
  readonly nodes: readonly PlanNode[];
  readonly shapeOf: (namespace: string, pod: string) => PodShape | undefined;
}

export interface FleetSize {
  readonly nodes: number;
  readonly pods: number;
  /** Pods of each application. */
  readonly podsPerApp: number;
}

/** Applications of which nine in ten have a budget over pods, and the others are groups of eight. */
export function planFleet({ nodes, pods, podsPerApp }: FleetSize): Fleet {
  const world = syncedWorld();
  const apps = Math.floor(pods / podsPerApp);
  const namespaces = 50;
  const shapeByPod = new Map<string, PodShape | undefined>();
  for (let n = 0; n < namespaces; n += 1) {
    world.setLedger(`team-${n}`, { metadata: { name: 'default', namespace: `team-${n}`, resourceVersion: '1' } });
  }
  for (let a = 0; a < apps; a += 1) {
    const namespace = `team-${a % namespaces}`;
    const app = `app-${a}`;
    const grouped = a % 10 === 0;
    world.setOwner(statefulSet(namespace, app, podsPerApp));
    if (grouped) {
      world.setOwner(leaderWorkerSet(namespace, app, podsPerApp / 8));
      world.upsertPdb(groupPdbOf(namespace, app));
    } else world.upsertPub(pubOf(namespace, app, false));
    for (let p = 0; p < podsPerApp; p += 1) {
      const index = a * podsPerApp + p;
      // A scheduler spreads an application; 7919 is prime, so that applications mix differently on every node.
      const node = `node-${(a * 104_729 + p * 7_919) % nodes}`;
      const pod = podOf({ namespace, app, index, node, ...(grouped ? { group: Math.floor(p / 8) } : {}) });
      world.upsertPod(pod);
      shapeByPod.set(`${namespace}/${pod.metadata.name}`, shapes[a % shapes.length]);
    }
  }
  return {
    world,
    nodes: Array.from({ length: nodes }, (_, i) => nodeOf(`node-${i}`)),
    shapeOf: (namespace, pod) => shapeByPod.get(`${namespace}/${pod}`),
  };
}

function leaderWorkerSet(namespace: string, name: string, replicas: number): OwnerState {
  const apiVersion = 'leaderworkerset.x-k8s.io/v1';
  return { apiVersion, kind: 'LeaderWorkerSet', namespace, name, uid: `lws-${name}`, replicas };
}

function nodeOf(name: string): PlanNode {
  const allocatable = new Map([
    ['cpu', cores],
    ['memory', (cores / 1_000) * 4 * gib],
    ['pods', 110],
  ]);
  return { name, labels: { 'kubernetes.io/hostname': name }, taints: [], unschedulable: false, allocatable };
}
