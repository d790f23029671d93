import { aPdb } from '../../../../../test/support/builders.ts';
import type { PodDisruptionBudget } from '../../../src/api/pdb.ts';
import type { Pod } from '../../../src/api/pod.ts';
import { takeFromCounter } from '../../../src/core/budget/builtin-counter.ts';
import type { ApiServer } from './api-server.ts';

interface Counts {
  readonly disruptionsAllowed: number;
  readonly currentHealthy: number;
  readonly disruptedPods: Readonly<Record<string, string>>;
}

/** The disruption controller counts a pod again that was allowed to go and is still there after this. */
const deletionTimeoutMs = 120_000;

/**
 * A plain PDB over all pods, as the API server and the disruption controller keep it: evictions take from the number in its status,
 * and the controller counts it again from a view of the pods that lags.
 */
export class PlainBudget {
  readonly desired: number;
  readonly #server: ApiServer;
  readonly #pods = new Map<string, Pod>();
  #counts: Counts = { disruptionsAllowed: 0, currentHealthy: 0, disruptedPods: {} };
  #seen = 0;

  constructor(server: ApiServer, desired: number) {
    this.#server = server;
    this.desired = desired;
  }

  get object(): PodDisruptionBudget {
    const { metadata, ...rest } = aPdb('plain', { app: 'llm' }, { minAvailable: this.desired });
    const status = { ...this.#counts, desiredHealthy: this.desired, observedGeneration: 1 };
    return { metadata: { ...metadata, generation: 1 }, ...rest, status };
  }

  /** The controller's watch brings some more events of pods. */
  watch(count: number): void {
    const { events } = this.#server;
    const until = Math.min(events.length, this.#seen + count);
    for (; this.#seen < until; this.#seen += 1) {
      const event = events[this.#seen];
      if (event?.type === 'set') this.#pods.set(event.pod.metadata.name, event.pod);
      else if (event !== undefined) this.#pods.delete(event.pod.metadata.name);
    }
  }

  /** The controller counts. Its write is compared and swapped: what it counts from an older status is never written. */
  recount(now: number): void {
    const noted = this.#counts.disruptedPods;
    const live = [...this.#pods.values()].filter((pod) => pod.metadata.deletionTimestamp === undefined);
    const mayStillGo = ({ metadata: { name } }: Pod) => {
      const time = noted[name];
      return time !== undefined && Date.parse(time) + deletionTimeoutMs >= now;
    };
    const kept = live.filter(mayStillGo).map(({ metadata: { name } }) => [name, noted[name] ?? ''] as const);
    const currentHealthy = live.filter((pod) => isReady(pod) && !mayStillGo(pod)).length;
    const disruptionsAllowed = Math.max(0, currentHealthy - this.desired);
    this.#write({ disruptionsAllowed, currentHealthy, disruptedPods: Object.fromEntries(kept) });
  }

  /** The built-in check of an eviction: `free` for pods that it lets go without taking anything. */
  admits(name: string, now: number): 'free' | 'taken' | 'refused' {
    const pod = this.#server.pods.get(name);
    if (pod === undefined || pod.terminating || pod.pending) return 'free';
    if (!pod.ready && this.desired > 0 && this.#counts.currentHealthy >= this.desired) return 'free';
    const { disruptionsAllowed, disruptedPods } = this.#counts;
    if (disruptionsAllowed === 0) return 'refused';
    const noted = { ...disruptedPods, [name]: timeOf(now) };
    this.#write({ ...this.#counts, disruptionsAllowed: disruptionsAllowed - 1, disruptedPods: noted });
    return 'taken';
  }

  /** What a takeover takes, by the operator's own rule. */
  takes(name: string, now: number): boolean {
    const step = takeFromCounter(this.object, name, timeOf(now));
    if (step.kind === 'refused') return false;
    const { disruptionsAllowed, disruptedPods } = step.status;
    const noted = { ...this.#counts.disruptedPods, ...disruptedPods };
    this.#write({ ...this.#counts, disruptionsAllowed, disruptedPods: noted });
    return true;
  }

  #write(counts: Counts): void {
    this.#counts = counts;
    const { object } = this;
    this.#server.budgetChanges.push((world) => world.upsertPdb(object));
  }
}

function isReady({ status }: Pod): boolean {
  return status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false;
}

function timeOf(now: number): string {
  return new Date(now).toISOString().replace(/\.\d+Z$/, 'Z');
}
