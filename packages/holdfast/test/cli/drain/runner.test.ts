import { describe, expect, it } from 'vitest';
import { type DrainEnd, type DrainPorts, runDrain } from '../../../src/cli/drain/runner.ts';
import { Course } from '../../../src/core/drain/course.ts';
import type { CoursePod, EvictionAnswer, PodSighting } from '../../../src/core/drain/course-pod.ts';
import type { Outcome } from '../../../src/kube/outcome/failure.ts';
import { TestClock } from '../../kube/support/test-clock.ts';

function pod(name: string, node = 'n1'): CoursePod {
  return { namespace: 'ns', name, uid: `uid-${name}`, node, units: [] };
}

const broken: Outcome<readonly PodSighting[]> = {
  ok: false,
  failure: { kind: 'retry', cause: 'connection', message: 'no route', retryAfterMs: undefined, maybeDone: false },
};

interface Wish {
  readonly answers?: Readonly<Record<string, readonly EvictionAnswer[]>>;
  /** Pods that never end. */
  readonly stays?: readonly string[];
  readonly deadlineMs?: number;
  readonly list?: (node: string) => Promise<Outcome<readonly PodSighting[]>>;
}

/** A drain beside a cluster whose pods end two seconds after their eviction. */
class Lab {
  readonly clock = new TestClock();
  readonly stop = new AbortController();
  readonly asked: string[] = [];
  lists = 0;
  looks = 0;
  shown = 0;
  end: DrainEnd | undefined;
  readonly course: Course;
  readonly #pods: readonly CoursePod[];
  readonly #wish: Wish;
  readonly #going = new Map<string, number>();

  constructor(pods: readonly CoursePod[], wish: Wish = {}) {
    this.#pods = pods;
    this.#wish = wish;
    this.course = new Course(pods, new Set(), { parallel: 10, order: 'groups' }, this.clock.now());
    const deadline = wish.deadlineMs === undefined ? undefined : this.clock.now() + wish.deadlineMs;
    const ports: DrainPorts = {
      evict: (one) => this.#evict(one),
      list: wish.list ?? ((node) => this.#list(node)),
      look: async () => {
        this.looks += 1;
        return new Set();
      },
      changed: () => {
        this.shown += 1;
      },
      clock: this.clock,
      random: () => 0,
      signal: this.stop.signal,
      deadline,
    };
    void runDrain(this.course, ports).then((end) => {
      this.end = end;
    });
  }

  ended(withinMs: number): Promise<boolean> {
    return this.clock.advanceUntil(() => this.end !== undefined, withinMs);
  }

  async #evict({ name, uid }: CoursePod): Promise<EvictionAnswer> {
    const times = this.asked.filter((one) => one === name).length;
    this.asked.push(name);
    const answer = this.#wish.answers?.[name]?.[times] ?? { kind: 'accepted' };
    if (answer.kind === 'accepted') this.#going.set(uid, this.clock.now() + 2_000);
    return answer;
  }

  async #list(node: string): Promise<Outcome<readonly PodSighting[]>> {
    this.lists += 1;
    const there = this.#pods.filter((one) => {
      const endsAt = this.#going.get(one.uid);
      return (
        one.node === node && (this.#wish.stays?.includes(one.name) || endsAt === undefined || endsAt > this.clock.now())
      );
    });
    return { ok: true, value: there.map(({ uid }) => ({ uid })) };
  }
}

describe('running a drain', () => {
  it('ends when all pods are gone, and lists each node about once a second', async () => {
    const lab = new Lab([pod('a'), pod('b'), pod('c', 'n2')]);
    expect(await lab.ended(10_000)).toBe(true);
    expect(lab.end).toEqual({ kind: 'over' });
    expect(lab.asked).toEqual(['a', 'b', 'c']);
    // At 0, 1 and 2 seconds.
    expect(lab.lists).toBe(6);
  });

  it('[D3] goes on with other pods after a failure, and comes back to it', async () => {
    const failed: EvictionAnswer = { kind: 'failed', message: 'failed calling webhook' };
    const lab = new Lab([pod('a'), pod('b')], { answers: { a: [failed, failed] } });
    expect(await lab.ended(30_000)).toBe(true);
    expect(lab.end).toEqual({ kind: 'over' });
    expect(lab.asked).toEqual(['a', 'b', 'a', 'a']);
  });

  it('asks again when it was told to', async () => {
    const lab = new Lab([pod('a')], { answers: { a: [{ kind: 'refused', message: 'no', retryAfterMs: 20_000 }] } });
    await lab.clock.advance(19_900);
    expect(lab.asked).toEqual(['a']);
    await lab.clock.advance(200);
    expect(lab.asked).toEqual(['a', 'a']);
  });

  it('gives up at its deadline', async () => {
    const lab = new Lab([pod('a')], { stays: ['a'], deadlineMs: 4_500 });
    await lab.clock.advance(4_400);
    expect(lab.end).toBeUndefined();
    await lab.clock.advance(200);
    expect(lab.end).toEqual({ kind: 'timedOut' });
  });

  it('stops at once when it is told to', async () => {
    const lab = new Lab([pod('a')], { stays: ['a'] });
    await lab.clock.advance(1_500);
    lab.stop.abort();
    await lab.clock.advance(0);
    expect(lab.end).toEqual({ kind: 'interrupted' });
  });

  it('survives lists that fail for a while, and gives up when they always do', async () => {
    let left = 3;
    const passing = new Lab([pod('a')], {
      list: async () => {
        left -= 1;
        return left >= 0 ? broken : { ok: true, value: [] };
      },
    });
    expect(await passing.ended(60_000)).toBe(true);
    expect(passing.end).toEqual({ kind: 'over' });
    const blind = new Lab([pod('a')], { list: async () => broken });
    expect(await blind.ended(600_000)).toBe(true);
    expect(blind.end).toEqual({ kind: 'blind', message: 'cannot list the pods of node n1: no route' });
  });

  it('looks at the groups every ten seconds, and shows what is so every second', async () => {
    const lab = new Lab([pod('a')], { stays: ['a'] });
    await lab.clock.advance(35_000);
    expect(lab.looks).toBe(3);
    expect(lab.shown).toBeGreaterThanOrEqual(35);
    lab.stop.abort();
    await lab.clock.advance(0);
  });

  it('asks for no pod any more once it has ended', async () => {
    const lab = new Lab([pod('a')], {
      answers: { a: [{ kind: 'refused', message: 'no' }] },
      deadlineMs: 3_000,
    });
    expect(await lab.ended(10_000)).toBe(true);
    await lab.clock.advance(60_000);
    expect(lab.asked).toEqual(['a']);
  });
});
