import type { BlockedPod, DrainSimulation, PodKey } from '../../../core/drain/simulate.ts';
import { bit } from '../../../core/health.ts';
import type { World } from '../../../core/world/world.ts';
import { byKeyOf } from '../../../ui/delta.ts';
import type { DrainPod, DrainProgress } from '../../../ui/model.ts';
import { barKeyOf } from './budget-bars.ts';

interface Drain {
  readonly since: number;
  readonly sinceStart: boolean;
  evicted: number;
  lastEvictionAt?: number;
  drainedAt?: number;
  /** Since when each pod waits: by namespace and name. */
  waits: ReadonlyMap<string, number>;
  shown?: DrainProgress;
}

/** A drain of a node with more pods shows the first of those that wait. */
const maxPods = 50;

/** Nodes that are cordoned, and how their pods leave: by whichever client, since all of them cordon first. */
export class Drains {
  readonly #world: World;
  readonly #drains = new Map<string, Drain>();
  #started = false;

  constructor(world: World) {
    this.#world = world;
  }

  begin(): void {
    this.#started = true;
  }

  isDrained(node: string): boolean {
    return this.#drains.has(node);
  }

  /** A pod was deleted. */
  left(node: string, now: number): void {
    const drain = this.#drains.get(node);
    if (drain === undefined) return;
    drain.evicted += 1;
    drain.lastEvictionAt = now;
  }

  /** The node was judged. */
  look(node: string, cordoned: boolean, drained: DrainSimulation, now: number): void {
    if (!cordoned) {
      this.#drains.delete(node);
      return;
    }
    const drain = this.#drains.get(node) ?? {
      since: now,
      sinceStart: !this.#started,
      evicted: 0,
      waits: new Map<string, number>(),
    };
    this.#drains.set(node, drain);
    const pods = this.#podsOf(drain, drained, now);
    if (pods.length > 0) delete drain.drainedAt;
    else drain.drainedAt ??= now;
    drain.shown = progressOf(node, drain, pods);
  }

  /** The node does not exist any more. */
  forget(node: string): void {
    this.#drains.delete(node);
  }

  list(): readonly DrainProgress[] {
    return [...this.#drains.values()].flatMap(({ shown }) => shown ?? []).sort(byKeyOf);
  }

  #podsOf(drain: Drain, { rounds, waiting, stuck }: DrainSimulation, now: number): readonly DrainPod[] {
    const blocked = new Set(stuck.map(({ pod }) => keyText(pod)));
    const why = new Map(waiting.map((one) => [keyText(one.pod), one]));
    const waits = new Map<string, number>();
    const all = [
      ...stuck.map(({ pod }) => pod),
      ...rounds
        .slice(1)
        .flat()
        .map(({ pod }) => pod),
    ];
    const pods = [...all, ...(rounds[0] ?? []).map(({ pod }) => pod)].map((pod): DrainPod => {
      const key = keyText(pod);
      const reason = why.get(key);
      if (this.#isLeaving(pod)) return { ...pod, state: 'leaving' };
      if (reason === undefined) return { ...pod, state: 'ready' };
      const since = drain.waits.get(key) ?? now;
      waits.set(key, since);
      return { ...pod, state: blocked.has(key) ? 'blocked' : 'waits', ...reasonOf(reason), since };
    });
    drain.waits = waits;
    return pods;
  }

  #isLeaving({ namespace, name }: PodKey): boolean {
    const pod = this.#world.pod(namespace, name);
    return pod !== undefined && (pod.has(bit.terminating) || pod.reserved !== undefined);
  }
}

function reasonOf({ blockers }: BlockedPod): Pick<DrainPod, 'why' | 'code' | 'budget'> {
  const [first] = blockers;
  if (first === undefined) return {};
  const { code, message, budget } = first;
  return { why: message, code, ...(budget === undefined ? {} : { budget: barKeyOf(budget) }) };
}

function keyText({ namespace, name }: PodKey): string {
  return `${namespace}/${name}`;
}

function progressOf(key: string, drain: Drain, pods: readonly DrainPod[]): DrainProgress {
  const { since, sinceStart, evicted, lastEvictionAt, drainedAt } = drain;
  return {
    key,
    state: pods.length === 0 ? 'drained' : 'draining',
    since,
    sinceStart,
    evicted,
    left: pods.length,
    ...(lastEvictionAt === undefined ? {} : { lastEvictionAt }),
    ...(drainedAt === undefined ? {} : { drainedAt }),
    pods: pods.slice(0, maxPods),
    podsLeftOut: Math.max(0, pods.length - maxPods),
  };
}
