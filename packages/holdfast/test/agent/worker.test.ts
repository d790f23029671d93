import { describe, expect, it } from 'vitest';
import type { Probe } from '../../../base/src/probes/probe-fields.ts';
import type { ProbeResult } from '../../src/agent/probes/probe-result.ts';
import { ContainerWorker } from '../../src/agent/worker/container-worker.ts';
import { ProbeSlots } from '../../src/agent/worker/probe-slots.ts';
import { Slots } from '../../src/agent/worker/slots.ts';
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

  it('[I4] is overdue when no answer came for two periods, by the monotonic clock', async () => {
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

describe('the slots of probes', () => {
  const never = new AbortController().signal;

  /** Probes that end when they are told to. */
  function asking(slots: ProbeSlots) {
    const entered: string[] = [];
    const ends: (() => void)[] = [];
    const ask = (namespace: string, pod: string) =>
      void slots.run({ namespace, pod }, never, () => {
        entered.push(`${namespace}/${pod}`);
        return new Promise<void>((resolve) => ends.push(resolve));
      });
    const end = async () => {
      ends.shift()?.();
      await new Promise((resolve) => setImmediate(resolve));
    };
    return { entered, ask, end };
  }

  const counted = (entered: readonly string[]) =>
    Object.fromEntries([...new Set(entered)].map((one) => [one, entered.filter((other) => other === one).length]));

  it('[A5] are few for one pod, however many containers it has', () => {
    const { entered, ask } = asking(new ProbeSlots(50));
    for (let i = 0; i < 55; i += 1) ask('hog', 'a');
    ask('shop', 'web');
    expect(counted(entered)).toEqual({ 'hog/a': 4, 'shop/web': 1 });
  });

  it('[A5] are for one namespace at most as many as are left for others, so that something is left for a newcomer', () => {
    const slots = new ProbeSlots(50);
    const { entered, ask } = asking(slots);
    for (const hog of ['hog', 'pig', 'boar']) for (let i = 0; i < 100; i += 1) ask(hog, `${hog}-${i}`);
    const held = (namespace: string) => entered.filter((one) => one.startsWith(`${namespace}/`)).length;
    expect(['hog', 'pig', 'boar'].map(held)).toEqual([25, 13, 6]);
    ask('shop', 'web');
    expect(held('shop')).toBe(1);
    expect(slots.waiting()).toEqual(
      new Map([
        ['hog', 75],
        ['pig', 87],
        ['boar', 94],
      ]),
    );
  });

  it('[A5] go to namespaces in turn, not to who asked first', async () => {
    const slots = new ProbeSlots(3);
    const { entered, ask, end } = asking(slots);
    for (let i = 0; i < 4; i += 1) ask('hog', `hog-${i}`);
    ask('shop', 'web');
    ask('bank', 'db');
    ask('bank', 'cache');
    expect(entered).toEqual(['hog/hog-0', 'hog/hog-1', 'shop/web']);
    while (slots.waiting().size > 0) await end();
    expect(entered.slice(3)).toEqual(['bank/db', 'hog/hog-2', 'bank/cache', 'hog/hog-3']);
  });

  it('are given back by who gives up, and by a probe that fails', async () => {
    const slots = new ProbeSlots(1);
    const user = { namespace: 'shop', pod: 'web' };
    await expect(slots.run(user, never, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    const gaveUp = new AbortController();
    const ends: (() => void)[] = [];
    const first = slots.run(user, never, () => new Promise<void>((resolve) => ends.push(resolve)));
    const second = slots.run(user, gaveUp.signal, () => Promise.resolve('late'));
    gaveUp.abort();
    expect(await second).toBeUndefined();
    expect(slots.waiting().size).toBe(0);
    ends[0]?.();
    await first;
    expect(await slots.run(user, never, () => Promise.resolve('free'))).toBe('free');
  });
});
