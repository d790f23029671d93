import type { Lease } from 'kubernetes-types/coordination/v1.js';
import type { LeaseApi } from '../../../src/kube/election/lease-api.ts';
import { failed, type Outcome, succeeded } from '../../../src/kube/outcome/failure.ts';
import type { Clock, Timer } from '../../../src/kube/time/clock.ts';

/** One lease, as an API server keeps it: writes succeed only against the newest version. */
export class FakeLease {
  lease: Lease | undefined;
  #version = 0;

  get(): Outcome<Lease> {
    return this.lease === undefined ? failed({ kind: 'notFound', message: 'none' }) : succeeded(this.lease);
  }

  create(lease: Lease): Outcome<Lease> {
    if (this.lease !== undefined) return failed({ kind: 'alreadyExists', message: 'there is one' });
    return this.#store(lease);
  }

  replace(lease: Lease): Outcome<Lease> {
    if (this.lease?.metadata?.resourceVersion !== lease.metadata?.resourceVersion) {
      return failed({ kind: 'conflict', message: 'another candidate was faster' });
    }
    return this.#store(lease);
  }

  #store(lease: Lease): Outcome<Lease> {
    this.#version += 1;
    this.lease = { ...lease, metadata: { ...lease.metadata, resourceVersion: String(this.#version) } };
    return succeeded(this.lease);
  }
}

/** The clock of a process that may be stopped for a while: nothing of it runs, and time goes on. */
export class PausableClock implements Clock {
  readonly #base: Clock;
  readonly #skewMs: number;
  #pausedUntil = 0;

  constructor(base: Clock, skewMs: number) {
    this.#base = base;
    this.#skewMs = skewMs;
  }

  get isPaused(): boolean {
    return this.#base.monotonic() < this.#pausedUntil;
  }

  pause(ms: number): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, this.#base.monotonic() + ms);
  }

  now(): number {
    return this.#base.now() + this.#skewMs;
  }

  monotonic(): number {
    return this.#base.monotonic();
  }

  after(delayMs: number, callback: () => void): Timer {
    let timer = this.#base.after(delayMs, () => attempt());
    const attempt = () => {
      if (this.isPaused) timer = this.#base.after(this.#pausedUntil - this.#base.monotonic(), () => attempt());
      else callback();
    };
    return { cancel: () => timer.cancel() };
  }
}

export interface Weather {
  readonly server: Clock;
  readonly mine: PausableClock;
  readonly chance: () => number;
  /** Share of requests that are lost, or whose answers are. */
  readonly loss: () => number;
  readonly maxLatencyMs: () => number;
}

const lost = { kind: 'retry', cause: 'connection', message: 'lost', retryAfterMs: undefined, maybeDone: true } as const;

/** The lease as one candidate reaches it: late, or not at all, or without ever learning what became of it. */
export function farLease(lease: FakeLease, weather: Weather): LeaseApi {
  const call = (ask: () => Outcome<Lease>, deadlineMs: number) =>
    new Promise<Outcome<Lease>>((resolve) => {
      const { server, mine, chance, loss, maxLatencyMs } = weather;
      const there = chance() * maxLatencyMs();
      const back = chance() * maxLatencyMs();
      mine.after(deadlineMs, () => resolve(failed(lost)));
      if (chance() < loss() / 2) return;
      server.after(there, () => {
        const answer = ask();
        if (chance() >= loss() / 2) mine.after(back, () => resolve(answer));
      });
    });
  return {
    get: (deadlineMs) => call(() => lease.get(), deadlineMs),
    create: (wanted, deadlineMs) => call(() => lease.create(wanted), deadlineMs),
    replace: (wanted, deadlineMs) => call(() => lease.replace(wanted), deadlineMs),
  };
}
