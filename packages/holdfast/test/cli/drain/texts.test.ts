import { describe, expect, it } from 'vitest';
import { aWorld } from '../../../../../test/support/a-world.ts';
import { aGroupPdb, ns } from '../../../../../test/support/builders.ts';
import { lwsPods, pubFor } from '../../../../../test/support/fleet.ts';
import { displayFor } from '../../../src/cli/drain/display.ts';
import { endingOf } from '../../../src/cli/drain/ending.ts';
import { shortReason } from '../../../src/cli/drain/short-reason.ts';
import { liveText } from '../../../src/cli/drain/view.ts';
import { paintFor, plain } from '../../../src/cli/output/paint.ts';
import { Course } from '../../../src/core/drain/course.ts';
import type { CoursePod } from '../../../src/core/drain/course-pod.ts';
import { askToEvict } from '../../../src/core/drain/evict.ts';

function pod(name: string, node: string, group?: string): CoursePod {
  const units = group === undefined ? [] : [{ id: group, budget: 'b', name: `group ${group}`, budgetName: 'pdb/llm' }];
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
    {
      kind: 'refused',
      message: 'PUB api needs 1 available pod and has 1 of 2; disrupting api-0 leaves 0',
    },
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

[######------------------------] 20%, 1 of 5 pods deleted, 30s so far, about 2m left at this rate
  node-1   1 of 3 pods deleted
  node-2   0 of 2 pods deleted

POD          NODE     STATE         SINCE   WAITS FOR
shop/db-0    node-1   stuck         27s     pods "db-0" is forbidden
shop/api-0   node-2   refused       25s     pub/api: 1 of 2 pods up, needs 1; retry now
shop/llm-1   node-2   held          30s     group llm/0 to finish (one group of pdb/llm at a time)
shop/llm-0   node-1   terminating   26s     -
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
    expect(liveText(course, { ...facts, now: start + 5_000 })).toContain('0%, 0 of 1 pods deleted, 5s so far\n');
    course.listed('node-1', [], start, start + 6_000);
    expect(liveText(course, { ...facts, now: start + 6_000 })).toMatch(
      /\[#{30}\] 100%, 1 of 1 pods deleted, 6s so far\n {2}node-1 {3}drained\n {2}node-2 {3}drained\n$/,
    );
  });
});

describe('a refusal on a narrow screen', () => {
  it('has its numbers within 110 columns, as the engine words them', () => {
    const short = (groups: number, pods: number): readonly string[] => {
      const world = aWorld({
        pods: lwsPods('llm', 2, 3).map((pod, index) => (index === 0 ? pod.notReady() : pod)),
        pdbs: [aGroupPdb('llm', { app: 'llm' }, { minAvailable: groups })],
        pubs: [pubFor('llm', { minAvailable: pods })],
      });
      const verdict = askToEvict(world, { namespace: ns, name: 'llm-1-0' }, 0);
      return verdict.result === 'deny'
        ? verdict.blockers.map((one) => shortReason(`${one.message}; ${one.unblock}`))
        : [];
    };
    expect(short(1, 5)).toEqual(['pdb/llm: 1 group up, needs 1', 'pub/llm: 5 of 6 pods up, needs 5']);
    // What waiting does not change says first what does.
    expect(short(1, 6)).toEqual([
      'pdb/llm: 1 group up, needs 1',
      expect.stringMatching(/^pub\/llm: .*lower minAvailable; it requires all 6 of the 6 pods/),
    ]);
    expect(shortReason('The disruption budget web needs 2 healthy pods and has 2 currently')).toBe(
      'pdb/web: 2 pods up, needs 2',
    );
    expect(shortReason('the API server is busy')).toBe('the API server is busy');
  });

  it('says when it is requested again', () => {
    const course = new Course([slow], new Set(), { parallel: 1, order: 'all' }, start);
    for (const one of course.next(start)) course.asked(one, start);
    course.answered(slow, { kind: 'refused', message: 'not now', retryAfterMs: 8_000 }, start, 0);
    const text = liveText(course, { nodes: ['node-2'], startedAt: start, now: start + 5_000, paint: plain });
    expect(text).toContain('not now; retry in 3s');
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
      `pod shop/web-0 on node-1: deleted, 2s after the start
pod shop/db-0 on node-1: stuck: pods "db-0" is forbidden
pod shop/llm-0 on node-1: terminating
pod shop/llm-1 on node-2: waiting for group llm/0 to finish (one group of pdb/llm at a time)
pod shop/api-0 on node-2: refused: PUB api needs 1 available pod and has 1 of 2; disrupting api-0 leaves 0
node/node-3 drained
`,
    );
    written.length = 0;
    course.listed('node-2', [], now, now);
    show(course, now + 2_000, false);
    expect(written.join('')).toBe(
      `pod shop/llm-1 on node-2: deleted, 30s after the start
pod shop/api-0 on node-2: deleted, 30s after the start
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
    expect(written[0]).toBe('pod shop/web-0 on node-1: deleted, 2s after the start\n');
  });
});

describe('the end', () => {
  const commandWith = (flags: readonly string[]) => ['holdfast drain node-3', ...flags].join(' ');
  const facts = { nodes, refusals: new Map(), startedAt: start, timeoutMs: 90_000, missingFlags: [], commandWith };

  it('is a yes when all pods are gone', () => {
    const { course, now } = midway();
    for (const node of nodes) course.listed(node, [], now, now);
    expect(endingOf(course, { kind: 'over' }, { ...facts, now })).toEqual({
      out: ['5 of 5 pods deleted after 30s; drained: node-1, node-2'],
      err: [],
      code: 0,
    });
  });

  it.each([
    [{ kind: 'over' }, 'error: not all nodes are drained', 1],
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
      `${why}: 1 of 5 pods deleted after 30s
  shop/db-0 on node-1: stuck: pods "db-0" is forbidden
  shop/llm-0 on node-1: terminating
  shop/llm-1 on node-2: waiting for group llm/0 to finish (one group of pdb/llm at a time)
  shop/api-0 on node-2: refused: PUB api needs 1 available pod and has 1 of 2; disrupting api-0 leaves 0
Not drained: node-1, node-2. Run the same command again to continue.
Still cordoned: node-1, node-2. To make them schedulable again:
  kubectl uncordon node-1 node-2`,
    );
  });

  it('is a no when a node was left out, though all other pods are gone', () => {
    const { course, now } = midway();
    for (const node of nodes) course.listed(node, [], now, now);
    const refusals = new Map([['node-3', new Map([['no controller', ['shop/a', 'shop/b']]])]]);
    const missingFlags = ['--force'];
    const all = { ...facts, nodes: [...nodes, 'node-3'], refusals, missingFlags, now };
    const ending = endingOf(course, { kind: 'over' }, all);
    expect(ending.code).toBe(1);
    expect(ending.err).toContain('  nothing is evicted from node-3: shop/a, shop/b: no controller');
    expect(ending.err).toContain('Not drained: node-3. This command also drains them:');
    expect(ending.err).toContain('  holdfast drain node-3 --force');
  });

  it('names no more pods than people read', () => {
    const many = Array.from({ length: 25 }, (_, i) => pod(`p-${i}`, 'node-1'));
    const course = new Course(many, new Set(), { parallel: 1, order: 'groups' }, start);
    const { err } = endingOf(course, { kind: 'timedOut' }, { ...facts, now: start });
    expect(err).toHaveLength(1 + 20 + 1 + 3);
    expect(err[21]).toBe('  and 5 more');
  });
});
