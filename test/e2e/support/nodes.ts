import { made } from '../../support/cluster.ts';
import type { ProtectedCluster } from '../../support/protected-cluster.ts';
import { conditionOf } from './scene.ts';
import { waitUntil } from './wait.ts';

const taint = { key: 'e2e.holdfast.dev/own', value: 'true', effect: 'NoSchedule' };
export const toleration = { key: taint.key, operator: 'Exists', effect: taint.effect };

export const poolLabel = 'e2e.holdfast.dev/pool';

export interface NodeWish {
  /** Default: one of its own. */
  readonly pool?: string;
  readonly spec?: object;
}

/** A node where nothing runs but what is put there, so that draining it disturbs no other test. */
export async function addNode(cluster: ProtectedCluster, base: string, wish: NodeWish = {}): Promise<string> {
  const { pool = base, spec = {} } = wish;
  const name = cluster.name(base);
  cluster.cleanUp(`/api/v1/nodes/${name}`);
  const labels = { 'kubernetes.io/hostname': name, [poolLabel]: pool, 'sim.holdfast.dev/node': 'true' };
  const capacity = { cpu: '32', memory: '256Gi', pods: '110' };
  const body = {
    metadata: { name, labels },
    spec: { ...spec, taints: [taint] },
    status: { capacity, allocatable: capacity },
  };
  await made(cluster.request('POST', '/api/v1/nodes', { body }));
  await waitUntil(
    `node ${name} is ready`,
    () => made(cluster.request('GET', `/api/v1/nodes/${name}`)),
    (node) => conditionOf(node, 'Ready')?.status === 'True',
  );
  return name;
}
