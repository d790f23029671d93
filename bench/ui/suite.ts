import type { Pod } from '../../packages/holdfast/src/api/pod.ts';
import type { NamedNode } from '../../packages/holdfast/src/cli/status/node-view.ts';
import { hiddenBy } from '../../packages/holdfast/src/cli/ui/overview/head.ts';
import { type ClusterFacts, Overview } from '../../packages/holdfast/src/cli/ui/overview/overview.ts';
import type { World } from '../../packages/holdfast/src/core/world/world.ts';
import { PodSink } from '../../packages/holdfast/src/observe/view/pod-sink.ts';
import { deltaBetween } from '../../packages/holdfast/src/ui/delta.ts';
import type { UiModel } from '../../packages/holdfast/src/ui/model.ts';
import { podOf } from '../core/fleet.ts';
import { heap, markdownTable } from '../core/measure.ts';
import { type FleetSize, planFleet } from '../plan/fleet.ts';

const sizes: readonly FleetSize[] = [
  { nodes: 500, pods: 15_000, podsPerApp: 24 },
  { nodes: 5_000, pods: 150_000, podsPerApp: 24 },
  { nodes: 5_000, pods: 150_000, podsPerApp: 240 },
];

/** As the server computes: so long at a time. */
const sliceMs = 40;
const changes = 60;
/** A model is told this often while much is to be judged, as by the server. */
const gatherMs = 250;

const around: ClusterFacts = {
  cluster: { server: 'https://bench', namespaces: [], version: '0' },
  operator: { state: 'ok', checks: [] },
  data: { kind: 'live' },
  gaps: [],
  remarks: [],
  recordedSince: 0,
  hidden: hiddenBy([]),
  isRead: true,
  refusals: [],
};

/** The model of `holdfast ui` for large clusters: from a world that was read to the first picture, and from a change to its delta. */
export function uiSuite(): string {
  const head = ['nodes', 'pods', 'pods per application', 'first model', 'all judged', 'model as JSON', 'memory'];
  const changeHead = [
    'nodes',
    'pods',
    'pods per application',
    'change to delta, p50',
    'p99',
    'all of it judged, p50',
    'delta, p50',
    'largest',
  ];
  const measured = sizes.map(measure);
  const first = markdownTable(
    head,
    measured.map(({ start }) => start),
  );
  const updates = markdownTable(
    changeHead,
    measured.map(({ update }) => update),
  );
  return `## The page's model\n\nThe limits are 2 s from a world that was read to the first model, and 100 ms for an update, for 5,000 nodes and 150,000 pods. The first model has all nodes and budgets; nodes are judged in slices of ${sliceMs} ms, and are unknown until then. Memory is what the model needs beside the world.\n\n${first}\n\n## One pod becomes not ready, or ready again\n\nFrom the change to its first delta: the budget, its groups, and as many of the nodes with pods of that budget as are judged in one slice. The others follow. The server gathers changes for 20 to 250 ms.\n\n${updates}\n`;
}

interface Measured {
  readonly start: readonly string[];
  readonly update: readonly string[];
}

function measure(size: FleetSize): Measured {
  const fleet = planFleet(size);
  const nodes = new Map<string, NamedNode>(
    fleet.nodes.map(({ name, labels }) => [name, { name, labels, ready: true, cordoned: false }]),
  );
  const before = heap();
  const overview = new Overview({ world: fleet.world, nodes: () => nodes, confirmedAt: () => undefined });
  const began = performance.now();
  overview.podSeen(undefined, 0);
  let model = step(overview, 1);
  const firstMs = performance.now() - began;
  let toldAt = performance.now();
  while (overview.isDirty) {
    slice(overview);
    if (overview.isDirty && performance.now() - toldAt < gatherMs) continue;
    model = overview.model(0, around, model.head.revision + 1);
    toldAt = performance.now();
  }
  const judgedMs = performance.now() - began;
  const bytes = Buffer.byteLength(JSON.stringify(model));
  const memory = heap() - before;
  const names = [size.nodes.toLocaleString('en'), size.pods.toLocaleString('en'), String(size.podsPerApp)];
  const updates = changePods(overview, fleet.world, size, model);
  return {
    start: [...names, seconds(firstMs), seconds(judgedMs), mib(bytes), mib(memory)],
    update: [...names, ...updates],
  };
}

function step(overview: Overview, revision: number): UiModel {
  slice(overview);
  return overview.model(0, around, revision);
}

function slice(overview: Overview): void {
  const end = performance.now() + sliceMs;
  overview.work(0, around.hidden, () => performance.now() > end);
}

function changePods(overview: Overview, world: World, size: FleetSize, first: UiModel): readonly string[] {
  const sink = sinkOf(world, overview);
  let model = first;
  const times: number[] = [];
  const settled: number[] = [];
  const sizesOfDeltas: number[] = [];
  for (let index = 0; index < changes; index += 1) {
    const pod = aPodOf(size, index);
    const began = performance.now();
    sink.upsert(index % 2 === 0 ? notReady(pod) : pod, String(1_000_000 + index));
    const next = step(overview, model.head.revision + 1);
    const delta = deltaBetween(model, next);
    times.push(performance.now() - began);
    sizesOfDeltas.push(delta === undefined ? 0 : JSON.stringify(delta).length);
    while (overview.isDirty) slice(overview);
    settled.push(performance.now() - began);
    model = next;
  }
  const at = (values: readonly number[], share: number) =>
    values.toSorted((a, b) => a - b)[Math.floor(share * (values.length - 1))] ?? 0;
  return [
    `${at(times, 0.5).toFixed(1)} ms`,
    `${at(times, 0.99).toFixed(1)} ms`,
    `${at(settled, 0.5).toFixed(1)} ms`,
    kib(at(sizesOfDeltas, 0.5)),
    kib(Math.max(...sizesOfDeltas)),
  ];
}

function sinkOf(world: World, overview: Overview): PodSink {
  return new PodSink({ world, touched: overview, advanced: () => undefined, seen: (pod) => overview.podSeen(pod, 0) });
}

/** A pod of the fleet: of every application one after the other, each twice. */
function aPodOf({ pods, podsPerApp, nodes }: FleetSize, index: number): Pod {
  const apps = Math.floor(pods / podsPerApp);
  const a = Math.floor(index / 2) % apps;
  const grouped = a % 10 === 0;
  const node = `node-${(a * 104_729) % nodes}`;
  return podOf({
    namespace: `team-${a % 50}`,
    app: `app-${a}`,
    index: a * podsPerApp,
    node,
    ...(grouped ? { group: 0 } : {}),
  });
}

function notReady(pod: Pod): Pod {
  const conditions = (pod.status?.conditions ?? []).map((one) =>
    one.type === 'Ready' ? { ...one, status: 'False' as const } : one,
  );
  return { ...pod, status: { ...pod.status, conditions } };
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(2)} s`;
}

function mib(bytes: number): string {
  return `${(bytes / 1024 ** 2).toFixed(1)} MiB`;
}

function kib(bytes: number): string {
  return `${(bytes / 1024).toFixed(1)} KiB`;
}
