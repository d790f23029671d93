import type { Cluster } from '@holdfast/embedded-cluster';
import type { KubeObject } from '@holdfast/embedded-cluster/objects';
import { type RunningAgent, startAgent } from '../../agent/index.ts';
import { agentName, agentsNamespace } from '../../api/installation-names.ts';
import { agentPolicies, agentRbacObjects, agentServiceAccountOf, type RbacObject } from '../../install/index.ts';
import { realClock } from '../../kube/time/clock.ts';
import { systemRandom } from '../../kube/time/random.ts';
import { execNamespacesOf } from '../agent/agent-options.ts';
import { accessWith, administratorOf, type ServiceToken, upHost, upIdentity, upLog, upValues } from './up-service.ts';

/** What the agent needs to be there, as the manifests have it, but for a DaemonSet to run it in. */
export function agentObjects(execNamespaces: readonly string[]): readonly KubeObject[] {
  const objects = [
    agentServiceAccountOf(upValues),
    ...agentRbacObjects(upValues),
    ...(execNamespaces.length === 0 ? [] : execRights()),
    ...agentPolicies(upValues),
  ];
  return objects as unknown as readonly KubeObject[];
}

/**
 * In the whole cluster: namespaces of the demo, and of the user, do not exist yet, so no RoleBinding can be in them. The agent itself
 * keeps to the namespaces that were named.
 */
function execRights(): readonly RbacObject[] {
  const [exec] = agentRbacObjects({ ...upValues, agent: { ...upValues.agent, execNamespaces: ['any'] } }).filter(
    ({ kind, metadata }) => kind === 'ClusterRole' && metadata?.name?.endsWith('-exec') === true,
  );
  const name = exec?.metadata?.name ?? '';
  const apiGroup = 'rbac.authorization.k8s.io';
  const subjects = [{ kind: 'ServiceAccount', name: agentName, namespace: upValues.namespace }];
  const roleRef = { apiGroup, kind: 'ClusterRole', name };
  const binding: RbacObject = {
    apiVersion: `${apiGroup}/v1`,
    kind: 'ClusterRoleBinding',
    metadata: { name },
    roleRef,
    subjects,
  };
  return exec === undefined ? [] : [exec, binding];
}

/** One agent for all simulated nodes, since they all are in this process. */
export function runUpAgent(
  cluster: Cluster,
  token: ServiceToken,
  execNamespaces: readonly string[],
): Promise<RunningAgent> {
  const { agent } = upValues;
  return startAgent(
    {
      namespace: agentsNamespace,
      nodes: 'all',
      identity: upIdentity(),
      leaseDurationSeconds: agent.leaseSeconds,
      permits: { execNamespaces: execNamespacesOf(execNamespaces), hosts: agent.allowProbeHosts },
      maxProbes: agent.maxProbes,
      health: { host: upHost, port: 0 },
    },
    { access: accessWith(administratorOf(cluster), token), clock: realClock, random: systemRandom, log: upLog() },
  );
}
