import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Gathering } from '../../../src/operator/status/gathering.ts';
import { TestClock } from '../../kube/support/test-clock.ts';

function gathering(limits = { gatherMs: 100, slice: 10, restMsPerKey: 0 }) {
  const clock = new TestClock();
  const handed: string[] = [];
  const state = { ready: true, backlog: 0 };
  const gathered = new Gathering({
    clock,
    limits,
    ready: () => state.ready,
    expand: (namespace) => [`${namespace}/a`, `${namespace}/b`],
    hand: (key) => handed.push(key),
    backlog: () => state.backlog,
  });
  return { clock, handed, state, gathered };
}

describe('gathering', () => {
  it('hands each key on once, after a while, with what is in a namespace by then', async () => {
    const { clock, handed, gathered } = gathering();
    for (const key of ['x', 'n/a', 'x']) gathered.key(key);
    gathered.namespace('n');
    await clock.advance(99);
    expect(handed).toEqual([]);
    await clock.advance(1);
    expect(handed).toEqual(['x', 'n/a', 'n/b']);
  });

  it('does not wait longer because more keeps coming', async () => {
    const { clock, handed, gathered } = gathering();
    for (let i = 0; i < 30; i += 1) {
      gathered.key('x');
      await clock.advance(10);
    }
    expect(handed).toEqual(['x', 'x', 'x']);
  });

  it('hands on no more at once than a slice, and nothing while those before wait', async () => {
    const { clock, handed, state, gathered } = gathering();
    for (let i = 0; i < 25; i += 1) gathered.key(String(i));
    await clock.advance(100);
    expect(handed.length).toBe(10);
    state.backlog = 10;
    await clock.advance(50);
    expect(handed.length).toBe(10);
    state.backlog = 7;
    await clock.advance(1);
    expect(handed.length).toBe(13);
    state.backlog = 0;
    await clock.advance(5);
    expect(handed.length).toBe(25);
  });

  it('hands on what was named itself before what is in namespaces, and nothing twice', async () => {
    const { clock, handed, state, gathered } = gathering();
    state.backlog = 10;
    gathered.namespace('n');
    await clock.advance(100);
    gathered.key('x');
    gathered.key('n/b');
    await clock.advance(100);
    state.backlog = 0;
    await clock.advance(10);
    expect(handed).toEqual(['x', 'n/b', 'n/a']);
  });

  it('lets a big namespace rest before all of it is handed on again, and nothing else with it', async () => {
    const { clock, handed, gathered } = gathering({ gatherMs: 100, slice: 10, restMsPerKey: 500 });
    for (let i = 0; i < 6; i += 1) {
      gathered.namespace('n');
      gathered.key('x');
      await clock.advance(100);
    }
    expect(handed).toEqual(['x', 'n/a', 'n/b', 'x', 'x', 'x', 'x', 'x']);
    await clock.advance(500);
    expect(handed.slice(8)).toEqual(['n/a', 'n/b']);
    await clock.advance(5_000);
    expect(handed).toHaveLength(10);
  });

  it('keeps everything until it is ready', async () => {
    const { clock, handed, state, gathered } = gathering();
    state.ready = false;
    gathered.key('x');
    await clock.advance(1_000);
    expect(handed).toEqual([]);
    state.ready = true;
    await clock.advance(100);
    expect(handed).toEqual(['x']);
  });

  it('hands on nothing after it was stopped', async () => {
    const { clock, handed, gathered } = gathering();
    gathered.key('x');
    gathered.stop();
    gathered.key('y');
    await clock.advance(1_000);
    expect(handed).toEqual([]);
  });

  it('loses nothing: every key is handed on after it was last added', async () => {
    const action = fc.record({ key: fc.constantFrom('a', 'b', 'c', 'd', 'e'), wait: fc.nat(120), backlog: fc.nat(4) });
    await fc.assert(
      fc.asyncProperty(fc.array(action, { maxLength: 40 }), async (actions) => {
        const { clock, handed, state, gathered } = gathering({ gatherMs: 50, slice: 3, restMsPerKey: 0 });
        const handedBefore = new Map<string, number>();
        for (const { key, wait, backlog } of actions) {
          state.backlog = backlog;
          gathered.key(key);
          handedBefore.set(key, handed.filter((one) => one === key).length);
          await clock.advance(wait);
        }
        state.backlog = 0;
        await clock.advance(1_000);
        for (const [key, before] of handedBefore) {
          expect(handed.filter((one) => one === key).length).toBeGreaterThan(before);
        }
      }),
      { numRuns: 50 },
    );
  });
});
