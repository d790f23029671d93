import { type RunningAgent, startAgent } from '../agent/agent.ts';
import type { Cluster } from '../cluster/cluster.ts';
import type { KubeObject } from '../cluster/objects.ts';
import { realClock } from '../kube/time/clock.ts';
import { systemRandom } from '../kube/time/random.ts';
import { agentRbacObjects, agentServiceAccountOf } from '../operator/install/agent-rbac.ts';
import { accessWith, administratorOf, type ServiceToken, upHost, upIdentity, upLog, upValues } from './up-service.ts';

/** What the agent needs to be there, as the manifests have it, but for a DaemonSet to run it in. */
export const agentObjects: readonly KubeObject[] = [
  agentServiceAccountOf(upValues),
  ...agentRbacObjects(upValues),
] as unknown as readonly KubeObject[];

/** One agent for all simulated nodes, since they all are in this process. */
export function runAgent(cluster: Cluster, token: ServiceToken): Promise<RunningAgent> {
  const { namespace, agent } = upValues;
  return startAgent(
    {
      namespace,
      nodes: 'all',
      identity: upIdentity(),
      leaseDurationSeconds: agent.leaseSeconds,
      allowExec: agent.allowExec,
      maxProbes: agent.maxProbes,
      health: { host: upHost, port: 0 },
    },
    { access: accessWith(administratorOf(cluster), token), clock: realClock, random: systemRandom, log: upLog() },
  );
}
