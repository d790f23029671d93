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
