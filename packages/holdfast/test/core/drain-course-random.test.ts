import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs as effort } from '../../../../test/support/effort.ts';
import { Course } from '../../src/core/drain/course.ts';
import type { CoursePod, EvictionAnswer } from '../../src/core/drain/course-pod.ts';

const runs = Number(process.env['HOLDFAST_RUNS'] ?? effort({ short: 300, long: 5_000 }));

/** A drain, and a cluster that does to it whatever clusters do. */
interface Sample {
  /** Each pod's group of budget X and of budget Y, and its node. */
  readonly pods: readonly { readonly x?: number; readonly y?: number; readonly node: number }[];
  readonly parallel: number;
  readonly broken: readonly string[];
  /** How many groups of a budget may be down. */
  readonly spare: number;
  readonly seed: number;
  /** Of a hundred answers: those that fail, that are lost after they were done, and that are final. */
  readonly failing: number;
  readonly losing: number;
  readonly forbidding: number;
}

const group = fc.option(fc.integer({ min: 0, max: 2 }), { nil: undefined });
const placed = (y: fc.Arbitrary<number | undefined>) =>
  fc.record({ x: group, y, node: fc.integer({ min: 0, max: 1 }) }).map(({ x, y, node }) => ({
    ...(x === undefined ? {} : { x }),
    ...(y === undefined ? {} : { y }),
    node,
  }));
const samples = (y: fc.Arbitrary<number | undefined>): fc.Arbitrary<Sample> =>
  fc.record({
    pods: fc.array(placed(y), { minLength: 1, maxLength: 9 }),
    parallel: fc.integer({ min: 1, max: 9 }),
    broken: fc.subarray(['X/0', 'X/1', 'Y/0']),
    spare: fc.integer({ min: 0, max: 2 }),
    seed: fc.integer({ min: 1, max: 2 ** 31 - 1 }),
    failing: fc.integer({ min: 0, max: 30 }),
    losing: fc.integer({ min: 0, max: 30 }),
    forbidding: fc.constantFrom(0, 0, 5),
  });

/** Every group of one budget is as it is; a second budget's groups may cross them. */
const straight = samples(fc.constant(undefined));
const crossing = samples(group);

function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return state / 0x80000000;
  };
}

/** More than any of these drains takes; one that does not end is stopped there. */
const maxEvents = 20_000;

class Play {
  readonly #sample: Sample;
  readonly #random: () => number;
  readonly #pods: readonly CoursePod[];
  readonly #course: Course;
  /** What is to happen, by its time. */
  readonly #agenda: { readonly at: number; readonly happen: () => void }[] = [];
  #now = 0;
  readonly #recoveredAt = new Map<string, number>();
  /** What is so. */
  readonly #broken: Set<string>;
  readonly #there: Set<string>;
  readonly #terminating = new Set<string>();
  readonly accepted: string[] = [];
  readonly mistakes: string[] = [];
  readonly log: string[] = [];

  constructor(sample: Sample) {
    this.#sample = sample;
    this.#random = randomOf(sample.seed);
    this.#pods = sample.pods.map(({ x, y, node }, index) => ({
      namespace: 'ns',
      name: `p${index}`,
      uid: `uid-${index}`,
      node: `n${node}`,
      units: [
        ...(x === undefined ? [] : [{ id: `X/${x}`, budget: 'X', name: `X/${x}`, budgetName: 'X' }]),
        ...(y === undefined ? [] : [{ id: `Y/${y}`, budget: 'Y', name: `Y/${y}`, budgetName: 'Y' }]),
      ],
    }));
    this.#broken = new Set(sample.broken);
    this.#there = new Set(this.#pods.map(({ uid }) => uid));
    this.#course = new Course(this.#pods, new Set(sample.broken), { parallel: sample.parallel, order: 'groups' }, 0);
  }

  run(): void {
    for (const node of ['n0', 'n1']) this.#later(() => this.#list(node));
    this.#later(() => this.#look());
    for (let events = 0; !this.#course.over; events += 1) {
      if (events > maxEvents) return void this.mistakes.push('it does not end');
      this.#ask();
      this.#agenda.sort((a, b) => a.at - b.at);
      const next = this.#agenda.shift();
      if (next === undefined) return void this.mistakes.push('nothing more happens');
      this.#now = next.at;
      next.happen();
    }
    for (const { pod, state } of this.#course.pods) this.log.push(`end: ${pod.name} ${state.kind}`);
    this.#judgeEnd();
  }

  #later(happen: () => void, within = 3_000): void {
    this.#agenda.push({ at: this.#now + 1 + Math.floor(this.#random() * within), happen });
  }

  #ask(): void {
    for (const pod of this.#course.next(this.#now)) {
      this.#judgeAsking(pod);
      this.log.push(`${this.#now}: ask ${pod.name} ${pod.units.map(({ id }) => id).join(',')}`);
      this.#course.asked(pod, this.#now);
      // The server does it some time after it was asked, and the answer comes some time after that.
      this.#later(() => {
        const answer = this.#evict(pod);
        this.#later(() => this.#course.answered(pod, answer, this.#now, this.#random()), 500);
      }, 500);
    }
    const under = this.#course.pods.filter(({ state }) => state.kind === 'asking' || state.kind === 'going').length;
    if (under > this.#sample.parallel) this.mistakes.push(`${under} pods are on their way`);
  }

  #judgeAsking(pod: CoursePod): void {
    const opens = pod.units.filter(({ id }) => !this.#mayLookBroken(id));
    for (const { id, budget } of opens) {
      const unfinished = this.#pods
        .filter(({ uid }) => this.#there.has(uid))
        .flatMap(({ units }) => units)
        .find((one) => one.budget === budget && one.id !== id && this.#broken.has(one.id));
      // Only where groups cross: it finishes one of another budget.
      const finishes = opens.length < pod.units.length;
      if (unfinished !== undefined && !finishes) this.mistakes.push(`${pod.name} opens ${id} beside ${unfinished.id}`);
    }
  }

  /** It is broken, or was until a moment ago: two looks, and a list of a node, may pass until that is known. */
  #mayLookBroken(id: string): boolean {
    return this.#broken.has(id) || this.#now - (this.#recoveredAt.get(id) ?? Number.NEGATIVE_INFINITY) <= 25_000;
  }

  #judgeEnd(): void {
    const states = new Map(this.#course.pods.map(({ pod, state }) => [pod.uid, state.kind]));
    const hopeless = [...states.values()].includes('impossible');
    for (const [uid, kind] of states) {
      if (kind === 'gone' && this.#there.has(uid)) this.mistakes.push(`${uid} is there`);
      if (kind === 'waiting' && !hopeless) this.mistakes.push(`${uid} was left without a reason`);
      if (kind === 'asking' || kind === 'going') this.mistakes.push(`${uid} is still ${kind}`);
    }
  }

  #evict(pod: CoursePod): EvictionAnswer {
    const { failing, losing, forbidding, spare } = this.#sample;
    const chance = this.#random() * 100;
    if (!this.#there.has(pod.uid)) return { kind: 'gone' };
    if (chance < failing) return { kind: 'failed', message: 'failed' };
    if (chance < failing + forbidding) return { kind: 'impossible', message: 'forbidden' };
    if (this.#terminating.has(pod.uid)) return { kind: 'accepted' };
    const breaks = pod.units.filter(({ id }) => !this.#broken.has(id));
    const full = breaks.some(({ budget }) => [...this.#broken].filter((id) => id.startsWith(budget)).length > spare);
    if (full || this.#random() < 0.2) return { kind: 'refused', message: 'not now' };
    this.#goes(pod);
    this.accepted.push(pod.uid);
    const lost = this.#random() * 100 < losing;
    return lost ? { kind: 'failed', message: 'the answer was lost' } : { kind: 'accepted' };
  }

  #goes(pod: CoursePod): void {
    this.log.push(`${this.#now}: ${pod.name} goes`);
    this.#terminating.add(pod.uid);
    for (const { id } of pod.units) this.#broken.add(id);
    this.#later(() => this.#there.delete(pod.uid), 8_000);
    for (const { id } of pod.units) this.#recovers(id);
  }

  /** A group is back when none of its pods is on its way any more. */
  #recovers(id: string): void {
    this.#later(() => {
      const going = this.#pods.some(
        ({ uid, units }) => this.#there.has(uid) && this.#terminating.has(uid) && units.some((one) => one.id === id),
      );
      if (going) this.#recovers(id);
      else if (this.#broken.delete(id)) this.#recoveredAt.set(id, this.#now);
    }, 20_000);
  }

  #list(node: string): void {
    const begunAt = this.#now;
    this.#later(() => {
      const pods = this.#pods.filter((pod) => pod.node === node && this.#there.has(pod.uid));
      const sightings = pods.map(({ uid }) => (this.#terminating.has(uid) ? { uid, deletionTime: 0 } : { uid }));
      this.#later(() => {
        this.#course.listed(node, sightings, begunAt, this.#now);
        this.#later(() => this.#list(node), 1_000);
      }, 200);
    }, 200);
  }

  #look(): void {
    const begunAt = this.#now;
    this.#later(() => {
      const seen = new Set(this.#broken);
      this.#later(() => {
        this.#course.looked(seen, begunAt);
        this.#later(() => this.#look(), 10_000);
      }, 500);
    }, 500);
    // What was broken from the beginning comes back, too.
    for (const id of this.#broken) this.#recovers(id);
  }
}

function judge(sample: Sample): void {
  const play = new Play(sample);
  play.run();
  if (play.mistakes.length > 0) throw new Error([...play.mistakes, ...play.log].join('\n'));
  expect(play.accepted).toHaveLength(new Set(play.accepted).size);
}

describe('the course of a drain, whatever the cluster does', () => {
  it(`[D1] [D3] opens no second group of a budget beside a broken one, evicts each pod once, and ends (${runs} drains)`, () => {
    fc.assert(fc.property(straight, judge), { numRuns: runs });
  });

  it(`[D2] [D3] where groups cross, only pods that finish a broken group open another (${runs} drains)`, () => {
    fc.assert(fc.property(crossing, judge), { numRuns: runs });
  });
});
