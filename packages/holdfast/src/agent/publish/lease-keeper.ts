import { Backoff } from '../../kube/time/backoff.ts';
import { sleep } from '../../kube/time/clock.ts';
import type { Random } from '../../kube/time/random.ts';
import type { Logger } from '../../telemetry/log.ts';
import type { Standing } from '../verdict.ts';
import { type ClaimResult, LeaseClaim, type LeaseClaimOptions } from './lease-claim.ts';
import { uidListText } from './lease-document.ts';
import { mayKeepPreviousLease, type PreviousLease } from './previous-lease.ts';

export interface LeaseKeeperOptions extends LeaseClaimOptions {
  readonly random: Random;
  readonly log: Logger;
  /** What has been found out about a pod that was listed at that time of the wall clock. Undefined: there is no such pod here. */
  readonly standing: (uid: string, since: number) => Standing | undefined;
  readonly onWrite: (written: boolean) => void;
}

/** Renewals in the time that a lease lasts: three may be lost. */
const renewalsPerLease = 4;
/** Renewals of many nodes do not go in step. */
const jitter = 0.1;
/** Changes that come closer together than this are written together. */
const gapMs = 100;
const retryBaseMs = 250;
/** How often an agent that leaves its predecessor's lease alone checks what it has found out itself. */
const previousLeaseLookMs = 200;

/** What comes after an attempt. */
type Next = 'rest' | 'wait' | 'again';

/**
 * Renews the lease of one node, and writes it at once when its list changes. It is never released: the agent that takes over lets the
 * last list run out by itself until it has probed the pods.
 */
export class LeaseKeeper {
  readonly #options: LeaseKeeperOptions;
  readonly #claim: LeaseClaim;
  readonly #renewMs: number;
  readonly #backoff: Backoff;
  readonly #stopping = new AbortController();
  #running: Promise<void> | undefined;
  #wake = new AbortController();
  #changed = false;
  #waiting: (() => void)[] = [];
  /** What a predecessor left, and when it was found, monotonic. */
  #previous: { readonly left: PreviousLease; readonly foundAt: number } | undefined;
  #lost = false;
  /** Monotonic, from before the write that succeeded. */
  #renewedAt = Number.NEGATIVE_INFINITY;
  #nextAt = 0;

  constructor(options: LeaseKeeperOptions) {
    this.#options = options;
    this.#claim = new LeaseClaim(options);
    this.#renewMs = options.durationMs / renewalsPerLease;
    const limits = { baseMs: Math.min(retryBaseMs, this.#renewMs), capMs: this.#renewMs };
    this.#backoff = new Backoff(limits, options.random);
  }

  start(): void {
    this.#running ??= this.#run();
  }

  async close(): Promise<void> {
    this.#stopping.abort();
    this.#wake.abort();
    await this.#running;
  }

  /** Since the lease was last known to be ours. */
  get ageMs(): number {
    return this.#options.clock.monotonic() - this.#renewedAt;
  }

  /** No reader of the lease can have given it up yet, and no other agent is known to have taken it. */
  get holds(): boolean {
    return !this.#lost && this.ageMs < this.#options.durationMs;
  }

  /** The list may be another one now. */
  changed(): void {
    this.#changed = true;
    this.#wake.abort();
  }

  /** Resolves when the lease lists a pod or does not, as it should, or an attempt to write it that began after this call is over. */
  settled(uid: string, listed: boolean): Promise<void> {
    return this.#claim.list?.includes(uid) === listed ? Promise.resolve() : this.attempted();
  }

  /** Resolves when an attempt to write what there is to say that began after this call is over. */
  attempted(): Promise<void> {
    if (this.#stopping.signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.changed();
    });
  }

  async #run(): Promise<void> {
    const { clock } = this.#options;
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      const waiting = this.#waiting;
      this.#waiting = [];
      this.#changed = false;
      const next = await this.#attempt();
      for (const resolve of waiting) resolve();
      if (next === 'rest') await this.#rest();
      else await sleep(clock, next === 'wait' ? previousLeaseLookMs : this.#backoff.next(), signal);
    }
    for (const resolve of this.#waiting) resolve();
  }

  async #attempt(): Promise<Next> {
    const { clock, random, log, node } = this.#options;
    const current = this.#claim.list === uidListText(this.#options.disruptable());
    if (current && clock.monotonic() < this.#nextAt) return 'rest';
    if (this.#mayInherit()) return 'wait';
    try {
      const next = await this.#write();
      if (next !== 'rest') return next;
    } catch (error) {
      log.error('reconciling the lease of a node failed', { node, error });
      return 'again';
    }
    this.#backoff.reset();
    this.#nextAt = this.#renewedAt + this.#renewMs * (1 - jitter * random());
    return 'rest';
  }

  #mayInherit(): boolean {
    const { clock, standing } = this.#options;
    if (this.#previous === undefined || this.#claim.everHeld) return false;
    const { left, foundAt } = this.#previous;
    return mayKeepPreviousLease(left, {
      now: clock.now(),
      waitedMs: clock.monotonic() - foundAt,
      standing: (uid) => standing(uid, left.renewedAt),
    });
  }

  /** Until it is time to renew, or something changed. */
  async #rest(): Promise<void> {
    const { clock } = this.#options;
    if (!(await sleep(clock, Math.min(gapMs, this.#renewMs), this.#stopping.signal)) || this.#changed) return;
    this.#wake = new AbortController();
    await sleep(clock, this.#nextAt - clock.monotonic(), this.#wake.signal);
  }

  /** Twice, when another client wrote in between: its lease is read first. */
  async #write(): Promise<Next> {
    const terms = { deadlineMs: this.#renewMs, signal: this.#stopping.signal };
    for (let attempt = 0; attempt < 2; attempt += 1) {
      const isFirst = !this.#claim.everHeld;
      const result = await this.#claim.write({ ...terms, overPrevious: this.#previous !== undefined });
      if (result.kind !== 'outdated') return this.#after(result, isFirst);
      this.#options.onWrite(false);
    }
    return 'again';
  }

  #after(result: Exclude<ClaimResult, { kind: 'outdated' }>, isFirst: boolean): Next {
    const { clock, log, node, identity, onWrite } = this.#options;
    switch (result.kind) {
      case 'written':
        onWrite(true);
        if (isFirst) log.info('this agent holds the lease of the node', { node, identity });
        this.#lost = !result.held;
        this.#renewedAt = result.start;
        return 'rest';
      case 'inherited':
        this.#previous = { left: result.previous, foundAt: clock.monotonic() };
        return 'wait';
      case 'theirs':
        this.#lost = true;
        log.warn('another agent holds the lease of this node', { node, holder: result.holder });
        return 'again';
      case 'failed':
        if (result.sent) onWrite(false);
        if (result.failure.kind !== 'aborted')
          log.warn('the lease of a node could not be written', { node, problem: result.failure.message });
        return 'again';
    }
  }
}
