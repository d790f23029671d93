import type { Event } from 'kubernetes-types/core/v1.js';
import type { KubeClient } from '../client/client.ts';
import type { ResourceName } from '../client/resource.ts';
import type { Failure, Outcome } from '../outcome/failure.ts';
import { Backoff } from '../time/backoff.ts';
import { type Clock, sleep, timestamp } from '../time/clock.ts';
import type { Random } from '../time/random.ts';
import { type AggregationLimits, EventAggregator, type EventNote, type Series } from './aggregate.ts';

export interface RecorderOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  /** Who reports, as people see it: `holdfast`. */
  readonly component: string;
  /** Which of them: the pod's name. */
  readonly instance: string;
  readonly limits?: AggregationLimits;
  /** Events that were given up. */
  readonly report: (message: string) => void;
}

const events: ResourceName = { group: '', version: 'v1', plural: 'events', namespaced: true };

const maxPending = 1_000;
const maxAttempts = 5;
const backoff = { baseMs: 500, capMs: 10_000 };
/** The API server refuses longer ones. */
const maxMessage = 1_024;

/** Tells people what happened. Never in anyone's way: it waits for nobody, and drops what it cannot deliver. */
export class EventRecorder {
  readonly #options: RecorderOptions;
  readonly #aggregator: EventAggregator;
  /** By name of the event object: what came last is what is sent. */
  readonly #pending = new Map<string, Series>();
  readonly #stopping = new AbortController();
  #sending: Promise<void> | undefined;

  constructor(options: RecorderOptions) {
    this.#options = options;
    this.#aggregator = new EventAggregator(options.limits);
  }

  record(note: EventNote): void {
    if (this.#stopping.signal.aborted) return;
    const series = this.#aggregator.add(note, this.#options.clock.now());
    if (series === undefined) return;
    if (this.#pending.size >= maxPending && !this.#pending.has(series.eventName)) {
      this.#options.report(`too many events wait: ${note.reason} of ${note.subject.name} is dropped`);
      return;
    }
    this.#pending.set(series.eventName, series);
    this.#sending ??= this.#sendAll();
  }

  /** Resolves when everything recorded so far was delivered or given up. */
  async flush(): Promise<void> {
    while (this.#sending !== undefined) await this.#sending;
  }

  /** What still waits gets one attempt each. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.flush();
  }

  async #sendAll(): Promise<void> {
    for (let series = this.#first(); series !== undefined; series = this.#first()) await this.#deliver(series);
    // In the same breath as finding nothing more to send: what comes next starts anew.
    this.#sending = undefined;
  }

  #first(): Series | undefined {
    for (const [name, series] of this.#pending) {
      this.#pending.delete(name);
      return series;
    }
    return undefined;
  }

  async #deliver(series: Series): Promise<void> {
    const { clock, random, report } = this.#options;
    const delays = new Backoff(backoff, random);
    for (let attempt = 1; ; attempt += 1) {
      const outcome = await this.#send(series);
      if (outcome.ok) return;
      const patience = attempt < maxAttempts && isPassing(outcome.failure);
      if (!patience || !(await sleep(clock, delays.next(), this.#stopping.signal))) {
        return report(`event ${series.note.reason} of ${series.note.subject.name}: ${outcome.failure.message}`);
      }
    }
  }

  /** A series that goes on is an object that exists, unless it expired or never got there. */
  async #send(series: Series): Promise<Outcome<unknown>> {
    if (series.count > 1) {
      const patched = await this.#patch(series);
      if (patched.ok || patched.failure.kind !== 'notFound') return patched;
    }
    const { client, component, instance } = this.#options;
    const event = eventOf(series, component, instance);
    const created = await client.create(events, { namespace: namespaceOf(series) }, event);
    // An attempt that seemed to fail may have come through.
    return !created.ok && created.failure.kind === 'alreadyExists' ? this.#patch(series) : created;
  }

  #patch(series: Series): Promise<Outcome<unknown>> {
    const place = { namespace: namespaceOf(series), name: series.eventName };
    const body = {
      count: series.count,
      lastTimestamp: timestamp(series.lastAt),
      message: cut(series.note.message),
    };
    return this.#options.client.patch(events, place, { type: 'merge', body });
  }
}

function eventOf(series: Series, component: string, instance: string): Event {
  const { subject, type, reason, message } = series.note;
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: series.eventName, namespace: namespaceOf(series) },
    involvedObject: { ...subject },
    type,
    reason,
    message: cut(message),
    count: series.count,
    firstTimestamp: timestamp(series.firstAt),
    lastTimestamp: timestamp(series.lastAt),
    source: { component },
    reportingComponent: component,
    reportingInstance: instance,
  };
}

/** Events about objects outside of namespaces live in this one. */
function namespaceOf({ note }: Series): string {
  return note.subject.namespace ?? 'default';
}

function cut(message: string): string {
  return message.length > maxMessage ? `${message.slice(0, maxMessage - 3)}...` : message;
}

function isPassing(failure: Failure): boolean {
  return failure.kind === 'retry' || failure.kind === 'tooManyRequests';
}
