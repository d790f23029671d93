import type { KubeClient, Selection } from '../../kube/client/client.ts';
import { type Delta, ObjectCache } from '../../kube/reflector/cache.ts';
import { Reflector, type ServerTraits } from '../../kube/reflector/reflector.ts';
import type { Clock } from '../../kube/time/clock.ts';
import type { Random } from '../../kube/time/random.ts';
import type { Logger } from '../../telemetry/log.ts';
import { type AgentPod, projectAgentPod } from './agent-pod.ts';

export interface PodWatchOptions {
  readonly client: KubeClient;
  readonly nodes: readonly string[] | 'all';
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly onDelta: (delta: Delta<AgentPod>) => void;
}

const pods = { group: '', version: 'v1', plural: 'pods', namespaced: true } as const;

/** For more nodes than this, watching everything costs the API server less. */
const maxWatches = 16;

/** The pods of some nodes, and of no others where that can be asked for. */
export class PodWatch {
  readonly #caches: readonly ObjectCache<AgentPod>[];
  readonly #reflectors: readonly Reflector<AgentPod>[];

  constructor(options: PodWatchOptions) {
    const traits: ServerTraits = { watchList: true };
    const parts = selectionsFor(options.nodes).map((selection) => partOf(options, traits, selection));
    this.#caches = parts.map(({ cache }) => cache);
    this.#reflectors = parts.map(({ reflector }) => reflector);
  }

  start(): void {
    for (const reflector of this.#reflectors) reflector.start();
  }

  get synced(): boolean {
    return this.#caches.every((cache) => cache.synced);
  }

  async close(): Promise<void> {
    await Promise.all(this.#reflectors.map((reflector) => reflector.stop()));
  }
}

function selectionsFor(nodes: readonly string[] | 'all'): readonly Selection[] {
  if (nodes === 'all' || nodes.length > maxWatches) return [{}];
  return nodes.map((node) => ({ fieldSelector: `spec.nodeName=${node}` }));
}

function partOf(options: PodWatchOptions, traits: ServerTraits, selection: Selection) {
  const { client, clock, random, log, onDelta } = options;
  const cache = new ObjectCache<AgentPod>({
    report: (error) => log.error('a pod from the watch could not be processed', { error }),
  });
  cache.listen({ delta: onDelta });
  const reflector = new Reflector<AgentPod>({
    client,
    resource: pods,
    selection,
    project: projectAgentPod,
    sink: cache,
    traits,
    clock,
    random,
    report: (end) => log.warn('the watch of pods ended and is restarted', { ...end }),
  });
  return { cache, reflector };
}
