import { describe, expect, test } from 'vitest';
import { type Permit, RateLimiter } from '../../../src/kube/transport/rate-limit.ts';
import { TestClock } from '../support/test-clock.ts';

const limit = { perSecond: 10, burst: 3, concurrent: 100, waiting: 5 };

function ask(limiter: RateLimiter, count: number, deadlineMs = 60_000, signal?: AbortSignal) {
  const turns: (Permit | 'waiting')[] = Array.from({ length: count }, () => 'waiting');
  for (let i = 0; i < count; i += 1) {
    void limiter.take(deadlineMs, signal).then((turn) => {
      turns[i] = turn;
    });
  }
  return {
    turns,
    states: () => turns.map((turn) => (turn === undefined ? 'refused' : turn === 'waiting' ? turn : 'served')),
  };
}

describe('a rate limit', () => {
  test('lets a burst through, and then one after the other, in order', async () => {
    const clock = new TestClock();
    const { states } = ask(new RateLimiter(limit, clock), 5);
    await clock.advance(0);
    expect(states()).toEqual(['served', 'served', 'served', 'waiting', 'waiting']);
    await clock.advance(110);
    expect(states()).toEqual(['served', 'served', 'served', 'served', 'waiting']);
    await clock.advance(110);
    expect(states()).toEqual(['served', 'served', 'served', 'served', 'served']);
  });

  test('earns a burst back by resting, and no more than that', async () => {
    const clock = new TestClock();
    const limiter = new RateLimiter(limit, clock);
    ask(limiter, 3);
    await clock.advance(60_000);
    const { states } = ask(limiter, 4);
    await clock.advance(0);
    expect(states()).toEqual(['served', 'served', 'served', 'waiting']);
  });

  test('bounds what is under way, whatever the rate', async () => {
    const clock = new TestClock();
    const { turns, states } = ask(new RateLimiter({ ...limit, burst: 10, concurrent: 2 }, clock), 3);
    await clock.advance(10_000);
    expect(states()).toEqual(['served', 'served', 'waiting']);
    const [first] = turns;
    if (typeof first === 'function') {
      first();
      first();
    }
    await clock.advance(0);
    expect(states()).toEqual(['served', 'served', 'served']);
  });

  test('refuses who comes when too many wait, who waited too long, and who gave up', async () => {
    const clock = new TestClock();
    const limiter = new RateLimiter({ ...limit, burst: 1, perSecond: 0.01 }, clock);
    const control = new AbortController();
    const early = ask(limiter, 2, 500);
    const fickle = ask(limiter, 1, 60_000, control.signal);
    const others = ask(limiter, 4);
    await clock.advance(0);
    expect(early.states()).toEqual(['served', 'waiting']);
    expect(others.states()).toEqual(['waiting', 'waiting', 'waiting', 'refused']);
    await clock.advance(600);
    expect(early.states()).toEqual(['served', 'refused']);
    control.abort();
    await clock.advance(0);
    expect(fickle.states()).toEqual(['refused']);
    await expect(limiter.take(10, control.signal)).resolves.toBeUndefined();
  });
});
