import type { ResourceName } from '../../kube/client/resource.ts';
import { sleep } from '../../kube/time/clock.ts';
import type { Session } from '../live/session.ts';
import { problemOf } from '../output/problem.ts';
import type { Drainer } from './drainer.ts';
import type { Scenario } from './result.ts';

const nodes: ResourceName = { group: '', version: 'v1', plural: 'nodes', namespaced: false };

/** Does what was asked for. Resolves when nothing more will happen; that may be never. */
export async function play(
  scenario: Scenario,
  drainer: Drainer,
  session: Session,
  back: (node: string) => void,
): Promise<void> {
  if (scenario.kind !== 'upgrade') return drainer.drain(scenario.nodes);
  const waiting = [...scenario.nodes];
  const worker = async () => {
    for (let node = waiting.shift(); node !== undefined; node = waiting.shift()) {
      await drainer.drain([node]);
      // Nobody takes a node away on which something still runs: it stays as it is, and so does its turn.
      if (!drainer.isDrained(node)) return;
      await sleep(session.clock, scenario.nodeMs);
      await uncordon(session, node);
      back(node);
    }
  };
  await Promise.all(Array.from({ length: scenario.maxUnavailable }, worker));
}

async function uncordon({ client, call }: Session, name: string): Promise<void> {
  const patch = { type: 'strategic', body: { spec: { unschedulable: null } } } as const;
  const done = await client.patch(nodes, { name }, patch, { ...call, fieldManager: 'holdfast-simulate' });
  if (!done.ok) throw problemOf(done.failure, `cannot uncordon node ${name}`);
}
