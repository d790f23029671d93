import type { JsonMap } from '../../packages/embedded-cluster/src/patch/json-tree.ts';
import { bigPod } from '../client/big-pod.ts';
import type { Handler } from './messages.ts';

export const probedPods = 500;
export const probedNode = 'node-probed';
export const podNamespace = 'team-0';
export const periodSeconds = 10;

export function podName(pod: number): string {
  return `db-${pod}`;
}

/** An address of its own for each pod, on this machine. */
export function addressOf(pod: number): string {
  return `127.77.${Math.floor(pod / 250)}.${(pod % 250) + 1}`;
}

const probeKey = 'holdfast.dev/disruption-probe';

/** A pod as big as real ones that runs, and asks to be probed. */
export function probedPod(pod: number, node: string, probe: object): JsonMap {
  const big = bigPod(pod, 0) as { metadata: JsonMap; spec: JsonMap; status: JsonMap };
  const { resourceVersion: _, ownerReferences: __, ...metadata } = big.metadata;
  return {
    metadata: { ...metadata, annotations: { [probeKey]: JSON.stringify(probe) } },
    spec: { ...big.spec, nodeName: node },
    status: { ...big.status, podIP: addressOf(pod) },
  };
}

/** With thresholds of one: what is timed is how a transition comes through, not how long it is waited for. */
export function probeOf(handler: Handler, port: number): object {
  const rest = { periodSeconds, timeoutSeconds: 5, failureThreshold: 1 };
  switch (handler) {
    case 'httpGet':
      return { httpGet: { path: '/disruptable', port }, ...rest };
    case 'httpGet with TLS':
      return { httpGet: { path: '/disruptable', port, scheme: 'HTTPS' }, ...rest };
    case 'tcpSocket':
      return { tcpSocket: { port }, ...rest };
    case 'grpc':
      return { grpc: { port }, ...rest };
  }
}
