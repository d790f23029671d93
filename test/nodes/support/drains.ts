import type { CommandResult } from '../../../testbed/src/nodes/bed-access.ts';
import { kubectl } from './kubectl.ts';
import type { NodesScene } from './scene.ts';

/** At once, as people and autoscalers do it, with everything that is on the nodes. */
export function drainAll(nodes: readonly string[]): Promise<CommandResult[]> {
  const flags = ['--ignore-daemonsets', '--delete-emptydir-data', '--force', '--timeout=180s'];
  return Promise.all(nodes.map((node) => kubectl(['drain', node, ...flags])));
}

/** The next file begins with open nodes, and with every replica of the operator. */
export async function uncordonAll({ bed }: NodesScene): Promise<void> {
  await kubectl(['uncordon', ...bed.nodes.map(({ name }) => name)]);
  await kubectl(['--namespace=holdfast-system', 'rollout', 'status', 'deployment/holdfast', '--timeout=120s']);
}
