import { sleep } from '../../kube/time/clock.ts';
import { problemOf } from '../../observe/problem.ts';
import { resources } from '../../observe/resources.ts';
import type { Session } from '../../observe/session.ts';
import type { Drainer } from './drainer.ts';
import type { Scenario } from './simulation-result.ts';

/** Does what was asked for. Resolves when nothing more will happen; that may be never. */
export async function play(
  scenario: Scenario,
  drainer: Drainer,
  session: Session,
  back: (node: string) => void,
): Promise<void> {
  if (scenario.kind === 'plan') return playPlan(scenario, drainer, session, back);
  if (scenario.kind !== 'upgrade') return drainer.drain(scenario.nodes);
  const waiting = [...scenario.nodes];
  const worker = async () => {
    for (let node = waiting.shift(); node !== undefined; node = waiting.shift()) {
      await drainer.drain([node]);
      // A node that still runs pods is not replaced, and the nodes after it wait forever.
      if (!drainer.isDrained(node)) return;
      await sleep(session.clock, scenario.nodeMs);
      await uncordon(session, node);
      back(node);
    }
  };
  await Promise.all(Array.from({ length: scenario.maxUnavailable }, worker));
}

/** Wave after wave: the nodes of one come back before the next one starts. */
async function playPlan(
  { waves, nodeMs }: Extract<Scenario, { kind: 'plan' }>,
  drainer: Drainer,
  session: Session,
  back: (node: string) => void,
): Promise<void> {
  for (const wave of waves) {
    await drainer.drain(wave);
    if (!wave.every((node) => drainer.isDrained(node))) return;
    await sleep(session.clock, nodeMs);
    for (const node of wave) {
      await uncordon(session, node);
      back(node);
    }
  }
}

async function uncordon({ client, call }: Session, name: string): Promise<void> {
  const patch = { type: 'strategic', body: { spec: { unschedulable: null } } } as const;
  const done = await client.patch(resources.nodes, { name }, patch, { ...call, fieldManager: 'holdfast-simulate' });
  if (!done.ok) throw problemOf(done.failure, `cannot uncordon node ${name}`);
}
