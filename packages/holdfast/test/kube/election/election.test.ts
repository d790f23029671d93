import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { seededRandom } from '../../../../embedded-cluster/src/time/random.ts';
import type { LeaseApi } from '../../../src/kube/election/lease-api.ts';
import { LeaseElection } from '../../../src/kube/election/lease-election.ts';
import { sleep } from '../../../src/kube/time/clock.ts';
import { TestClock } from '../support/test-clock.ts';
import { FakeLease, farLease, PausableClock } from './fake-leases.ts';

function near(lease: FakeLease): LeaseApi {
  return {
    get: () => Promise.resolve(lease.get()),
    create: (wanted) => Promise.resolve(lease.create(wanted)),
    replace: (wanted) => Promise.resolve(lease.replace(wanted)),
  };
}

function candidate(identity: string, lease: FakeLease, clock: TestClock, api: LeaseApi = near(lease)) {
  const log: string[] = [];
  const election = new LeaseElection({
    api,
    namespace: 'holdfast',
    name: 'leader',
    identity,
    clock,
    random: () => 0.5,
    lead: async (signal) => {
      log.push('leads');
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      log.push('stops');
    },
    onLeader: (leader) => log.push(`sees ${leader}`),
    report: () => {},
  });
  election.start();
  return { election, log };
}

describe('an election', () => {
  test('makes the first candidate leader, and writes what others read', async () => {
    const clock = new TestClock();
    const lease = new FakeLease();
    const { election, log } = candidate('a', lease, clock);
    await clock.advance(100);
    expect([election.isLeader, log]).toEqual([true, ['sees a', 'leads']]);
    expect(lease.lease).toMatchObject({
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { namespace: 'holdfast', name: 'leader' },
      spec: {
        holderIdentity: 'a',
        leaseDurationSeconds: 15,
        leaseTransitions: 0,
        acquireTime: '2026-01-01T00:00:00.000000Z',
        renewTime: '2026-01-01T00:00:00.000000Z',
      },
    });
    await clock.advance(60_000);
    expect(election.isLeader).toBe(true);
    expect(lease.lease?.spec?.acquireTime).toBe('2026-01-01T00:00:00.000000Z');
    expect(lease.lease?.spec?.renewTime).toMatch(/^2026-01-01T00:0(0:5|1:0)/);
  });

  test('has a second leader as soon as the first gives its lease back', async () => {
    const clock = new TestClock();
    const lease = new FakeLease();
    const first = candidate('a', lease, clock);
    await clock.advance(100);
    const second = candidate('b', lease, clock);
    await clock.advance(30_000);
    expect(second.log).toEqual(['sees a']);
    const stopped = first.election.stop();
    await clock.advance(0);
    await stopped;
    expect([first.election.isLeader, first.log.at(-1)]).toEqual([false, 'stops']);
    expect(lease.lease?.spec).toMatchObject({ holderIdentity: '', leaseDurationSeconds: 1 });
    await clock.advance(2_500);
    expect([second.election.isLeader, second.log]).toEqual([true, ['sees a', 'sees b', 'leads']]);
    expect(lease.lease?.spec?.leaseTransitions).toBe(1);
  });

  test('has a second leader when the first is not heard of for the length of its lease, and not earlier', async () => {
    const clock = new TestClock();
    const lease = new FakeLease();
    const mute = { ...near(lease) };
    const first = candidate('a', lease, clock, mute);
    await clock.advance(100);
    const second = candidate('b', lease, clock);
    await clock.advance(5_000);
    mute.replace = () => new Promise(() => {});
    mute.get = () => new Promise(() => {});
    await clock.advance(10_000);
    expect([first.election.isLeader, second.election.isLeader]).toEqual([false, false]);
    expect(first.log.at(-1)).toBe('stops');
    await clock.advance(8_000);
    expect([first.election.isLeader, second.election.isLeader]).toEqual([false, true]);
  });

  test('is not misled by the times that a holder with a wrong clock writes', async () => {
    const clock = new TestClock();
    const lease = new FakeLease();
    const spec = { holderIdentity: 'x', leaseDurationSeconds: 15, renewTime: '2020-01-01T00:00:00.000000Z' };
    lease.create({ metadata: { name: 'leader' }, spec });
    const { election } = candidate('a', lease, clock);
    await clock.advance(14_000);
    expect(election.isLeader).toBe(false);
    await clock.advance(4_000);
    expect(election.isLeader).toBe(true);
  });

  test('ends at once for a leader who finds another name in the lease', async () => {
    const clock = new TestClock();
    const lease = new FakeLease();
    const { election, log } = candidate('a', lease, clock);
    await clock.advance(100);
    if (lease.lease !== undefined)
      lease.replace({ ...lease.lease, spec: { holderIdentity: 'thief', leaseDurationSeconds: 15 } });
    await clock.advance(2_500);
    expect([election.isLeader, log]).toEqual([false, ['sees a', 'leads', 'sees thief', 'stops']]);
  });

  test('is begun again, after a pause, when the work ends by itself', async () => {
    const clock = new TestClock();
    const lease = new FakeLease();
    let rounds = 0;
    const reports: string[] = [];
    const election = new LeaseElection({
      api: near(lease),
      namespace: 'n',
      name: 'l',
      identity: 'a',
      clock,
      random: () => 0.5,
      lead: () => {
        rounds += 1;
        return rounds === 1 ? Promise.resolve() : Promise.reject(new Error('broken'));
      },
      report: (message) => reports.push(message),
    });
    election.start();
    await clock.advance(3_000);
    expect([rounds, reports]).toEqual([2, ['Error: broken']]);
  });

  test.each([
    [{ identity: '' }, /identity/],
    [{ renewDeadlineMs: 15_000 }, /renew deadline/],
    [{ retryPeriodMs: 9_000 }, /retry period/],
    [{ leaseDurationMs: 500, renewDeadlineMs: 300, retryPeriodMs: 100 }, /second/],
  ])('refuses settings under which two could lead: %j', (wrong, message) => {
    const options = {
      api: near(new FakeLease()),
      namespace: 'n',
      name: 'l',
      identity: 'a',
      clock: new TestClock(),
      random: () => 0,
    };
    expect(() => new LeaseElection({ ...options, lead: () => Promise.resolve(), report: () => {}, ...wrong })).toThrow(
      message,
    );
  });
});

describe('whatever happens', () => {
  const anyPause = fc.record({ at: fc.nat(90_000), who: fc.nat(2), ms: fc.nat(40_000) });

  test('no two lead: with lost and late messages, stopped processes, wrong clocks; and in the end one does', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.nat(),
        fc.array(anyPause, { maxLength: 6 }),
        fc.constantFrom(0, 0.2, 0.6),
        async (seed, pauses, loss) => {
          const clock = new TestClock();
          const lease = new FakeLease();
          const random = seededRandom(seed);
          const chance = () => random.next();
          let storm: number | undefined = loss;
          const candidates = [0, 1, 2].map((index) => {
            const mine = new PausableClock(clock, Math.floor((chance() - 0.5) * 3_600_000));
            const state = { working: false };
            const election = new LeaseElection({
              api: farLease(lease, {
                server: clock,
                mine,
                chance,
                loss: () => storm ?? 0,
                maxLatencyMs: () => (storm === undefined ? 50 : 3_000),
              }),
              namespace: 'n',
              name: 'l',
              identity: `c${index}`,
              clock: mine,
              random: chance,
              lead: async (signal) => {
                state.working = true;
                while (await sleep(mine, 500, signal));
                state.working = false;
              },
              report: () => {},
            });
            for (const { at, who, ms } of pauses) if (who === index) clock.after(at, () => mine.pause(ms));
            election.start();
            return { election, mine, state };
          });
          const leaders = () => candidates.filter(({ election }) => election.isLeader).length;
          const working = () => candidates.filter(({ state, mine }) => state.working && !mine.isPaused).length;
          for (let time = 0; time < 120_000; time += 250) {
            await clock.advance(250);
            expect(leaders()).toBeLessThanOrEqual(1);
            expect(working()).toBeLessThanOrEqual(1);
          }
          storm = undefined;
          await clock.advance(60_000);
          expect([leaders(), working()]).toEqual([1, 1]);
          for (const { election } of candidates) void election.stop();
          await clock.advance(20_000);
          expect([leaders(), working()]).toEqual([0, 0]);
        },
      ),
      { numRuns: 120 },
    );
  });
});
