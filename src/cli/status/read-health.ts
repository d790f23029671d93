import type { DaemonSet, Deployment } from 'kubernetes-types/apps/v1.js';
import type { Lease } from 'kubernetes-types/coordination/v1.js';
import type { ResourceName } from '../../kube/client/resource.ts';
import { agentName, electionLease, operatorName } from '../../operator/install/names.ts';
import type { KindReader } from '../live/kind-reader.ts';
import type { LiveWorld } from '../live/live-world.ts';
import type { HealthFacts } from './health.ts';

function namespaced(group: string, plural: string): ResourceName {
  return { group, version: 'v1', plural, namespaced: true };
}

/** What the API server shows of the operator. */
export async function readHealth(reader: KindReader, live: LiveWorld): Promise<HealthFacts> {
  const { operatorNamespace: namespace, readAt: now, world, leases, namespaces, registrations } = live;
  const [deployment, agents, leader] = await Promise.all([
    reader.get<Deployment>(namespaced('apps', 'deployments'), { namespace, name: operatorName }),
    reader.get<DaemonSet>(namespaced('apps', 'daemonsets'), { namespace, name: agentName }),
    reader.get<Lease>(namespaced('coordination.k8s.io', 'leases'), { namespace, name: electionLease }),
  ]);
  return { now, operatorNamespace: namespace, registrations, deployment, agents, leader, world, leases, namespaces };
}
