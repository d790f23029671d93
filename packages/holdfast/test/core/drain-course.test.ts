import { describe, expect, it } from 'vitest';
import { Course } from '../../src/core/drain/course.ts';
import type { CoursePod, DrainPodState, EvictionAnswer } from '../../src/core/drain/course-pod.ts';

/** `name` or `name:budget/unit,...` */
function pod(text: string, node = 'n1'): CoursePod {
  const [name = '', groups = ''] = text.split(':');
  const units =
    groups === ''
      ? []
      : groups.split(',').map((id) => {
          const budget = id.slice(0, 1);
          return { id, budget, name: `group ${id}`, budgetName: budget };
        });
  return { namespace: 'ns', name, uid: `uid-${name}`, node, units };
}

interface Wish {
  readonly broken?: readonly string[];
  readonly parallel?: number;
  readonly order?: 'groups' | 'all';
  readonly skipAfterMs?: number;
}

/** A course that is told what happens, by names of pods. */
class Story {
  readonly course: Course;
  readonly #pods: ReadonlyMap<string, CoursePod>;

  constructor(pods: readonly CoursePod[], wish: Wish = {}) {
    const { broken = [], parallel = 100, order = 'groups', skipAfterMs } = wish;
    this.#pods = new Map(pods.map((one) => [one.name, one]));
    this.course = new Course(pods, new Set(broken), { parallel, order, skipAfterMs }, 0);
  }

  next(now: number): readonly string[] {
    return this.course.next(now).map(({ name }) => name);
  }

  /** Asks for all that are next. */
  ask(now: number): readonly string[] {
    const next = this.course.next(now);
    for (const one of next) this.course.asked(one, now);
    return next.map(({ name }) => name);
  }

  answer(name: string, answer: EvictionAnswer, now: number): void {
    this.course.answered(this.#pod(name), answer, now, 0);
  }

  /** A list of a node in which these pods are; those with a time are terminating. */
  list(pods: Readonly<Record<string, number | undefined>>, begunAt: number, now = begunAt, node = 'n1'): void {
    const sightings = Object.entries(pods).map(([name, deletionTime]) => ({
      uid: `uid-${name}`,
      ...(deletionTime === undefined ? {} : { deletionTime }),
    }));
    this.course.listed(node, sightings, begunAt, now);
  }

  state(name: string): DrainPodState {
    const found = this.course.pods.find((one) => one.pod.name === name);
    if (found === undefined) throw new Error(`no pod ${name}`);
    return found.state;
  }

  held(name: string): readonly string[] {
    return this.course
      .holds()(this.#pod(name))
      .map((unit) => unit.name);
  }

  #pod(name: string): CoursePod {
    const found = this.#pods.get(name);
    if (found === undefined) throw new Error(`no pod ${name}`);
    return found;
  }
}

const refused = (retryAfterMs?: number): EvictionAnswer => ({
  kind: 'refused',
  message: 'not now',
  ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
});
const failed: EvictionAnswer = { kind: 'failed', message: 'oops' };

describe('which pods are next', () => {
  it('[D1] those of no group at once, and of each budget one pod that opens a group', () => {
    const story = new Story([pod('free'), pod('a1:X/a'), pod('a2:X/a'), pod('b1:X/b'), pod('c1:Y/c')]);
    expect(story.ask(0)).toEqual(['free', 'a1', 'c1']);
  });

  it('[D1] the rest of a group when it is open, and no other group of its budget before it is gone from the nodes', () => {
    const story = new Story([pod('a1:X/a'), pod('a2:X/a'), pod('b1:X/b')]);
    expect(story.ask(0)).toEqual(['a1']);
    expect(story.next(1)).toEqual([]);
    story.answer('a1', { kind: 'accepted' }, 2);
    expect(story.ask(2)).toEqual(['a2']);
    expect(story.held('b1')).toEqual(['group X/a']);
    story.answer('a2', { kind: 'accepted' }, 3);
    expect(story.next(3)).toEqual([]);
    story.list({ b1: undefined, a2: 0 }, 4);
    expect(story.next(4)).toEqual([]);
    story.list({ b1: undefined }, 5);
    expect(story.next(5)).toEqual(['b1']);
  });

  it('[D1] of groups that are broken already all pods, before anything else of their budgets', () => {
    const story = new Story([pod('a1:X/a'), pod('a2:X/a'), pod('b1:X/b'), pod('c1:X/c')], { broken: ['X/b', 'X/c'] });
    expect(story.ask(0)).toEqual(['b1', 'c1']);
    story.answer('b1', { kind: 'accepted' }, 1);
    story.answer('c1', refused(), 1);
    expect(story.next(1)).toEqual([]);
    story.list({ a1: undefined, a2: undefined, c1: undefined }, 2);
    // What is left of a broken group holds the others back, however long it is refused.
    expect(story.next(2)).toEqual([]);
    expect(story.held('a1')).toEqual(['group X/c']);
  });

  it('[D1] of the group with the most pods on these nodes first', () => {
    const story = new Story([pod('a1:X/a'), pod('b1:X/b'), pod('b2:X/b')]);
    expect(story.ask(0)).toEqual(['b1']);
  });

  it('a pod of another group when the first is refused', () => {
    const story = new Story([pod('a1:X/a'), pod('a2:X/a'), pod('b1:X/b')]);
    expect(story.ask(0)).toEqual(['a1']);
    story.answer('a1', refused(), 1);
    expect(story.ask(1)).toEqual(['a2']);
    story.answer('a2', refused(), 2);
    expect(story.ask(2)).toEqual(['b1']);
  });

  it('[D1] of a group that serves again others may follow, though pods of it are left', () => {
    const story = new Story([pod('a1:X/a'), pod('a2:X/a'), pod('b1:X/b')]);
    story.ask(0);
    story.answer('a1', { kind: 'accepted' }, 1);
    story.ask(1);
    story.answer('a2', refused(60_000), 2);
    story.list({ a2: undefined, b1: undefined }, 3);
    story.course.looked(new Set(['X/a']), 4);
    expect(story.next(4)).toEqual([]);
    // Begun before the pod was seen to be gone: it says nothing about what came after.
    story.course.looked(new Set(), 2.5);
    expect(story.next(5)).toEqual([]);
    story.course.looked(new Set(), 6);
    expect(story.next(6)).toEqual(['b1']);
  });

  it('no more than may be on their way at once', () => {
    const story = new Story(
      ['a', 'b', 'c', 'd'].map((name) => pod(name)),
      { parallel: 2 },
    );
    expect(story.ask(0)).toEqual(['a', 'b']);
    story.answer('a', { kind: 'accepted' }, 1);
    expect(story.ask(1)).toEqual([]);
    story.list({ b: undefined, c: undefined, d: undefined }, 2);
    expect(story.ask(2)).toEqual(['c']);
    story.answer('b', refused(), 3);
    expect(story.ask(3)).toEqual(['d']);
  });

  it('no more than may be asked for at once', () => {
    const pods = ['a', 'b', 'c'].map((name) => pod(name));
    const course = new Course(pods, new Set(), { parallel: 3, requests: 2, order: 'groups' }, 0);
    const ask = () => course.next(0).map((one) => course.asked(one, 0) ?? one.name);
    expect(ask()).toEqual(['a', 'b']);
    course.answered(pod('a'), { kind: 'accepted' }, 0, 0);
    expect(ask()).toEqual(['c']);
  });

  it('everything at once where the order does not matter', () => {
    const story = new Story([pod('a1:X/a'), pod('b1:X/b')], { order: 'all', broken: ['X/b'] });
    expect(story.ask(0)).toEqual(['a1', 'b1']);
    expect(story.held('a1')).toEqual([]);
  });

  it('[D2] where groups cross, one that finishes a broken group, when nothing else can go', () => {
    const story = new Story([pod('p:X/a,Y/a'), pod('q:X/a,Y/b'), pod('r:X/b,Y/a'), pod('s:X/b,Y/b')]);
    expect(story.ask(0)).toEqual(['p']);
    story.answer('p', { kind: 'accepted' }, 1);
    expect(story.next(1)).toEqual([]);
    story.list({ q: undefined, r: undefined, s: undefined }, 2);
    expect(story.ask(2)).toEqual(['q']);
    expect(story.course.over).toBe(false);
  });
});

describe('what an answer means for a pod', () => {
  function stateAfter(...answers: readonly EvictionAnswer[]): DrainPodState {
    const story = new Story([pod('p')]);
    let now = 0;
    for (const answer of answers) {
      expect(story.ask(now)).toEqual(['p']);
      story.answer('p', answer, now);
      const state = story.state('p');
      if (state.kind !== 'waiting') return state;
      now = state.due;
      story.list({ p: undefined }, now);
    }
    return story.state('p');
  }
  const times = (count: number, answer: EvictionAnswer) => Array.from({ length: count }, () => answer);
  const delay = (...answers: readonly EvictionAnswer[]): number | undefined => {
    const state = stateAfter(...answers);
    return state.kind === 'waiting' ? state.due - (state.answer?.at ?? 0) : undefined;
  };

  it.each([
    ['accepted', { kind: 'accepted' }, { kind: 'going', evicted: true }],
    ['gone', { kind: 'gone' }, { kind: 'gone' }],
    ['refused', refused(), { kind: 'waiting', asked: 1, failures: 0, answer: { kind: 'refused', message: 'not now' } }],
    ['failed', failed, { kind: 'waiting', asked: 1, failures: 1, answer: { kind: 'failed', message: 'oops' } }],
    ['impossible', { kind: 'impossible', message: 'no' }, { kind: 'impossible', message: 'no' }],
  ] as const)('%s', (_, answer, want) => {
    expect(stateAfter(answer)).toMatchObject(want);
  });

  it.each([
    ['a first refusal', [refused()], 5_000],
    ['a second', times(2, refused()), 6_250],
    ['refusals without end', times(20, refused()), 15_000],
    ['a refusal that says when', [refused(1_000)], 1_000],
    ['many of those', times(20, refused(1_000)), 15_000],
    ['one that asks for long', [refused(120_000)], 120_000],
    ['a first failure', [failed], 1_000],
    ['a third', times(3, failed), 4_000],
    ['a ninth', times(9, failed), 15_000],
    ['a failure that says when', [{ ...failed, retryAfterMs: 30_000 }], 30_000],
    ['a failure after refusals', [...times(5, refused()), failed], 1_000],
  ] as const)('%s is tried again after so long', (_, answers, want) => {
    expect(delay(...answers)).toBe(want);
  });

  it('spreads what was refused together, and never comes sooner than was asked', () => {
    const story = new Story([pod('p')]);
    story.ask(0);
    story.course.answered(pod('p'), refused(10_000), 0, 0.999);
    const state = story.state('p');
    expect(state.kind === 'waiting' ? state.due : 0).toBeCloseTo(10_999);
  });

  it('[D3] gives up after ten failures in a row, and not before', () => {
    expect(stateAfter(...times(9, failed))).toMatchObject({ kind: 'waiting', failures: 9 });
    expect(stateAfter(...times(9, failed), refused(), ...times(9, failed))).toMatchObject({
      kind: 'waiting',
      failures: 9,
    });
    expect(stateAfter(...times(10, failed))).toEqual({
      kind: 'impossible',
      since: expect.any(Number),
      message: 'oops (10 times in a row)',
    });
  });

  it('is not asked for again before a list showed that it is still the same pod', () => {
    const story = new Story([pod('p')]);
    story.ask(0);
    story.answer('p', refused(), 100);
    expect(story.next(10_000)).toEqual([]);
    story.list({ p: undefined }, 99, 10_000);
    expect(story.next(10_000)).toEqual([]);
    story.list({ p: undefined }, 100, 10_001);
    expect(story.next(10_001)).toEqual(['p']);
  });

  it('tells since when it waits: from the first refusal on', () => {
    const story = new Story([pod('p')]);
    story.ask(50);
    story.answer('p', refused(), 100);
    story.list({ p: undefined }, 6_000);
    story.ask(6_000);
    story.answer('p', refused(), 6_100);
    expect(story.state('p').since).toBe(100);
  });
});

describe('what a list of a node means for its pods', () => {
  it.each([
    ['is not in it: gone', {}, 'gone'],
    ['is in it: nothing', { p: undefined }, 'waiting'],
    ['is terminating: it goes without us', { p: 30_000 }, 'going'],
  ] as const)('a pod that %s', (_, seen, want) => {
    const story = new Story([pod('p')]);
    story.list(seen, 10);
    expect(story.state('p').kind).toBe(want);
    if (want === 'going') expect(story.next(20)).toEqual([]);
  });

  it('a list of another node: nothing', () => {
    const story = new Story([pod('p')]);
    story.list({}, 10, 10, 'n2');
    expect(story.state('p').kind).toBe('waiting');
  });

  it('a pod that was accepted stays so in a list from before', () => {
    const story = new Story([pod('p')]);
    story.ask(0);
    story.answer('p', { kind: 'accepted' }, 10);
    story.list({ p: undefined }, 5, 11);
    expect(story.state('p')).toMatchObject({ kind: 'going', evicted: true });
  });

  it('a pod that is gone while it is asked for stays gone, whatever is answered', () => {
    const story = new Story([pod('p')]);
    story.ask(0);
    story.list({}, 5);
    story.answer('p', refused(), 6);
    expect(story.state('p')).toMatchObject({ kind: 'gone', since: 5 });
    expect(story.course.over).toBe(true);
  });

  it.each([
    ['not yet so long', 60_000, 'going'],
    ['longer', 60_001, 'leftBehind'],
  ] as const)('a pod that should have ended %s ago than is to be waited for', (_, now, want) => {
    const story = new Story([pod('p')], { skipAfterMs: 60_000 });
    story.list({ p: 0 }, now);
    expect(story.state('p').kind).toBe(want);
    expect(story.course.over).toBe(want === 'leftBehind');
  });
});

describe('the end', () => {
  it('is when all pods are gone', () => {
    const story = new Story([pod('a'), pod('b')]);
    story.ask(0);
    story.answer('a', { kind: 'gone' }, 1);
    expect(story.course.over).toBe(false);
    story.answer('b', { kind: 'gone' }, 1);
    expect(story.course.over).toBe(true);
  });

  it('is at once where there is nothing to do', () => {
    expect(new Story([]).course.over).toBe(true);
  });

  it('[D3] is when what is left waits for a broken group that cannot be finished', () => {
    const story = new Story([pod('a1:X/a'), pod('a2:X/a'), pod('b1:X/b'), pod('c1:Y/c')]);
    story.ask(0);
    story.answer('a1', { kind: 'accepted' }, 1);
    story.answer('c1', { kind: 'gone' }, 1);
    story.ask(1);
    story.answer('a2', { kind: 'impossible', message: 'forbidden' }, 2);
    story.list({ a2: undefined, b1: undefined }, 3);
    expect(story.next(4)).toEqual([]);
    expect(story.course.over).toBe(true);
    expect(story.held('b1')).toEqual(['group X/a']);
  });

  it('is not yet when that group serves again', () => {
    const story = new Story([pod('a1:X/a'), pod('a2:X/a'), pod('b1:X/b')]);
    story.ask(0);
    story.answer('a1', { kind: 'impossible', message: 'forbidden' }, 1);
    expect(story.course.over).toBe(false);
    expect(story.ask(1)).toEqual(['a2']);
  });

  it('knows which nodes have pods left, and when the next one is due', () => {
    const story = new Story([pod('a'), pod('b', 'n2')]);
    expect(story.course.activeNodes()).toEqual(['n1', 'n2']);
    story.ask(0);
    story.answer('a', { kind: 'gone' }, 1);
    expect(story.course.nextDue()).toBeUndefined();
    story.answer('b', refused(2_000), 1);
    expect(story.course.activeNodes()).toEqual(['n2']);
    expect(story.course.nextDue()).toBe(2_001);
  });
});
