import type { Lease } from 'kubernetes-types/coordination/v1.js';
import { type Clock, sleep } from '../time/clock.ts';
import type { Random } from '../time/random.ts';
import type { LeaseApi } from './lease-api.ts';
import {
  claimed,
  type ElectionCandidate,
  firstClaim,
  isHeldBy,
  mayTake,
  type Observation,
  observeLease,
  released,
} from './lease-record.ts';

export interface ElectionOptions {
  readonly api: LeaseApi;
  readonly namespace: string;
  readonly name: string;
  /** No two candidates may share it, nor two lives of one. */
  readonly identity: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly leaseDurationMs?: number;
  /** A leader that could not renew for this long has stopped. Shorter than the lease, or two could lead. */
  readonly renewDeadlineMs?: number;
  readonly retryPeriodMs?: number;
  /** Leads until the signal says stop. The lease is given back only when the promise has settled. */
  readonly lead: (signal: AbortSignal) => Promise<void>;
  readonly onLeader?: (identity: string) => void;
  /** Attempts that failed, and work that threw. */
  readonly report: (message: string) => void;
}

/** How long a stopping leader waits for its release to be stored; without it the others wait until the lease has run out. */
const releaseMs = 2_000;

/** Delays are stretched by up to this much, so that candidates do not ask in step. */
const jitter = 1.2;

/**
 * Takes part in the election that a Lease is. At any moment at most one candidate leads, provided that clocks run alike: a leader
 * counts from before it wrote, the others from when they saw it written, and the leader's patience is the shorter one.
 */
export class LeaseElection {
  readonly #options: ElectionOptions;
  readonly #candidate: ElectionCandidate;
  readonly #renewDeadlineMs: number;
  readonly #retryPeriodMs: number;
  /** One request that hangs leaves time for another. */
  readonly #callMs: number;
  readonly #stopping = new AbortController();
  #running: Promise<void> | undefined;
  #seen: Observation | undefined;
  #announced: string | undefined;
  /** Monotonic; until then no other candidate can have taken over. */
  #leadsUntil = Number.NEGATIVE_INFINITY;

  constructor(options: ElectionOptions) {
    const { identity, leaseDurationMs = 15_000, renewDeadlineMs = 10_000, retryPeriodMs = 2_000 } = options;
    if (identity === '') throw new RangeError('a candidate has an identity');
    if (leaseDurationMs < 1_000) throw new RangeError('a lease lasts at least a second');
    if (renewDeadlineMs >= leaseDurationMs) throw new RangeError('the renew deadline is shorter than the lease');
    if (retryPeriodMs * jitter >= renewDeadlineMs)
      throw new RangeError('the retry period is shorter than the renew deadline');
    this.#options = options;
    this.#candidate = { identity, leaseDurationMs };
    this.#renewDeadlineMs = renewDeadlineMs;
    this.#retryPeriodMs = retryPeriodMs;
    this.#callMs = renewDeadlineMs / 2;
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** Stops leading, waits until the work has ended, and gives the lease back. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  /** True only while no other candidate can be leader: also after a pause of the whole process. */
  get isLeader(): boolean {
    return this.#options.clock.monotonic() < this.#leadsUntil;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      if (await this.#try()) await this.#lead();
      // Also after leading: work that ends by itself must not be begun again in a tight loop, and others get their chance.
      await this.#pause(signal);
    }
  }

  async #lead(): Promise<void> {
    const leading = new AbortController();
    // Even a renewal that hangs, or a clock that jumps, does not make leading longer than it may be.
    const watchdog = this.#expireLater(leading);
    const finished = this.#work(leading.signal).then(() => leading.abort());
    const stop = () => leading.abort();
    this.#stopping.signal.addEventListener('abort', stop, { once: true });
    if (this.#stopping.signal.aborted) stop();
    while (!leading.signal.aborted) {
      await this.#pause(leading.signal);
      if (!leading.signal.aborted && !(await this.#try()) && this.#lostToAnother()) leading.abort();
    }
    watchdog.cancel();
    this.#stopping.signal.removeEventListener('abort', stop);
    this.#leadsUntil = Number.NEGATIVE_INFINITY;
    await finished;
    // If the work outlived the lease, another candidate may hold it; the release then meets a conflict, and nothing is lost.
    await this.#release();
  }

  async #work(signal: AbortSignal): Promise<void> {
    try {
      await this.#options.lead(signal);
    } catch (error) {
      this.#options.report(String(error));
    }
  }

  #expireLater(leading: AbortController): { cancel(): void } {
    const { clock } = this.#options;
    let timer = clock.after(0, () => {});
    const check = () => {
      const left = this.#leadsUntil - clock.monotonic();
      if (left <= 0) leading.abort();
      else timer = clock.after(left, check);
    };
    check();
    return { cancel: () => timer.cancel() };
  }

  /** One attempt to take or renew the lease. It is ours only if it was written in time. */
  async #try(): Promise<boolean> {
    const start = this.#options.clock.monotonic();
    const lease = await this.#write();
    if (lease === undefined) return false;
    this.#see(lease);
    this.#leadsUntil = start + this.#renewDeadlineMs;
    return this.isLeader;
  }

  async #write(): Promise<Lease | undefined> {
    const { clock } = this.#options;
    // A holder knows what it wrote: one request renews. If that fails, it reads like any other candidate.
    if (this.#seen !== undefined && isHeldBy(this.#seen.lease, this.#candidate.identity) && this.isLeader) {
      const renewed = await this.#replace(this.#seen.lease);
      if (renewed !== undefined) return renewed;
    }
    const found = await this.#options.api.get(this.#callMs);
    if (!found.ok) return found.failure.kind === 'notFound' ? this.#create() : this.#failed(found.failure.message);
    const seen = this.#see(found.value);
    return mayTake(seen, this.#candidate, clock.monotonic()) ? this.#replace(seen.lease) : undefined;
  }

  async #replace(lease: Lease): Promise<Lease | undefined> {
    const claim = claimed(lease, this.#candidate, this.#options.clock.now());
    const written = await this.#options.api.replace(claim, this.#callMs);
    return written.ok ? written.value : this.#failed(written.failure.message);
  }

  async #create(): Promise<Lease | undefined> {
    const { namespace, name, clock, api } = this.#options;
    const created = await api.create(firstClaim({ namespace, name }, this.#candidate, clock.now()), this.#callMs);
    return created.ok ? created.value : this.#failed(created.failure.message);
  }

  async #release(): Promise<void> {
    const { clock, api } = this.#options;
    if (this.#seen === undefined || !isHeldBy(this.#seen.lease, this.#candidate.identity)) return;
    const written = await api.replace(released(this.#seen.lease, clock.now()), releaseMs);
    if (written.ok) this.#seen = observeLease(this.#seen, written.value, clock.monotonic());
    else this.#failed(written.failure.message);
  }

  #lostToAnother(): boolean {
    return this.#seen !== undefined && !isHeldBy(this.#seen.lease, this.#candidate.identity);
  }

  #see(lease: Lease): Observation {
    this.#seen = observeLease(this.#seen, lease, this.#options.clock.monotonic());
    const holder = lease.spec?.holderIdentity ?? '';
    if (holder !== '' && holder !== this.#announced) {
      this.#announced = holder;
      this.#options.onLeader?.(holder);
    }
    return this.#seen;
  }

  #failed(message: string): undefined {
    this.#options.report(message);
    return undefined;
  }

  #pause(signal: AbortSignal): Promise<boolean> {
    const { clock, random } = this.#options;
    return sleep(clock, this.#retryPeriodMs * (1 + random() * (jitter - 1)), signal);
  }
}
