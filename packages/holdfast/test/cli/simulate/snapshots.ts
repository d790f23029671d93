import type { LoadedObject } from '../../../src/cli/load-objects.ts';
import { simulate } from '../../../src/cli/simulate/run.ts';
import { readScenarioRequest, scenarioOf } from '../../../src/cli/simulate/scenario.ts';
import type { SimulationResult } from '../../../src/cli/simulate/simulation-result.ts';
import { completeSnapshot } from '../../../src/cli/simulate/snapshot/complete.ts';

const born = '2026-10-01T00:00:00Z';

/** Any object, as a file would hold it. */
export function object(
  apiVersion: string,
  kind: string,
  name: string,
  rest: object = {},
  meta: object = {},
): LoadedObject {
  return { apiVersion, kind, metadata: { name, namespace: 'shop', ...meta }, ...rest } as LoadedObject;
}

export function node(name: string, zone = 'a', cpu = '8'): LoadedObject {
  const room = { cpu, memory: '32Gi', pods: '110' };
  const conditions = [{ type: 'Ready', status: 'True', reason: 'KubeletReady', message: '', lastTransitionTime: born }];
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels: { 'topology.kubernetes.io/zone': zone, pool: `pool-${zone}` } },
    status: { capacity: room, allocatable: room, conditions },
  } as LoadedObject;
}

export interface AppWish {
  readonly cpu?: string;
  readonly annotations?: Readonly<Record<string, string>>;
  /** Of the first pod. */
  readonly conditions?: readonly object[];
}

/** A ReplicaSet with a pod on each of these nodes, all ready. */
export function app(name: string, nodes: readonly string[], wish: AppWish = {}): readonly LoadedObject[] {
  const labels = { app: name };
  const { cpu = '1', annotations = {} } = wish;
  const containers = [{ name: 'main', image: 'app:1', resources: { requests: { cpu } } }];
  const uid = `replicaset-${name}`;
  const template = { metadata: { labels, annotations }, spec: { containers } };
  const spec = { replicas: nodes.length, selector: { matchLabels: labels }, template };
  const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name, uid, controller: true };
  return [
    object('apps/v1', 'ReplicaSet', name, { spec }, { uid }),
    ...nodes.map((nodeName, index) =>
      object(
        'v1',
        'Pod',
        `${name}-${index}`,
        {
          spec: { nodeName, containers },
          status: {
            phase: 'Running',
            conditions: [{ type: 'Ready', status: 'True' }, ...(index === 0 ? (wish.conditions ?? []) : [])],
          },
        },
        { uid: `pod-${name}-${index}`, labels, annotations, ownerReferences: [owner] },
      ),
    ),
  ];
}

export function pdb(name: string, spec: object): LoadedObject {
  return object('policy/v1', 'PodDisruptionBudget', name, {
    spec: { selector: { matchLabels: { app: name } }, ...spec },
  });
}

export interface SimulationWish {
  readonly seed?: number;
  readonly limitMs?: number;
  readonly podStartMs?: number;
  readonly problems?: string[];
  /** What a plan that is made from the snapshot comes to. */
  readonly plan?: readonly (readonly string[])[];
}

/** What the command does with a snapshot, without its files and its printing. */
export async function simulated(
  objects: readonly LoadedObject[],
  words: readonly string[],
  wish: SimulationWish = {},
): Promise<SimulationResult> {
  const asked = await readScenarioRequest(words);
  const problems = wish.problems ?? [];
  const makePlan = () => wish.plan ?? [];
  const snapshot = completeSnapshot(objects, wish.podStartMs);
  const result = await simulate(snapshot, (nodes) => scenarioOf(asked, nodes, makePlan), {
    seed: wish.seed ?? 1,
    limitMs: wish.limitMs ?? 86_400_000,
    podStopMs: undefined,
    order: asked.order,
    report: (problem) => problems.push(problem),
  });
  if (wish.problems === undefined && problems.length > 0) throw new Error(problems.join('\n'));
  return result;
}

type Event = SimulationResult['timeline'][number];

export function eventsOf<K extends Event['kind']>(
  { timeline }: SimulationResult,
  kind: K,
): readonly (Event & { readonly kind: K })[] {
  return timeline.filter((event): event is Event & { readonly kind: K } => event.kind === kind);
}
