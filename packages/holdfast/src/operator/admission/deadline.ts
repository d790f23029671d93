/** The time that the server measures and waits by. */
export interface WebhookClock {
  /** Milliseconds since some moment; no person or NTP sets it. */
  monotonic(): number;
  after(delayMs: number, callback: () => void): { cancel(): void };
}

/** Why a request is over: its time is up, or the client closed its connection. */
export type EndReason = 'late' | 'gone';

/**
 * The one deadline of a request. `exchange.ts` makes it from the time that the API server says it waits, and everything that waits in
 * the request's name is given this object: ledger calls, pod reads, waits for the view, the DELETE of a takeover. When it is over,
 * nothing more is sent in the request's name.
 *
 * Most requests are answered before anything has to wait, and an AbortSignal costs more than their verdict: it is made when it is
 * asked for.
 */
export class Deadline {
  readonly #clock: WebhookClock;
  readonly #endsAt: number;
  readonly #timer: { cancel(): void };
  readonly #listeners = new Set<(reason: EndReason) => void>();
  readonly #cleanup: (() => void)[] = [];
  #reason: EndReason | undefined;
  #controller: AbortController | undefined;

  constructor(clock: WebhookClock, ms: number) {
    this.#clock = clock;
    this.#endsAt = clock.monotonic() + ms;
    this.#timer = clock.after(ms, () => this.end('late'));
  }

  /** Undefined: the request is not over. */
  get reason(): EndReason | undefined {
    return this.#reason;
  }

  get over(): boolean {
    return this.leftMs <= 0;
  }

  /** Never negative. */
  get leftMs(): number {
    return this.#reason === undefined ? Math.max(0, this.#endsAt - this.#clock.monotonic()) : 0;
  }

  /** Aborted with the reason. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#reason !== undefined) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }

  /** Only the first reason counts. */
  end(reason: EndReason): void {
    if (this.#reason !== undefined) return;
    this.#reason = reason;
    this.#timer.cancel();
    this.#controller?.abort(reason);
    for (const listener of [...this.#listeners]) listener(reason);
    this.#listeners.clear();
  }

  /** Calls back once, at once if the request is over already. Returns how to unsubscribe. */
  onEnd(listener: (reason: EndReason) => void): () => void {
    if (this.#reason !== undefined) {
      listener(this.#reason);
      return () => {};
    }
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** The request was answered in time: there is nothing left to wait for. */
  release(): void {
    this.#timer.cancel();
    for (const clean of this.#cleanup.splice(0)) clean();
  }

  /** A deadline within this one: over after `ms`, or when this one is. To be released when its wait ends. */
  within(ms: number): Deadline {
    const inner = new Deadline(this.#clock, Math.min(ms, this.leftMs));
    inner.#cleanup.push(this.onEnd((reason) => inner.end(reason)));
    return inner;
  }
}

/** The answer, or `late` when the signal comes first. A promise that is waited for no longer may fail unheard. */
export function unlessAborted<T>(signal: AbortSignal, answer: Promise<T>, late: () => T): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => resolve(late());
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
    answer.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

/** Gives a call so much time. One that throws, or is not back in time, has failed; it is told to stop, and may yet have had its effect. */
export async function timeboxed<T>(
  clock: WebhookClock,
  ms: number,
  call: (signal: AbortSignal) => Promise<T>,
  failed: (message: string) => T,
): Promise<T> {
  const deadline = new Deadline(clock, ms);
  try {
    return await unlessAborted(deadline.signal, call(deadline.signal), () => failed(`no answer within ${ms} ms`));
  } catch (error) {
    return failed(error instanceof Error ? error.message : String(error));
  } finally {
    deadline.release();
  }
}

export function pause(clock: WebhookClock, ms: number): Promise<void> {
  return new Promise((resolve) => {
    clock.after(ms, resolve);
  });
}

/** The API server's own default for webhooks is ten seconds. */
const defaultWaitMs = 10_000;
/** API servers accept 1 to 30 seconds. */
const longestWaitMs = 30_000;
const shortestDeadlineMs = 50;

const unitMs: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
};
const wholeDuration = /^(?:\d{1,9}(?:\.\d{1,9})?(?:ns|us|µs|ms|s|m|h)){1,6}$/;
const onePart = /(\d+(?:\.\d+)?)(ns|us|µs|ms|s|m|h)/g;

/** A duration as Go writes it (`10s`, `1m30s`, `1.5s`), in milliseconds. */
export function parseGoDuration(text: string): number | undefined {
  if (!wholeDuration.test(text)) return undefined;
  let sum = 0;
  for (const [, amount, unit] of text.matchAll(onePart)) sum += Number(amount) * (unitMs[unit ?? ''] ?? 0);
  return sum;
}

/**
 * Milliseconds from the arrival of a request to its answer. The API server says in the query how long it waits; a tenth of that,
 * but at least a fifth of a second and at most one, is left for the network: an answer that comes later is not read.
 */
export function deadlineFor(query: string): number {
  if (query !== lastQuery) {
    lastDeadline = readDeadline(query);
    lastQuery = query;
  }
  return lastDeadline;
}

/** API servers send the same query each time. */
let lastQuery = '';
let lastDeadline = readDeadline(lastQuery);

function readDeadline(query: string): number {
  const asked = parseGoDuration(new URLSearchParams(query).get('timeout') ?? '') ?? defaultWaitMs;
  const wait = Math.min(asked, longestWaitMs);
  const margin = Math.min(1_000, Math.max(200, wait / 10));
  return Math.max(shortestDeadlineMs, wait - margin);
}
