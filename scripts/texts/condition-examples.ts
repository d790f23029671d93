import type { Condition } from '../../packages/base/src/meta.ts';
import { annotation } from '../../packages/holdfast/src/api/names.ts';
import type { PodDisruptionBudget } from '../../packages/holdfast/src/api/pdb.ts';
import type { PodUnavailableBudget } from '../../packages/holdfast/src/api/pub/pub.ts';
import { conditionCodes, warningCodes } from '../../packages/holdfast/src/api/refusals/reasons.ts';
import { type PdbReport, pdbReport } from '../../packages/holdfast/src/core/status/pdb-condition.ts';
import { pubStatus } from '../../packages/holdfast/src/core/status/pub-status.ts';
import type { World } from '../../packages/holdfast/src/core/world/world.ts';
import { leftConditions } from '../../packages/holdfast/src/operator/status/left-to-kruise.ts';
import { aWorld } from '../../test/support/a-world.ts';
import { aGroupPdb, anOwner, aPdb, aPod, aPub, aWorkload, ns, type PodBuilder } from '../../test/support/builders.ts';
import { groupIndex, lwsPods, podsOf, pubFor, reserveIn } from '../../test/support/fleet.ts';

/** What budgets of small worlds show: the worlds are made up, the texts are the operator's. */

const on = { kind: 'on' } as const;
const off = { kind: 'off', message: 'the operator has not seen the namespace yet' } as const;
const observed = {
  kind: 'observed',
  message:
    "the namespace's label holdfast.dev/guard=observe lets every request pass: set holdfast.dev/guard=enabled to enforce budgets",
} as const;
const name = 'llm';
const app = { app: 'llm' };

type PdbSpec = NonNullable<PodDisruptionBudget['spec']>;

function groupsOf(replicas: number, running: number, spec: PdbSpec): World {
  const owners = [anOwner('LeaderWorkerSet', name, replicas)];
  return aWorld({ pods: lwsPods(name, running, 2), owners, pdbs: [aGroupPdb(name, app, spec)] });
}

function reservedGroup(): World {
  const world = groupsOf(3, 3, { minAvailable: 2 });
  reserveIn(world, 'llm-2-0');
  return world;
}

const labelled = (shard: string, i: number): PodBuilder => aPod(`llm-${i}`).labels({ ...app, shard });
const undivided = (): PodBuilder =>
  aPod('llm-0')
    .labels(app)
    .spec({ workloadRef: { name: 'wl', podGroup: 'w' } });
const tooLarge: PodDisruptionBudget = {
  ...aGroupPdb(name, app, { minAvailable: 1 }),
  metadata: {
    ...aGroupPdb(name, app, { minAvailable: 1 }).metadata,
    annotations: { [annotation.budgetScope]: 'PodGroup', [annotation.groupMinAvailable]: '5' },
  },
};

const pdbWorlds: readonly World[] = [
  groupsOf(3, 3, { minAvailable: 2 }),
  groupsOf(3, 2, { minAvailable: 2 }),
  reservedGroup(),
  groupsOf(2, 2, { minAvailable: 2 }),
  aWorld({ pods: [aPod('llm-0').labels(app)], pdbs: [aGroupPdb(name, app, { minAvailable: 1 }, 'shard')] }),
  aWorld({ pods: [aPod('llm-0').labels(app)], pdbs: [aGroupPdb(name, app, { minAvailable: 'lots' })] }),
  aWorld({ pods: podsOf(name, 2).map((pod) => pod.inPodGroup('gang')), pdbs: [aPdb(name, app, { minAvailable: 1 })] }),
  aWorld({
    pods: ['a', 'a', 'b', 'b'].map(labelled),
    pdbs: [aGroupPdb(name, app, { minAvailable: 1 }, 'shard')],
  }),
  aWorld({
    pods: [undivided(), ...lwsPods(name, 1, 2)],
    workloads: [aWorkload('wl', 'w', 2, 3)],
    pdbs: [aPdb(name, app, { minAvailable: 1 })],
  }),
  aWorld({ pods: lwsPods(name, 2, 2), owners: [anOwner('LeaderWorkerSet', name, 2)], pdbs: [tooLarge] }),
];

const byIndex = (minReadyReplicas: number) => ({ podGroupPolicy: { groupLabelKey: groupIndex, minReadyReplicas } });
const target = { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'db' };
const lws = anOwner('LeaderWorkerSet', name, 2);

function goneTarget(): World {
  const world = aWorld({ pods: podsOf(name, 1), pubs: [aPub(name, { targetRef: target, minAvailable: 1 })] });
  world.setOwnerGone({ ...target, namespace: ns });
  return world;
}

const pubWorlds: readonly World[] = [
  aWorld({ pods: lwsPods(name, 2, 2), owners: [lws], pubs: [pubFor(name, { minAvailable: 1, ...byIndex(2) })] }),
  aWorld({ pods: lwsPods(name, 2, 2), owners: [lws], pubs: [pubFor(name, { minAvailable: 2, ...byIndex(2) })] }),
  aWorld({
    pods: [...lwsPods(name, 2, 2), aPod('alone').labels(app)],
    owners: [lws],
    pubs: [pubFor(name, { minAvailable: 1, ...byIndex(5) })],
  }),
  aWorld({ pods: lwsPods(name, 2, 3), owners: [lws], pubs: [pubFor(name, { minAvailable: 1, ...byIndex(1) })] }),
  aWorld({ pods: podsOf(name, 3), pubs: [pubFor(name, { maxUnavailable: 1 })] }),
  aWorld({ pods: podsOf(name, 3), pubs: [pubFor(name, { minAvailable: 'lots' })] }),
  aWorld({ pods: podsOf(name, 2, anOwner('Job', 'migrate')), pubs: [pubFor(name, { maxUnavailable: 1 })] }),
  goneTarget(),
];

export function pdbReports(): readonly PdbReport[] {
  const reports = pdbWorlds.map((world) => pdbReport(world, ns, name, on, 0));
  const unguarded = pdbReport(groupsOf(2, 2, { minAvailable: 1 }), ns, name, off, 0);
  const watched = pdbReport(groupsOf(2, 2, { minAvailable: 1 }), ns, name, observed, 0);
  return [...reports, unguarded, watched].filter((one) => one !== undefined);
}

export function pubConditions(): readonly Condition[] {
  const shown = pubWorlds.flatMap((world) => pubStatus(world, ns, name, on, 0)?.conditions ?? []);
  const [first = new Error('there is no world')] = pubWorlds;
  if (first instanceof Error) throw first;
  const unguarded = pubStatus(first, ns, name, off, 0)?.conditions ?? [];
  const kruise: PodUnavailableBudget = pubFor(name, { minAvailable: 1 });
  const watched = pubStatus(first, ns, name, observed, 0)?.conditions ?? [];
  return unique([...shown, ...unguarded, ...watched, ...leftConditions(kruise, 0)]);
}

function unique(conditions: readonly Condition[]): readonly Condition[] {
  const seen = new Map(conditions.map((one) => [`${one.type} ${one.status} ${one.reason} ${one.message}`, one]));
  return [...seen.values()];
}

/** Codes of which no example shows a text: the page would be incomplete. */
export function codesWithoutExample(): readonly string[] {
  const reports = pdbReports();
  const shown = new Set<string>([
    ...reports.flatMap(({ condition, warnings }) => [condition?.reason ?? '', ...warnings.map(({ code }) => code)]),
    ...pubConditions().flatMap(({ type, reason }) => [type, reason ?? '']),
  ]);
  return [...conditionCodes, ...warningCodes].filter((code) => !shown.has(code));
}
