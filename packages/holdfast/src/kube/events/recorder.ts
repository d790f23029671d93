import type { Event } from 'kubernetes-types/core/v1.js';
import type { KubeClient, ResourceName } from '../client/client.ts';
import type { Failure, Outcome } from '../outcome/failure.ts';
import { printable } from '../outcome/printable.ts';
import { Backoff } from '../time/backoff.ts';
import { type Clock, sleep, timestamp } from '../time/clock.ts';
import type { Random } from '../time/random.ts';

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

/** Tells people what happened. Callers never wait for it, and it drops what it cannot deliver. */
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
      this.#options.report(`too many events wait to be written: ${note.reason} of ${note.subject.name} is dropped`);
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
    // In the same tick as finding nothing more to send: the next event starts a new delivery.
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

/** It may quote an application, a webhook or an annotation. */
function cut(message: string): string {
  const text = printable(message);
  return text.length > maxMessage ? `${text.slice(0, maxMessage - 3)}...` : text;
}

function isPassing(failure: Failure): boolean {
  return failure.kind === 'retry' || failure.kind === 'tooManyRequests';
}

/** When many events say the same, one object says it with a count. Pure: what is remembered goes in and comes out. */

export interface EventSubject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
}

export interface EventNote {
  readonly subject: EventSubject;
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

export interface AggregationLimits {
  /** How many different messages of one reason about one object are told apart. */
  readonly maxMessages: number;
  /** A series ends after this much silence. */
  readonly windowMs: number;
  /** Events about one object: this many at once, then one for each `refillMs`. */
  readonly burst: number;
  readonly refillMs: number;
  /** Objects and series remembered. */
  readonly maxRemembered: number;
}

/** As client-go has them. */
export const aggregationLimits: AggregationLimits = {
  maxMessages: 10,
  windowMs: 600_000,
  burst: 25,
  refillMs: 300_000,
  maxRemembered: 4_096,
};

export interface Series {
  /** Of the event object that shows it. */
  readonly eventName: string;
  readonly note: EventNote;
  readonly firstAt: number;
  readonly lastAt: number;
  readonly count: number;
}

interface Allowance {
  tokens: number;
  at: number;
}

interface Variety {
  messages: Set<string>;
  at: number;
}

/** The name of an event has room for 253 characters. */
const maxSubjectName = 230;

const combined = '(combined from similar events): ';

/** Decides which event object a note belongs to. */
export class EventAggregator {
  readonly #limits: AggregationLimits;
  readonly #allowances = new Map<string, Allowance>();
  readonly #varieties = new Map<string, Variety>();
  readonly #series = new Map<string, Series>();
  #names = 0;

  constructor(limits: AggregationLimits = aggregationLimits) {
    this.#limits = limits;
  }

  /** The series that this note continues or begins. Undefined: there were too many about this object. */
  add(note: EventNote, now: number): Series | undefined {
    const about = subjectKey(note.subject);
    if (!this.#allowed(about, now)) return undefined;
    const kind = JSON.stringify([about, note.type, note.reason]);
    const many = this.#tooVaried(kind, note.message, now);
    const told = many ? { ...note, message: combined + note.message } : note;
    const key = many ? kind : JSON.stringify([kind, note.message]);
    const known = this.#series.get(key);
    if (known === undefined || now - known.lastAt > this.#limits.windowMs) return this.#begin(key, told, now);
    const next = { ...known, note: told, count: known.count + 1, lastAt: now };
    remember(this.#series, key, next, this.#limits.maxRemembered);
    return next;
  }

  #begin(key: string, note: EventNote, now: number): Series {
    this.#names += 1;
    // Time and a counter: names of one process never meet, and those of two hardly ever.
    const unique = (BigInt(Math.floor(now)) * 1_000_000n + BigInt(this.#names % 1_000_000)).toString(16);
    const eventName = `${note.subject.name.slice(0, maxSubjectName)}.${unique}`;
    const series: Series = { eventName, note, firstAt: now, lastAt: now, count: 1 };
    remember(this.#series, key, series, this.#limits.maxRemembered);
    return series;
  }

  #allowed(about: string, now: number): boolean {
    const { burst, refillMs, maxRemembered } = this.#limits;
    const known = this.#allowances.get(about) ?? { tokens: burst, at: now };
    const tokens = Math.min(burst, known.tokens + (now - known.at) / refillMs);
    remember(this.#allowances, about, { tokens: tokens >= 1 ? tokens - 1 : tokens, at: now }, maxRemembered);
    return tokens >= 1;
  }

  #tooVaried(kind: string, message: string, now: number): boolean {
    const { windowMs, maxMessages, maxRemembered } = this.#limits;
    const known = this.#varieties.get(kind);
    const variety =
      known !== undefined && now - known.at <= windowMs ? known : { messages: new Set<string>(), at: now };
    variety.at = now;
    if (variety.messages.size < maxMessages) variety.messages.add(message);
    remember(this.#varieties, kind, variety, maxRemembered);
    return !variety.messages.has(message);
  }
}

function subjectKey({ apiVersion, kind, namespace, name, uid }: EventSubject): string {
  return JSON.stringify([apiVersion, kind, namespace ?? '', name, uid ?? '']);
}

/** A map keeps the order of insertion: the one that was not used for longest goes first. */
function remember<V>(map: Map<string, V>, key: string, value: V, max: number): void {
  map.delete(key);
  map.set(key, value);
  if (map.size <= max) return;
  const [oldest] = map.keys();
  if (oldest !== undefined) map.delete(oldest);
}
