import type { NodeObject } from '../controllers/common/workloads.ts';
import type { KubeObject } from '../objects.ts';
import { sim } from './annotations.ts';
import { healthyStatus, simulatedStatus } from './node-status.ts';

const defaultZones = ['zone-a', 'zone-b', 'zone-c'];

/**
 * `node-1` to `node-COUNT`, in the zones in turn, as their kubelets register them: with a time, as healthy ones, and
 * without, as ones that have not said yet how they are.
 */
export function createNodes(count: number, zones: readonly string[] = defaultZones, nowMs?: number): KubeObject[] {
  return Array.from({ length: count }, (_, index) => {
    const name = `node-${index + 1}`;
    const node: NodeObject = {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name, labels: nodeLabels(name, zones[index % zones.length]) },
      spec: { providerID: `holdfast-sim://${name}` },
      status: simulatedStatus(name, nodeAddress(index)),
    };
    return nowMs === undefined ? node : { ...node, status: healthyStatus(node, nodeAddress(index), nowMs) };
  });
}

function nodeLabels(name: string, zone: string | undefined): Record<string, string> {
  return {
    'beta.kubernetes.io/arch': 'amd64',
    'beta.kubernetes.io/os': 'linux',
    'kubernetes.io/arch': 'amd64',
    'kubernetes.io/hostname': name,
    'kubernetes.io/os': 'linux',
    'node.kubernetes.io/instance-type': 'sim.large',
    [sim.node]: 'true',
    'topology.kubernetes.io/region': 'region-1',
    ...(zone === undefined ? {} : { 'topology.kubernetes.io/zone': zone }),
  };
}

/** Addresses of nodes begin with 127.1; those of pods follow further up. */
function nodeAddress(index: number): string {
  return `127.1.${Math.floor(index / 254) % 256}.${(index % 254) + 1}`;
}
