import type { Course } from '../../core/drain/course.ts';
import type { CoursePod, EvictionAnswer, PodSighting } from '../../core/drain/course-pod.ts';
import type { Outcome } from '../../kube/outcome/failure.ts';
import { type Clock, sleep } from '../../kube/time/clock.ts';
import type { Random } from '../../kube/time/random.ts';

/** What a drain does to the world, and what it learns from it. */
export interface DrainPorts {
  /** Undefined: the drain was stopped. */
  readonly evict: (pod: CoursePod) => Promise<EvictionAnswer | undefined>;
  readonly list: (node: string) => Promise<Outcome<readonly PodSighting[]>>;
  /** The groups that do not serve now; undefined: unknown. */
  readonly look: () => Promise<ReadonlySet<string> | undefined>;
  /** Something may have changed; `last`: nothing will any more. */
  readonly changed: (now: number, last: boolean) => void;
  readonly clock: Clock;
  readonly random: Random;
  /** Ctrl-C. */
  readonly signal: AbortSignal;
  /** Milliseconds of the clock; undefined: however long it takes. */
  readonly deadline: number | undefined;
}

export type DrainEnd =
  /** Nothing more will happen: all pods are gone, or what is left can never go. */
  | { readonly kind: 'over' }
  | { readonly kind: 'timedOut' }
  | { readonly kind: 'interrupted' }
  /** The API server could not be asked what became of the pods. */
  | { readonly kind: 'blind'; readonly message: string };

/** As often as kubectl looks whether a pod is gone, and as often as a live view moves. */
const tickMs = 1_000;
const lookMs = 10_000;
const blindCapMs = 15_000;
/** About a minute and a half: an API server takes less to start again. */
const maxBlindRounds = 10;

/** Drains until nothing more will happen. Everything runs at once; what is next is decided after each thing that happened. */
export async function runDrain(course: Course, ports: DrainPorts): Promise<DrainEnd> {
  return new Runner(course, ports).run();
}

class Runner {
  readonly #course: Course;
  readonly #ports: DrainPorts;
  #bell = new AbortController();
  #polling = false;
  #pollAt = 0;
  #blindRounds = 0;
  #blindMessage = '';
  #looking = false;
  #lookAt: number;

  constructor(course: Course, ports: DrainPorts) {
    this.#course = course;
    this.#ports = ports;
    this.#lookAt = ports.clock.now() + lookMs;
  }

  async run(): Promise<DrainEnd> {
    const { clock, signal } = this.#ports;
    const stop = () => this.#ring();
    signal.addEventListener('abort', stop);
    try {
      for (;;) {
        const now = clock.now();
        const end = this.#endAt(now);
        if (end === undefined) this.#ask(now);
        this.#ports.changed(now, end !== undefined);
        if (end !== undefined) return end;
        if (!this.#polling && now >= this.#pollAt) void this.#poll(now);
        if (!this.#looking && now >= this.#lookAt) void this.#look(now);
        await this.#pause(now);
      }
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }

  #endAt(now: number): DrainEnd | undefined {
    const { signal, deadline } = this.#ports;
    if (signal.aborted) return { kind: 'interrupted' };
    if (this.#course.over) return { kind: 'over' };
    if (deadline !== undefined && now >= deadline) return { kind: 'timedOut' };
    return this.#blindRounds >= maxBlindRounds ? { kind: 'blind', message: this.#blindMessage } : undefined;
  }

  #ask(now: number): void {
    for (const pod of this.#course.next(now)) {
      this.#course.asked(pod, now);
      void this.#evict(pod);
    }
  }

  async #evict(pod: CoursePod): Promise<void> {
    const { evict, clock, random } = this.#ports;
    const answer = await evict(pod);
    if (answer === undefined) return;
    this.#course.answered(pod, answer, clock.now(), random());
    this.#ring();
  }

  /** One list for each node that has pods left, so that it costs as much as there are nodes, not pods. */
  async #poll(begunAt: number): Promise<void> {
    const { list, clock } = this.#ports;
    this.#polling = true;
    const lists = await Promise.all(this.#course.activeNodes().map(async (node) => ({ node, read: await list(node) })));
    const now = clock.now();
    let blind: string | undefined;
    for (const { node, read } of lists) {
      if (read.ok) this.#course.listed(node, read.value, begunAt, now);
      else blind = `cannot list the pods of node ${node}: ${read.failure.message}`;
    }
    this.#blindRounds = blind === undefined ? 0 : this.#blindRounds + 1;
    this.#blindMessage = blind ?? '';
    const wait = blind === undefined ? tickMs : Math.min(blindCapMs, tickMs * 2 ** (this.#blindRounds - 1));
    // Looking never takes more than half of the time, however many nodes there are.
    this.#pollAt = Math.max(begunAt + wait, now + (now - begunAt));
    this.#polling = false;
    this.#ring();
  }

  async #look(begunAt: number): Promise<void> {
    const { look, clock } = this.#ports;
    this.#looking = true;
    const broken = await look();
    if (broken !== undefined) this.#course.looked(broken, begunAt);
    const now = clock.now();
    this.#lookAt = now + Math.max(lookMs, now - begunAt);
    this.#looking = false;
    this.#ring();
  }

  #ring(): void {
    this.#bell.abort();
  }

  /** Until something happened, or something is due. */
  async #pause(now: number): Promise<void> {
    const { clock, deadline } = this.#ports;
    const due = this.#course.nextDue();
    const until = Math.min(
      now + tickMs,
      deadline ?? Number.POSITIVE_INFINITY,
      due !== undefined && due > now ? due : Number.POSITIVE_INFINITY,
    );
    if (!this.#bell.signal.aborted) await sleep(clock, until - now, this.#bell.signal);
    this.#bell = new AbortController();
  }
}
