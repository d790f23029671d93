import { controllerOf } from '@holdfast/base/meta';
import type { Pod } from '../../api/pod.ts';
import type { EventRecorder } from '../../kube/events/recorder.ts';
import { Interner } from '../../kube/projection/interner.ts';
import { type Reconciled, runWorkers, Workqueue } from '../../kube/queue/workqueue.ts';
import { type Delta, ObjectCache } from '../../kube/reflector/cache.ts';
import { Reflector, type ServerTraits } from '../../kube/reflector/reflector.ts';
import { aborted, type Timer } from '../../kube/time/clock.ts';
import type { OperatorContext } from '../../observe/context.ts';
import { resources } from '../../observe/resources.ts';
import { defaultRolloutLimits, lookAtRollout, type RolloutLimits } from './rollout-look.ts';
import { RolloutMemory } from './rollout-memory.ts';
import { createRolloutMetrics, type RolloutMetrics } from './rollout-metrics.ts';
import { isConcerned, type WatchedSet, watchedSetProjection } from './watched-set.ts';

export interface RolloutParts {
  readonly context: Pick<OperatorContext, 'clients' | 'clock' | 'random' | 'log' | 'metrics'>;
  readonly traits: ServerTraits;
  readonly recorder: Pick<EventRecorder, 'record'>;
  readonly limits?: Partial<RolloutLimits>;
}

/** Repairs stuck StatefulSets that ask for it. Only the leader does; two that both believe to lead remove no pod twice. */
export class RolloutController {
  readonly #parts: RolloutParts;
  readonly #metrics: RolloutMetrics;
  #term: RolloutTerm | undefined;

  constructor(parts: RolloutParts) {
    this.#parts = parts;
    this.#metrics = createRolloutMetrics(parts.context.metrics);
  }

  /** A pod was seen to change; undefined: many may have. */
  podSeen(pod: Pod | undefined): void {
    this.#term?.podSeen(pod);
  }

  /** Until the signal says that another one leads. */
  async lead(signal: AbortSignal): Promise<void> {
    const term = new RolloutTerm(this.#parts, this.#metrics, signal);
    this.#term = term;
    try {
      await term.run();
    } finally {
      if (this.#term === term) this.#term = undefined;
      this.#metrics.clear();
    }
  }
}

/** What lasts as long as this replica leads. */
class RolloutTerm {
  readonly #parts: RolloutParts;
  readonly #metrics: RolloutMetrics;
  readonly #signal: AbortSignal;
  readonly #limits: RolloutLimits;
  readonly #queue: Workqueue;
  readonly #memory: RolloutMemory;
  readonly #sets: ObjectCache<WatchedSet>;
  /** Of sets that are looked at, by uid: pods name their owner so. */
  readonly #keys = new Map<string, string>();
  #resync: Timer | undefined;

  constructor(parts: RolloutParts, metrics: RolloutMetrics, signal: AbortSignal) {
    const { clock, log } = parts.context;
    this.#parts = parts;
    this.#metrics = metrics;
    this.#signal = signal;
    this.#limits = { ...defaultRolloutLimits, ...parts.limits };
    this.#queue = new Workqueue({ clock, ...this.#limits.retry });
    this.#memory = new RolloutMemory(clock);
    this.#sets = new ObjectCache({
      report: (error) => log.error('a StatefulSet from the watch could not be processed', { error }),
    });
    this.#sets.listen({ delta: (delta) => this.#changed(delta) });
  }

  podSeen(pod: Pod | undefined): void {
    if (pod === undefined) this.#lookAtAll();
    else {
      const key = this.#keys.get(controllerOf(pod.metadata)?.uid ?? '');
      if (key !== undefined) this.#soon(key);
    }
  }

  async run(): Promise<void> {
    const { clients, clock, random, log } = this.#parts.context;
    const reflector = new Reflector<WatchedSet>({
      client: clients.watch,
      resource: resources.statefulSets,
      project: watchedSetProjection(new Interner()),
      sink: this.#sets,
      traits: this.#parts.traits,
      clock,
      random,
      report: (end) => log.warn('the watch of StatefulSets ended and is restarted', { end: end.kind }),
    });
    reflector.start();
    this.#planResync();
    const work = runWorkers(
      this.#queue,
      this.#limits.workers,
      (key) => this.#look(key),
      (set, error) => log.error('reconciling a StatefulSet failed', { set, error }),
    );
    await aborted(this.#signal);
    this.#resync?.cancel();
    this.#queue.close();
    await Promise.all([reflector.stop(), work]);
  }

  #changed({ type, item }: Delta<WatchedSet>): void {
    const { namespace = '', name, uid = '' } = item.metadata;
    const key = `${namespace}/${name}`;
    if (type !== 'deleted' && isConcerned(item.metadata)) {
      this.#keys.set(uid, key);
      this.#soon(key);
    } else if (this.#keys.delete(uid)) this.#forget(key);
  }

  #forget(key: string): void {
    this.#memory.forget(key);
    this.#metrics.state(key, undefined);
  }

  /** The set of now, if it is looked at. */
  #watched(key: string): WatchedSet | undefined {
    const slash = key.indexOf('/');
    const watched = this.#sets.get(key.slice(0, slash), key.slice(slash + 1));
    return watched !== undefined && isConcerned(watched.metadata) ? watched : undefined;
  }

  #soon(key: string): void {
    this.#queue.addAfter(key, this.#limits.gatherMs);
  }

  #lookAtAll(): void {
    for (const key of this.#keys.values()) this.#soon(key);
  }

  #planResync(): void {
    const { clock, random } = this.#parts.context;
    this.#resync = clock.after(this.#limits.resyncMs * (0.9 + 0.2 * random()), () => {
      this.#lookAtAll();
      this.#planResync();
    });
  }

  async #look(key: string): Promise<Reconciled> {
    const watched = this.#watched(key);
    if (this.#signal.aborted || watched === undefined) return { kind: 'done' };
    const { context, recorder } = this.#parts;
    const parts = { context, recorder, metrics: this.#metrics, limits: this.#limits };
    const result = await lookAtRollout({ ...parts, memory: this.#memory, signal: this.#signal }, key, watched);
    // The set may have been deleted while it was reconciled: no later event would forget it.
    if (this.#watched(key) === undefined) this.#forget(key);
    return result;
  }
}
