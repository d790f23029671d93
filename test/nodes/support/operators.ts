import { waitUntil } from '../../e2e/support/wait.ts';
import { isReady } from '../../support/availability.ts';
import { made } from '../../support/cluster.ts';
import type { Body } from '../../support/kube-http.ts';
import { containersOf } from './pod-cgroups.ts';
import { type NodesScene, patience } from './scene.ts';

const system = '/api/v1/namespaces/holdfast-system/pods';

type Cluster = Pick<NodesScene, 'cluster'>;

/** Of the Deployment, or of the DaemonSet. */
export async function operatorPods(
  { cluster }: Cluster,
  component: 'operator' | 'agent' = 'operator',
): Promise<readonly Body[]> {
  const { items } = await made(cluster.request('GET', system));
  const isAgent = ({ metadata }: Body) => metadata.name.startsWith('holdfast-agent-');
  return items.filter((pod) => isAgent(pod) === (component === 'agent'));
}

export async function leader({ cluster }: Cluster): Promise<string> {
  const leases = '/apis/coordination.k8s.io/v1/namespaces/holdfast-system/leases';
  const { items } = await made(cluster.request('GET', leases));
  const holders = items.map(({ spec }) => String(spec['holderIdentity']));
  const found = (await operatorPods({ cluster })).find(({ metadata }) =>
    holders.some((holder) => holder.startsWith(metadata.name)),
  );
  if (found === undefined) throw new Error(`no pod leads: ${holders.join(', ')}`);
  return found.metadata.name;
}

/** The process of its container, as if the machine had lost it: nothing is closed or said. */
export async function killHard(scene: NodesScene, name: string): Promise<void> {
  const pod = (await operatorPods(scene)).find(({ metadata }) => metadata.name === name);
  if (pod === undefined) throw new Error(`there is no pod ${name}`);
  const processes = containersOf(scene.bed.state, pod, 'node').flatMap((container) => container.processes);
  if (processes.length === 0) throw new Error(`pod ${name} runs nothing`);
  for (const pid of processes) process.kill(pid, 'SIGKILL');
}

export async function waitOperators(scene: NodesScene, count = 3): Promise<void> {
  await waitUntil(
    `${count} operators are ready`,
    async () => (await operatorPods(scene)).filter((pod) => isReady(pod) && !pod.metadata.deletionTimestamp).length,
    (ready) => ready === count,
    patience,
  );
}
