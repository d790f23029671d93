import type { Lease } from 'kubernetes-types/coordination/v1.js';
import type { KubeClient } from '../../kube/client/client.ts';
import { leases } from '../../kube/election/lease-api.ts';
import { type Candidate, isHeldBy, mayTake, type Observation, observe } from '../../kube/election/lease-record.ts';
import type { Failure, Outcome } from '../../kube/outcome/failure.ts';
import { probeLeaseName } from '../../kube/probes/lease-name.ts';
import { Backoff } from '../../kube/time/backoff.ts';
import { type Clock, sleep } from '../../kube/time/clock.ts';
import type { Random } from '../../kube/time/random.ts';
import type { Logger } from '../../telemetry/log.ts';
import { leaseWith, listOf } from './lease-document.ts';

export interface LeaseKeeperOptions {
  readonly node: string;
  /** Holdfast's own. */
  readonly namespace: string;
  /** Of the agent, and of this life of it. */
  readonly identity: string;
  readonly durationMs: number;
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** The uids to list, found out anew at each call. */
  readonly disruptable: () => readonly string[];
  readonly onWrite: (written: boolean) => void;
}

/** Renewals in the time that a lease lasts: three may be lost. */
const renewalsPerLease = 4;
/** Renewals of many nodes do not go in step. */
const jitter = 0.1;
/** Changes that come closer together than this are written together. */
const gapMs = 100;
const retryBaseMs = 250;

/**
 * Renews the lease of one node, and writes it at once when its list changes. It is never given back: whoever takes over begins with
 * an empty list, and until then it runs out by itself.
 */
export class LeaseKeeper {
  readonly #options: LeaseKeeperOptions;
  readonly #place: { readonly namespace: string; readonly name: string };
  readonly #candidate: Candidate;
  readonly #renewMs: number;
  readonly #backoff: Backoff;
  readonly #stopping = new AbortController();
  #running: Promise<void> | undefined;
  #wake = new AbortController();
  #changed = false;
  #waiting: (() => void)[] = [];
  #seen: Observation | undefined;
  /** What was last written, if nothing came in between; its resourceVersion is what the next write rests on. */
  #written: { readonly lease: Lease; readonly list: string } | undefined;
  /** In this life. */
  #everHeld = false;
  #lost = false;
  /** Monotonic, from before the write that succeeded. */
  #renewedAt = Number.NEGATIVE_INFINITY;
  #nextAt = 0;

  constructor(options: LeaseKeeperOptions) {
    const { node, namespace, identity, durationMs, random } = options;
    this.#options = options;
    this.#place = { namespace, name: probeLeaseName(node) };
    this.#candidate = { identity, leaseDurationMs: durationMs };
    this.#renewMs = durationMs / renewalsPerLease;
    this.#backoff = new Backoff({ baseMs: Math.min(retryBaseMs, this.#renewMs), capMs: this.#renewMs }, random);
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

  /** Nobody who reads the lease can have given it up yet, and nobody else is known to have taken it. */
  get holds(): boolean {
    return !this.#lost && this.ageMs < this.#options.durationMs;
  }

  /** The list may be another one now. */
  changed(): void {
    this.#changed = true;
    this.#wake.abort();
  }

  /** Resolves when the lease does not list a pod, or an attempt to write it that began after this call is over. */
  withdrawn(uid: string): Promise<void> {
    if (this.#stopping.signal.aborted || this.#written?.list.includes(uid) === false) return Promise.resolve();
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
      const done = await this.#attempt();
      for (const resolve of waiting) resolve();
      if (done) await this.#rest();
      else await sleep(clock, this.#backoff.next(), signal);
    }
    for (const resolve of this.#waiting) resolve();
  }

  async #attempt(): Promise<boolean> {
    const { clock, random, log, node } = this.#options;
    const current = this.#written?.list === listOf(this.#options.disruptable());
    if (current && clock.monotonic() < this.#nextAt) return true;
    try {
      if (!(await this.#write())) return false;
    } catch (error) {
      log.error('the lease of a node could not be looked at', { node, error });
      return false;
    }
    this.#backoff.reset();
    this.#nextAt = this.#renewedAt + this.#renewMs * (1 - jitter * random());
    return true;
  }

  /** Until it is time to renew, or something changed. */
  async #rest(): Promise<void> {
    const { clock } = this.#options;
    if (!(await sleep(clock, Math.min(gapMs, this.#renewMs), this.#stopping.signal)) || this.#changed) return;
    this.#wake = new AbortController();
    await sleep(clock, this.#nextAt - clock.monotonic(), this.#wake.signal);
  }

  /** Twice, when somebody else wrote in between: what they wrote is read first. */
  async #write(): Promise<boolean> {
    const { clock, onWrite } = this.#options;
    for (let attempt = 0; attempt < 2; attempt += 1) {
      const base = await this.#base();
      if (base.kind === 'unreadable') return this.#failed(base.failure);
      if (base.kind === 'theirs') return false;
      const start = clock.monotonic();
      const uids = this.#options.disruptable();
      const outcome = await this.#send(base.lease, uids);
      onWrite(outcome.ok);
      if (outcome.ok) {
        this.#took(outcome.value, listOf(uids), start);
        return true;
      }
      // Whatever came of it: what the lease says now is not known.
      this.#written = undefined;
      if (!isOutdated(outcome.failure)) return this.#failed(outcome.failure);
    }
    return false;
  }

  /** What the next write rests on. Another holder is left alone while it renews, but for the first time in this life. */
  async #base(): Promise<Base> {
    if (this.#written !== undefined) return { kind: 'ours', lease: this.#written.lease };
    const { client, clock, log, node } = this.#options;
    const found = await client.get<Lease>(leases, this.#place, this.#call());
    if (!found.ok) {
      return found.failure.kind === 'notFound'
        ? { kind: 'ours', lease: undefined }
        : { kind: 'unreadable', failure: found.failure };
    }
    this.#seen = observe(this.#seen, found.value, clock.monotonic());
    if (!this.#everHeld || mayTake(this.#seen, this.#candidate, clock.monotonic())) {
      return { kind: 'ours', lease: found.value };
    }
    this.#lost = true;
    log.warn('another agent holds the lease of this node', { node, holder: found.value.spec?.holderIdentity });
    return { kind: 'theirs' };
  }

  #send(lease: Lease | undefined, uids: readonly string[]): Promise<Outcome<Lease>> {
    const { client, clock, node } = this.#options;
    const body = leaseWith({ lease, place: this.#place, candidate: this.#candidate, node, uids, now: clock.now() });
    return lease === undefined
      ? client.create<Lease>(leases, { namespace: this.#place.namespace }, body, this.#call())
      : client.replace<Lease>(leases, this.#place, body, this.#call());
  }

  #took(lease: Lease, list: string, start: number): void {
    const { clock, log, node, identity } = this.#options;
    if (!this.#everHeld) log.info('the lease of a node is held', { node, identity });
    this.#everHeld = true;
    this.#lost = !isHeldBy(lease, identity);
    this.#seen = observe(this.#seen, lease, clock.monotonic());
    this.#written = { lease, list };
    this.#renewedAt = start;
  }

  #call() {
    return { deadlineMs: this.#renewMs, signal: this.#stopping.signal };
  }

  #failed(failure: Failure): boolean {
    const { log, node } = this.#options;
    if (failure.kind !== 'aborted')
      log.warn('the lease of a node could not be written', { node, problem: failure.message });
    return false;
  }
}

type Base =
  /** Undefined: there is none, and it is to be made. */
  | { readonly kind: 'ours'; readonly lease: Lease | undefined }
  | { readonly kind: 'theirs' }
  | { readonly kind: 'unreadable'; readonly failure: Failure };

function isOutdated({ kind }: Failure): boolean {
  return kind === 'conflict' || kind === 'notFound' || kind === 'alreadyExists' || kind === 'gone';
}
