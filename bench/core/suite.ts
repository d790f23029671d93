import { decide } from '../../packages/holdfast/src/core/decide/decide.ts';
import type { World } from '../../packages/holdfast/src/core/world/world.ts';
import { groupPdbOf, podOf, pubOf, statefulSet, syncedWorld } from './fleet.ts';
import { heap, markdownTable, percentiles, rate } from './measure.ts';

const ns = 'shop';
const sizes = [100, 1_000, 10_000, 100_000] as const;
const samples = 20_000;

/** The decision core: is a verdict flat in the number of pods, how fast is the world fed, what does a pod cost. */
export function coreSuite(): string {
  return ['## Verdict, one budget', verdicts(), '## Feeding the world', feeding(), '## Memory', memory()].join('\n\n');
}

type Kind = 'PUB, pods' | 'PUB, groups of 8' | 'PDB, groups of 8';

function oneBudget(kind: Kind, pods: number): World {
  const world = syncedWorld();
  world.setLedger(ns, { metadata: { name: 'default', namespace: ns, resourceVersion: '1' } });
  world.setOwner(statefulSet(ns, 'llm', pods));
  const grouped = kind !== 'PUB, pods';
  if (grouped) {
    const apiVersion = 'leaderworkerset.x-k8s.io/v1';
    world.setOwner({ apiVersion, kind: 'LeaderWorkerSet', namespace: ns, name: 'llm', uid: 'lws', replicas: pods / 8 });
  }
  if (kind === 'PDB, groups of 8') world.upsertPdb(groupPdbOf(ns, 'llm'));
  else world.upsertPub(pubOf(ns, 'llm', grouped));
  for (let i = 0; i < pods; i += 1) world.upsertPod(llmPod(i, grouped));
  return world;
}

function llmPod(index: number, grouped: boolean, ready = true, version = index) {
  const node = `node-${index % 5_000}`;
  const group = grouped ? { group: Math.floor(index / 8) } : {};
  return podOf({ namespace: ns, app: 'llm', index, node, ready, version, ...group });
}

function verdicts(): string {
  const rows: string[][] = [];
  for (const kind of ['PUB, pods', 'PUB, groups of 8', 'PDB, groups of 8'] as const) {
    for (const pods of sizes) {
      const grouped = kind !== 'PUB, pods';
      const world = oneBudget(kind, pods);
      const names = [...(world.namespace(ns)?.pods.keys() ?? [])];
      const target = (i: number): string => names[(i * 7919) % names.length] ?? '';
      // What was computed before a change must not be what a verdict after it rests on: so each kind of change is timed, too.
      const changes: readonly ((i: number) => void)[] = [
        () => {},
        (i) => world.upsertPod(llmPod((i * 104_729) % pods, grouped, i % 2 === 0, i)),
        (i) => replace(world, (i * 104_729) % pods, grouped, i),
      ];
      const timings = changes.map((change) => timeVerdicts(world, target, change));
      rows.push([kind, pods.toLocaleString('en'), ...timings.flatMap(({ p50, p99 }) => [micro(p50), micro(p99)])]);
    }
  }
  const head = ['budget', 'pods', 'p50', 'p99', 'after a flip: p50', 'p99', 'after a replacement: p50', 'p99'];
  return markdownTable(head, rows);
}

/** A pod goes, and one of the same name comes: groups and owners lose and find it. */
function replace(world: World, index: number, grouped: boolean, version: number): void {
  const pod = llmPod(index, grouped, true, version);
  world.deletePod(ns, pod.metadata.name);
  world.upsertPod({ ...pod, metadata: { ...pod.metadata, uid: `${index}-${version}` } });
}

/** Only the verdict is timed, not the change before it. */
function timeVerdicts(world: World, target: (i: number) => string, change: (i: number) => void) {
  return percentiles(samples, (i) => {
    change(i);
    const request = { operation: 'EVICT', namespace: ns, pod: target(i) } as const;
    const start = process.hrtime.bigint();
    decide(world, request, 0);
    return Number(process.hrtime.bigint() - start) / 1_000;
  });
}

const fleet = { namespaces: 50, budgetsPerNamespace: 200, podsPerBudget: 15 } as const;

function bigWorld(feed: (world: World) => void): World {
  const world = syncedWorld();
  for (let n = 0; n < fleet.namespaces; n += 1) {
    const namespace = `team-${n}`;
    world.setLedger(namespace, { metadata: { name: 'default', namespace, resourceVersion: '1' } });
    for (let b = 0; b < fleet.budgetsPerNamespace; b += 1) {
      const app = `app-${b}`;
      world.setOwner(statefulSet(namespace, app, fleet.podsPerBudget));
      world.upsertPub(pubOf(namespace, app, false));
    }
  }
  feed(world);
  return world;
}

function fleetPod(i: number, ready = true, version = i) {
  const perNamespace = fleet.budgetsPerNamespace * fleet.podsPerBudget;
  const namespace = `team-${Math.floor(i / perNamespace) % fleet.namespaces}`;
  const app = `app-${Math.floor(i / fleet.podsPerBudget) % fleet.budgetsPerNamespace}`;
  return podOf({ namespace, app, index: i, node: `node-${i % 5_000}`, ready, version });
}

const fleetPods = fleet.namespaces * fleet.budgetsPerNamespace * fleet.podsPerBudget;

function feeding(): string {
  const adds: number[] = [];
  const world = bigWorld((target) => {
    adds.push(
      pureRate(
        fleetPods,
        (i) => fleetPod(i),
        (pod) => target.upsertPod(pod),
      ),
    );
  });
  const flips = pureRate(
    fleetPods,
    (i) => fleetPod(i, i % 3 !== 0, i + 1),
    (pod) => world.upsertPod(pod),
  );
  const oneNamespace = oneNamespaceRate();
  return markdownTable(
    ['what', 'pod changes/s'],
    [
      [`first feed of ${fleetPods.toLocaleString('en')} pods under 10,000 budgets`, perSecond(adds[0] ?? 0)],
      ["a pod's readiness changes", perSecond(flips)],
      ['first feed, 10,000 budgets in one namespace', perSecond(oneNamespace)],
      ['first feed, 100 budgets over every pod', perSecond(crowdedRate(100))],
      ['first feed, 5,000 budgets over every pod', perSecond(crowdedRate(5_000))],
    ],
  );
}

/** Budgets that select everything: what a change of a pod costs must not grow with them without end. */
function crowdedRate(budgets: number): number {
  const world = syncedWorld();
  for (let i = 0; i < budgets; i += 1) {
    world.upsertPdb({ metadata: { name: `everything-${i}`, namespace: ns }, spec: { selector: {}, minAvailable: 1 } });
  }
  return pureRate(
    1_000,
    (i) => llmPod(i, false),
    (pod) => world.upsertPod(pod),
  );
}

/** Making the objects costs more than feeding them: they are made beforehand, in portions. */
function pureRate<T>(count: number, make: (i: number) => T, run: (item: T) => void): number {
  const portion = 10_000;
  let spent = 0;
  for (let start = 0; start < count; start += portion) {
    const items = Array.from({ length: Math.min(portion, count - start) }, (_, i) => make(start + i));
    spent += items.length / rate(items.length, (i) => run(items[i] as T));
  }
  return count / spent;
}

function oneNamespaceRate(): number {
  const world = syncedWorld();
  for (let b = 0; b < 10_000; b += 1) world.upsertPub(pubOf(ns, `app-${b}`, false));
  const make = (i: number) => podOf({ namespace: ns, app: `app-${i % 10_000}`, index: i, node: `node-${i % 5_000}` });
  return pureRate(50_000, make, (pod) => world.upsertPod(pod));
}

function memory(): string {
  let before = 0;
  const world = bigWorld((target) => {
    before = heap();
    for (let i = 0; i < fleetPods; i += 1) target.upsertPod(fleetPod(i));
  });
  const bytes = (heap() - before) / fleetPods;
  const kept = [...world.namespaces()].reduce((sum, one) => sum + one.pods.size, 0);
  return markdownTable(
    ['pods', 'budgets', 'heap per pod', 'limit'],
    [[kept.toLocaleString('en'), '10,000', `${bytes.toFixed(0)} bytes`, '1,536 bytes']],
  );
}

function micro(value: number): string {
  return `${value.toFixed(1)} us`;
}

function perSecond(value: number): string {
  return Math.round(value).toLocaleString('en');
}
