import { describe, expect, it } from 'vitest';
import { displayFor } from '../../../src/cli/drain/display.ts';
import { endingOf } from '../../../src/cli/drain/ending.ts';
import { liveText } from '../../../src/cli/drain/view.ts';
import { paintFor, plain } from '../../../src/cli/output/paint.ts';
import { Course } from '../../../src/core/drain/course.ts';
import type { CoursePod } from '../../../src/core/drain/course-pod.ts';

function pod(name: string, node: string, group?: string): CoursePod {
  const units =
    group === undefined ? [] : [{ id: group, budget: 'b', name: `group ${group} of PodDisruptionBudget "llm"` }];
  return { namespace: 'shop', name, uid: `uid-${name}`, node, units };
}

const web = pod('web-0', 'node-1');
const stuck = pod('db-0', 'node-1');
const first = pod('llm-0', 'node-1', 'llm/0');
const second = pod('llm-1', 'node-2', 'llm/1');
const slow = pod('api-0', 'node-2');
const nodes = ['node-1', 'node-2'];
const start = 1_000_000;

/** One pod in each state that there is, half a minute after the start. */
function midway(): { readonly course: Course; readonly now: number } {
  const options = { parallel: 10, order: 'groups' } as const;
  const course = new Course([web, stuck, first, second, slow], new Set(), options, start);
  for (const one of course.next(start)) course.asked(one, start);
  course.answered(web, { kind: 'gone' }, start + 2_000, 0);
  course.answered(stuck, { kind: 'impossible', message: 'pods "db-0" is forbidden' }, start + 3_000, 0);
  course.answered(first, { kind: 'accepted' }, start + 4_000, 0);
  course.answered(
    slow,
    { kind: 'refused', message: 'PodUnavailableBudget "api" needs 1 available pod and has 1' },
    start + 5_000,
    0,
  );
  return { course, now: start + 30_000 };
}

describe('the live view', () => {
  it('shows how far it is, and what each pod waits for and since when', () => {
    const { course, now } = midway();
    expect(liveText(course, { nodes, startedAt: start, now, paint: plain })).toBe(
      `Draining node-1, node-2 (Ctrl-C stops; nodes stay cordoned)

[######------------------------] 20%, 1 of 5 pods gone, 30s so far, about 2m left at this rate

POD          NODE     STATE     SINCE   WAITS FOR
shop/db-0    node-1   stuck     27s     pods "db-0" is forbidden
shop/api-0   node-2   refused   25s     PodUnavailableBudget "api" needs 1 available pod and has 1
shop/llm-1   node-2   held      30s     the end of group llm/0 of PodDisruptionBudget "llm", which is broken already
shop/llm-0   node-1   ending    26s     the end of its containers
`,
    );
  });

  it('shows what was said last while a pod is asked for again', () => {
    const { course, now } = midway();
    const before = liveText(course, { nodes, startedAt: start, now, paint: plain });
    course.listed('node-2', [{ uid: slow.uid }, { uid: second.uid }], now, now);
    expect(course.next(now)).toEqual([slow]);
    course.asked(slow, now);
    expect(liveText(course, { nodes, startedAt: start, now, paint: plain })).toBe(before);
  });

  it('is the same with colours', () => {
    const { course, now } = midway();
    const facts = { nodes, startedAt: start, now };
    const painted = liveText(course, { ...facts, paint: paintFor({ isTTY: true, env: {} }) });
    expect(painted).toContain(`${String.fromCharCode(27)}[33mrefused`);
    const bare = painted.replaceAll(new RegExp(`${String.fromCharCode(27)}\\[\\d+m`, 'g'), '');
    expect(bare).toBe(liveText(course, { ...facts, paint: plain }));
  });

  it('names a few nodes, and counts many', () => {
    const { course, now } = midway();
    const text = liveText(course, { nodes: ['a', 'b', 'c', 'd'], startedAt: start, now, paint: plain });
    expect(text).toMatch(/^Draining 4 nodes /);
  });

  it('has nothing to estimate from before a pod is gone, and nothing to list when all are', () => {
    const course = new Course([web], new Set(), { parallel: 1, order: 'groups' }, start);
    const facts = { nodes, startedAt: start, paint: plain };
    expect(liveText(course, { ...facts, now: start + 5_000 })).toContain('0%, 0 of 1 pods gone, 5s so far\n');
    course.listed('node-1', [], start, start + 6_000);
    expect(liveText(course, { ...facts, now: start + 6_000 })).toMatch(
      /\[#{30}\] 100%, 1 of 1 pods gone, 6s so far\n$/,
    );
  });
});

describe('what is shown where', () => {
  const env = {};
  function shown(isTTY: boolean, more: Readonly<Record<string, string>> = {}) {
    const written: string[] = [];
    const { course, now } = midway();
    const terminal = { isTTY, columns: 100, rows: 30, write: (text: string) => written.push(text) };
    const show = displayFor(terminal, { ...env, ...more }, [...nodes, 'node-3'], start);
    return { written, course, now, show };
  }

  it('without a terminal: a line for each change, and nothing twice', () => {
    const { written, course, now, show } = shown(false);
    show(course, now, false);
    show(course, now + 1_000, false);
    expect(written.join('')).toBe(
      `pod shop/web-0 on node-1: gone, 2s after the start
pod shop/db-0 on node-1: stuck: pods "db-0" is forbidden
pod shop/llm-0 on node-1: ending, waits for the end of its containers
pod shop/llm-1 on node-2: held, waits for the end of group llm/0 of PodDisruptionBudget "llm", which is broken already
pod shop/api-0 on node-2: refused: PodUnavailableBudget "api" needs 1 available pod and has 1
node/node-3 drained
`,
    );
    written.length = 0;
    course.listed('node-2', [], now, now);
    show(course, now + 2_000, false);
    expect(written.join('')).toBe(
      `pod shop/llm-1 on node-2: gone, 30s after the start
pod shop/api-0 on node-2: gone, 30s after the start
node/node-2 drained
`,
    );
  });

  it('on a terminal: one picture over the other', () => {
    const { written, course, now, show } = shown(true);
    show(course, now, false);
    show(course, now + 1_000, false);
    expect(written).toHaveLength(2);
    show(course, now + 1_050, false);
    expect(written).toHaveLength(2);
    show(course, now + 1_060, true);
    expect(written).toHaveLength(3);
    expect(written[1]).toMatch(new RegExp(`^${String.fromCharCode(27)}\\[H`));
    expect(written[1]).toContain('31s so far');
  });

  it('on a terminal that can do nothing: lines', () => {
    const { written, course, now, show } = shown(true, { TERM: 'dumb' });
    show(course, now, false);
    expect(written[0]).toBe('pod shop/web-0 on node-1: gone, 2s after the start\n');
  });
});

describe('the end', () => {
  const facts = { nodes, refusals: new Map(), startedAt: start, timeoutMs: 90_000 };

  it('is a yes when all pods are gone', () => {
    const { course, now } = midway();
    for (const node of nodes) course.listed(node, [], now, now);
    expect(endingOf(course, { kind: 'over' }, { ...facts, now })).toEqual({
      out: ['5 of 5 pods gone after 30s; drained: node-1, node-2'],
      err: [],
      code: 0,
    });
  });

  it.each([
    [{ kind: 'over' }, 'error: not everything can be drained', 1],
    [{ kind: 'timedOut' }, 'error: not drained within 90s', 1],
    [
      { kind: 'blind', message: 'cannot list the pods of node node-1: no' },
      'error: cannot list the pods of node node-1: no',
      1,
    ],
    [{ kind: 'interrupted' }, 'interrupted', 130],
  ] as const)('says what is left, that nodes are cordoned, and how to undo that: %o', (end, why, code) => {
    const { course, now } = midway();
    const ending = endingOf(course, end, { ...facts, now });
    expect(ending.code).toBe(code);
    expect(ending.out).toEqual([]);
    expect(ending.err.join('\n')).toBe(
      `${why}: 1 of 5 pods gone after 30s
  shop/db-0 on node-1: stuck: pods "db-0" is forbidden
  shop/llm-0 on node-1: ending, waits for the end of its containers
  shop/llm-1 on node-2: held, waits for the end of group llm/0 of PodDisruptionBudget "llm", which is broken already
  shop/api-0 on node-2: refused: PodUnavailableBudget "api" needs 1 available pod and has 1
Not drained: node-1, node-2. The same command goes on from here.
Still cordoned: node-1, node-2. To let pods be scheduled there again:
  kubectl uncordon node-1 node-2`,
    );
  });

  it('is a no when a node was left out, though all other pods are gone', () => {
    const { course, now } = midway();
    for (const node of nodes) course.listed(node, [], now, now);
    const refusals = new Map([['node-3', new Map([['managed by nobody', ['shop/a', 'shop/b']]])]]);
    const ending = endingOf(course, { kind: 'over' }, { ...facts, nodes: [...nodes, 'node-3'], refusals, now });
    expect(ending.code).toBe(1);
    expect(ending.err).toContain('  nothing is evicted from node-3: shop/a, shop/b: managed by nobody');
    expect(ending.err).toContain('Not drained: node-3. The same command goes on from here.');
  });

  it('names no more pods than people read', () => {
    const many = Array.from({ length: 25 }, (_, i) => pod(`p-${i}`, 'node-1'));
    const course = new Course(many, new Set(), { parallel: 1, order: 'groups' }, start);
    const { err } = endingOf(course, { kind: 'timedOut' }, { ...facts, now: start });
    expect(err).toHaveLength(1 + 20 + 1 + 3);
    expect(err[21]).toBe('  and 5 more');
  });
});
