import type { Tracked } from './census.ts';
import {
  afterAnswer,
  afterSighting,
  ask,
  begin,
  type CoursePod,
  type DrainPodState,
  type EvictionAnswer,
  isSettled,
  type PodSighting,
} from './course-pod.ts';
import { holdersOf, isOver, nextPods, type Situation } from './next.ts';
import type { DrainUnit } from './units.ts';

export interface CourseOptions {
  readonly parallel: number;
  /** Absent: as many as are on their way. */
  readonly requests?: number;
  readonly order: Situation['order'];
  /** Pods that should have ended so long ago are not waited for. */
  readonly skipAfterMs?: number | undefined;
}

interface Entry {
  readonly pod: CoursePod;
  state: DrainPodState;
}

/** The progress of a drain: what is known of each pod, and which is next. It does no I/O, and its caller passes the time with each report. */
export class Course {
  readonly #options: CourseOptions;
  /** By uid. */
  readonly #pods = new Map<string, Entry>();
  readonly #byNode = new Map<string, Entry[]>();
  readonly #seenAt = new Map<string, number>();
  #broken: Situation['broken'];

  /** @param broken groups that do not serve */
  constructor(pods: readonly CoursePod[], broken: ReadonlySet<string>, options: CourseOptions, now: number) {
    this.#options = options;
    this.#broken = { ids: broken, at: now };
    for (const pod of pods) this.#add({ pod, state: begin(now) });
  }

  get pods(): readonly Tracked[] {
    return [...this.#pods.values()];
  }

  /** Nothing more will happen. */
  get over(): boolean {
    return isOver(this.#situation());
  }

  next(now: number): readonly CoursePod[] {
    return nextPods(this.#situation(), now);
  }

  /** When the next pod is due, if any waits for a time. */
  nextDue(): number | undefined {
    let first: number | undefined;
    for (const { state } of this.#pods.values()) {
      if (state.kind === 'waiting' && (first === undefined || state.due < first)) first = state.due;
    }
    return first;
  }

  /** Nodes that have pods left to wait for. */
  activeNodes(): readonly string[] {
    const left = this.pods.filter(({ state }) => !isSettled(state));
    return [...new Set(left.map(({ pod }) => pod.node))];
  }

  /** For each waiting pod: the broken groups that have to be finished first. Those that are only asked for are left out. */
  holds(): (pod: CoursePod) => readonly DrainUnit[] {
    const holders = holdersOf(this.#situation());
    return (pod) => holders(pod).flatMap(({ open, unit }) => (open ? [unit] : []));
  }

  asked(pod: CoursePod, now: number): void {
    this.#change(pod, (state) => (state.kind === 'waiting' ? ask(state, now) : state));
  }

  answered(pod: CoursePod, answer: EvictionAnswer, now: number, chance: number): void {
    this.#change(pod, (state) => afterAnswer(state, answer, now, chance));
  }

  /** A list of the pods of a node. What happened since it began may be missing in it. */
  listed(node: string, sightings: readonly PodSighting[], begunAt: number, now: number): void {
    const byUid = new Map(sightings.map((one) => [one.uid, one]));
    for (const tracked of this.#byNode.get(node) ?? []) {
      tracked.state = afterSighting(tracked.state, byUid.get(tracked.pod.uid), now, this.#options.skipAfterMs);
    }
    this.#seenAt.set(node, begunAt);
  }

  /** A look at all groups, which began at this time. */
  looked(broken: ReadonlySet<string>, begunAt: number): void {
    this.#broken = { ids: broken, at: begunAt };
  }

  #add(entry: Entry): void {
    const { uid, node } = entry.pod;
    this.#pods.set(uid, entry);
    const others = this.#byNode.get(node);
    if (others === undefined) this.#byNode.set(node, [entry]);
    else others.push(entry);
  }

  #change({ uid }: CoursePod, change: (state: DrainPodState) => DrainPodState): void {
    const tracked = this.#pods.get(uid);
    if (tracked !== undefined) tracked.state = change(tracked.state);
  }

  #situation(): Situation {
    const { parallel, requests = parallel, order } = this.#options;
    return { pods: this.pods, broken: this.#broken, seenAt: this.#seenAt, parallel, requests, order };
  }
}
