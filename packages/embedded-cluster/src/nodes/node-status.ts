import type { NodeCondition, NodeStatus } from 'kubernetes-types/core/v1.js';
import type { NodeObject } from '../controllers/common/workloads.ts';
import { timestamp } from '../time/clock.ts';

export const kubeletVersion = 'v1.37.1';

const size = { cpu: '8', memory: '32Gi', pods: '110', 'ephemeral-storage': '100Gi' };

/** What a kubelet says of its machine, apart from its conditions. */
export function simulatedStatus(name: string, address: string): NodeStatus {
  return {
    capacity: { ...size },
    allocatable: { ...size },
    addresses: [
      { type: 'InternalIP', address },
      { type: 'Hostname', address: name },
    ],
    daemonEndpoints: { kubeletEndpoint: { Port: 10250 } },
    nodeInfo: {
      machineID: name,
      systemUUID: name,
      bootID: name,
      kernelVersion: '6.1.0-holdfast',
      osImage: 'Holdfast simulated node',
      containerRuntimeVersion: 'holdfast-sim://1',
      kubeletVersion,
      kubeProxyVersion: '',
      operatingSystem: 'linux',
      architecture: 'amd64',
    },
  };
}

const health = [
  ['MemoryPressure', 'False', 'KubeletHasSufficientMemory', 'kubelet has sufficient memory available'],
  ['DiskPressure', 'False', 'KubeletHasNoDiskPressure', 'kubelet has no disk pressure'],
  ['PIDPressure', 'False', 'KubeletHasSufficientPID', 'kubelet has sufficient PID available'],
  ['Ready', 'True', 'KubeletReady', 'kubelet is posting ready status'],
] as const;

/** The status of a node that is well. What the node was registered with stays; conditions of others stay. */
export function healthyStatus(node: NodeObject, address: string, nowMs: number): NodeStatus {
  const own = new Set<string>(health.map(([type]) => type));
  const before = node.status?.conditions ?? [];
  const written = { ...node.status };
  for (const field of ['capacity', 'allocatable', 'addresses', 'nodeInfo'] as const) {
    if (isEmpty(written[field])) delete written[field];
  }
  return {
    ...simulatedStatus(node.metadata.name, address),
    ...written,
    conditions: [
      ...before.filter(({ type }) => !own.has(type)),
      ...health.map(([type, status, reason, message]) => ({
        type,
        status,
        lastHeartbeatTime: timestamp(nowMs),
        lastTransitionTime: transition(before, type, status) ?? timestamp(nowMs),
        reason,
        message,
      })),
    ],
  };
}

/** `kubectl create` makes an empty nodeInfo of a node that says nothing of itself. */
function isEmpty(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return Object.values(value).every((field) => field === '' || field === null);
}

function transition(before: readonly NodeCondition[], type: string, status: string): string | undefined {
  const condition = before.find((candidate) => candidate.type === type);
  return condition?.status === status ? condition.lastTransitionTime : undefined;
}

/** A controller, such as the node lifecycle controller, has given the node up, or none has seen it ready yet. */
export function isUnwell(node: NodeObject): boolean {
  const conditions = node.status?.conditions ?? [];
  return health.some(([type, status]) => conditions.find((condition) => condition.type === type)?.status !== status);
}
