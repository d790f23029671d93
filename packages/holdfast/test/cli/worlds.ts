import { aWorld } from '../../../../test/support/a-world.ts';
import {
  aDeployment,
  aGroupPdb,
  aLedger,
  anOwner,
  aPdb,
  aPod,
  aPub,
  aReservation,
  ns,
} from '../../../../test/support/builders.ts';
import { builtinStatusOf } from '../../src/observe/once/builtin-status.ts';
import type { LiveWorld } from '../../src/observe/once/live-world.ts';
import type { LeaseView } from '../../src/observe/once/probe-lease-book.ts';
import { aLiveWorld, readAt } from './live-world.ts';

const llmPod = (group: number, worker: number) =>
  aPod(worker === 0 ? `llm-${group}` : `llm-${group}-${worker}`)
    .labels({ app: 'llm' })
    .lws('llm', group, worker, 3)
    .on(`node-${group + worker + 1}`);

/**
 * A small shop: two groups of a language model, one of them broken; a database with probes, one of which says no and one of which
 * no agent confirms; a web server under a plain budget; and a reservation under way.
 */
export function aShop(): LiveWorld {
  const llm = [0, 1].flatMap((group) => [0, 1, 2].map((worker) => llmPod(group, worker)));
  const db = anOwner('StatefulSet', 'db', 3);
  const dbPod = (index: number, says: 'True' | 'False') =>
    aPod(`db-${index}`)
      .labels({ app: 'db' })
      .ownedBy(db)
      .probed(says)
      .on(`node-${index + 1}`);
  const [deployment, set] = aDeployment('web', 3);
  if (deployment === undefined || set === undefined) throw new Error('a Deployment has a ReplicaSet');
  const web = [0, 1, 2].map((index) =>
    aPod(`web-${index}`)
      .labels({ app: 'web' })
      .ownedBy(set)
      .on(`node-${index + 1}`),
  );
  const world = aWorld({
    pods: [
      ...llm.map((pod) => (pod.build().metadata.name === 'llm-0-1' ? pod.notReady() : pod)),
      ...[dbPod(0, 'True'), dbPod(1, 'False'), dbPod(2, 'True')],
      ...web,
      aPod('loose').on('node-3'),
      aPod('log-1').ownedBy(anOwner('DaemonSet', 'log')).on('node-1'),
    ],
    pdbs: [
      aGroupPdb('llm', { app: 'llm' }, { minAvailable: 1 }),
      aPdb('web', { app: 'web' }, { maxUnavailable: 1 }),
      aPdb('broken', { app: 'none' }, { minAvailable: 'many' }),
    ],
    pubs: [aPub('db', { targetRef: { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'db' }, maxUnavailable: 1 })],
    owners: [anOwner('LeaderWorkerSet', 'llm', 2), db, deployment, set, anOwner('DaemonSet', 'log')],
  });
  const reserved = aReservation('web-2', 'DELETE', { time: '2026-01-01T11:59:48Z' });
  world.setLedger(ns, aLedger([reserved]));
  const leases = [
    lease('node-1', 'fresh', ['uid-db-0']),
    lease('node-2', 'fresh', []),
    lease('node-3', 'expired', ['uid-db-2']),
  ];
  for (const view of leases) {
    if (view.state === 'fresh')
      world.setProbeLease(view.node, { renewedAt: readAt - view.ageMs, durationSeconds: 40, pods: view.pods });
  }
  const status = (allowed: number, current: number, desired: number, expected: number) =>
    builtinStatusOf({
      metadata: { generation: 1 },
      status: {
        observedGeneration: 1,
        disruptionsAllowed: allowed,
        currentHealthy: current,
        desiredHealthy: desired,
        expectedPods: expected,
      },
    });
  return aLiveWorld(world, {
    builtin: new Map([
      [`${ns}/llm`, status(4, 5, 1, 6)],
      [`${ns}/web`, status(1, 3, 2, 3)],
    ]),
    leases: new Map(leases.map((view) => [view.node, view])),
  });
}

function lease(node: string, state: 'fresh' | 'expired', pods: readonly string[]): LeaseView {
  const ageMs = state === 'fresh' ? 4_000 : 95_000;
  return { node, holder: `agent-of-${node}`, durationSeconds: 40, pods: new Set(pods), ageMs, by: 'renewTime', state };
}
