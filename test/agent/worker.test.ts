import { describe, expect, it } from 'vitest';
import type { ProbeResult } from '../../src/agent/probes/result.ts';
import { ContainerWorker } from '../../src/agent/worker/container-worker.ts';
import { Slots } from '../../src/agent/worker/slots.ts';
import type { Probe } from '../../src/api/probe-fields.ts';
import { TestClock } from '../kube/support/test-clock.ts';

const probe: Probe = {
  handler: { kind: 'tcpSocket', port: 80 },
  initialDelaySeconds: 0,
  periodSeconds: 10,
  timeoutSeconds: 1,
  successThreshold: 1,
  failureThreshold: 1,
};
const yes: ProbeResult = { result: 'success', output: '' };
const no: ProbeResult = { result: 'failure', output: 'not now' };

type Ask = (signal: AbortSignal) => Promise<ProbeResult | undefined>;

function working(clock: TestClock, ask: Ask, firstDelayMs = 0) {
  const times: number[] = [];
  const start = clock.monotonic();
  const worker = new ContainerWorker({
    probe,
    clock,
    firstDelayMs,
    ask: (signal) => {
      times.push(clock.monotonic() - start);
      return ask(signal);
    },
    onResult: () => undefined,
  });
  return { worker, times };
}

describe('a worker', () => {
  it('begins after its delay, and asks once in a period', async () => {
    const clock = new TestClock();
    const { worker, times } = working(clock, () => Promise.resolve(yes), 3_000);
    await clock.advance(40_000);
    expect(times).toEqual([3_000, 13_000, 23_000, 33_000]);
    expect(worker.tally.disruptable).toBe(true);
    worker.close();
    await clock.advance(40_000);
    expect(times).toHaveLength(4);
  });

  it('begins together with others whose delays end at about the same time', async () => {
    const clock = new TestClock();
    const workers = [3_010, 3_100, 3_250].map((delayMs) => working(clock, () => Promise.resolve(yes), delayMs));
    await clock.advance(20_000);
    for (const { worker, times } of workers) {
      expect(times).toEqual([3_250, 13_250]);
      worker.close();
    }
  });

  it('never asks again before it was answered, and then keeps its beat', async () => {
    const clock = new TestClock();
    let underWay = 0;
    let most = 0;
    const { worker, times } = working(clock, async () => {
      underWay += 1;
      most = Math.max(most, underWay);
      await new Promise<void>((resolve) => void clock.after(25_000, resolve));
      underWay -= 1;
      return yes;
    });
    await clock.advance(65_000);
    expect(times).toEqual([0, 30_000, 60_000]);
    expect(most).toBe(1);
    worker.close();
  });

  it('[I4] knows nothing before the first answer', async () => {
    const clock = new TestClock();
    const { worker } = working(clock, () => new Promise(() => undefined));
    await clock.advance(60_000);
    expect(worker.tally.disruptable).toBeUndefined();
    worker.close();
  });

  it('goes on after something that should not happen, and takes it for a failure', async () => {
    const clock = new TestClock();
    let times = 0;
    const { worker } = working(clock, () => {
      times += 1;
      if (times === 2) throw new Error('out of files');
      return Promise.resolve(yes);
    });
    await clock.advance(11_000);
    expect(worker.tally).toMatchObject({ disruptable: false, output: 'out of files' });
    await clock.advance(10_000);
    expect(worker.tally.disruptable).toBe(true);
    worker.close();
  });

  it('that was closed does not count what comes after', async () => {
    const clock = new TestClock();
    let answer: (result: ProbeResult) => void = () => undefined;
    const { worker } = working(clock, () => new Promise((resolve) => (answer = resolve)));
    await clock.advance(0);
    worker.close();
    answer(yes);
    await clock.advance(100_000);
    expect(worker.tally.disruptable).toBeUndefined();
  });

  it('[I4] is overdue when no answer came for two periods, by the clock that nobody sets', async () => {
    const clock = new TestClock();
    let answers = true;
    const { worker } = working(clock, () => (answers ? Promise.resolve(yes) : new Promise(() => undefined)));
    await clock.advance(1_000);
    answers = false;
    clock.skewMs = -3_600_000;
    await clock.advance(20_000);
    expect(worker.overdue).toBe(false);
    await clock.advance(1_001);
    expect(worker.overdue).toBe(true);
    expect(worker.tally.disruptable).toBe(true);
    worker.close();
  });

  it('is overdue when it was asked long ago, however late the answer came', async () => {
    const clock = new TestClock();
    const { worker } = working(clock, async () => {
      await new Promise<void>((resolve) => void clock.after(23_000, resolve));
      return yes;
    });
    await clock.advance(23_000);
    expect(worker.tally.disruptable).toBe(true);
    expect(worker.overdue).toBe(true);
    worker.close();
  });

  it('says no as soon as the failure is there', async () => {
    const clock = new TestClock();
    const answers = [yes, no];
    const { worker } = working(clock, () => Promise.resolve(answers.shift() ?? yes));
    await clock.advance(10_000);
    expect(worker.tally).toMatchObject({ disruptable: false, output: 'not now' });
    worker.close();
  });
});

describe('slots', () => {
  it('let so many in at once, the others in turn, and forget who gave up', async () => {
    const slots = new Slots(2);
    const entered: string[] = [];
    const leave = new Map<string, () => void>();
    const enter = (name: string, signal = new AbortController().signal) =>
      slots.run(signal, () => {
        entered.push(name);
        return new Promise<string>((resolve) => leave.set(name, () => resolve(name)));
      });
    const gaveUp = new AbortController();
    const all = [enter('a'), enter('b'), enter('c', gaveUp.signal), enter('d')];
    await Promise.resolve();
    expect(entered).toEqual(['a', 'b']);
    gaveUp.abort();
    expect(await all[2]).toBeUndefined();
    leave.get('a')?.();
    expect(await all[0]).toBe('a');
    await expect.poll(() => entered).toEqual(['a', 'b', 'd']);
    for (const name of ['b', 'd']) leave.get(name)?.();
    await Promise.all(all);
    expect(await slots.run(gaveUp.signal, () => Promise.resolve('late'))).toBeUndefined();
    expect(await slots.run(new AbortController().signal, () => Promise.resolve('free'))).toBe('free');
  });

  it('are free again after a task that fails', async () => {
    const slots = new Slots(1);
    const { signal } = new AbortController();
    await expect(slots.run(signal, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await slots.run(signal, () => Promise.resolve('yes'))).toBe('yes');
  });
});
