import { type RunningAgent, startAgent } from '../agent/agent.ts';
import type { Cluster } from '../cluster/cluster.ts';
import type { KubeObject } from '../cluster/objects.ts';
import { realClock } from '../kube/time/clock.ts';
import { systemRandom } from '../kube/time/random.ts';
import { agentPolicies } from '../operator/install/agent-policies.ts';
import { agentRbacObjects, agentServiceAccountOf } from '../operator/install/agent-rbac.ts';
import { agentsNamespace } from '../operator/install/names.ts';
import { accessWith, administratorOf, type ServiceToken, upHost, upIdentity, upLog, upValues } from './up-service.ts';

/** What the agent needs to be there, as the manifests have it, but for a DaemonSet to run it in. */
export const agentObjects: readonly KubeObject[] = [
  agentServiceAccountOf(upValues),
  ...agentRbacObjects(upValues),
  ...agentPolicies(upValues),
] as unknown as readonly KubeObject[];

/** One agent for all simulated nodes, since they all are in this process. */
export function runAgent(cluster: Cluster, token: ServiceToken): Promise<RunningAgent> {
  const { agent } = upValues;
  return startAgent(
    {
      namespace: agentsNamespace,
      nodes: 'all',
      identity: upIdentity(),
      leaseDurationSeconds: agent.leaseSeconds,
      permits: { execNamespaces: agent.execNamespaces, hosts: agent.allowProbeHosts },
      maxProbes: agent.maxProbes,
      health: { host: upHost, port: 0 },
    },
    { access: accessWith(administratorOf(cluster), token), clock: realClock, random: systemRandom, log: upLog() },
  );
}
