/** Decides what becomes of a report: a new event, one more of a known one, or nothing because there are too many. */

export interface Report {
  readonly involved: string;
  readonly type: string;
  readonly reason: string;
  readonly message: string;
}

export type Correlation =
  | { readonly kind: 'drop' }
  | { readonly kind: 'create'; readonly key: string; readonly message: string }
  | { readonly kind: 'repeat'; readonly key: string; readonly message: string; readonly name: string };

interface Similar {
  readonly messages: Set<string>;
  lastMs: number;
}

/** Objects and events remembered at most; the oldest are forgotten. */
const remembered = 4096;
const burst = 25;
const refillMs = 300_000;
const similarLimit = 10;
const similarWindowMs = 600_000;

export class EventCorrelator {
  readonly #names = new Map<string, string>();
  readonly #similar = new Map<string, Similar>();
  readonly #tokens = new Map<string, { tokens: number; atMs: number }>();

  correlate(report: Report, nowMs: number): Correlation {
    const group = JSON.stringify([report.involved, report.type, report.reason]);
    const combined = this.#isCombined(group, report.message, nowMs);
    const key = combined ? group : JSON.stringify([group, report.message]);
    const message = combined ? `(combined from similar events): ${report.message}` : report.message;
    if (!this.#allow(report.involved, nowMs)) return { kind: 'drop' };
    const name = this.#names.get(key);
    return name === undefined ? { kind: 'create', key, message } : { kind: 'repeat', key, message, name };
  }

  created(key: string, name: string): void {
    put(this.#names, key, name);
  }

  forget(key: string): void {
    this.#names.delete(key);
  }

  /** Ten different messages for one reason within ten minutes: the next ones share one event. */
  #isCombined(group: string, message: string, nowMs: number): boolean {
    let similar = this.#similar.get(group);
    if (similar === undefined || nowMs - similar.lastMs > similarWindowMs) similar = { messages: new Set(), lastMs: 0 };
    similar.lastMs = nowMs;
    put(this.#similar, group, similar);
    if (similar.messages.has(message)) return false;
    if (similar.messages.size >= similarLimit) return true;
    similar.messages.add(message);
    return false;
  }

  #allow(involved: string, nowMs: number): boolean {
    const bucket = this.#tokens.get(involved) ?? { tokens: burst, atMs: nowMs };
    const tokens = Math.min(burst, bucket.tokens + (nowMs - bucket.atMs) / refillMs);
    put(this.#tokens, involved, { tokens: tokens >= 1 ? tokens - 1 : tokens, atMs: nowMs });
    return tokens >= 1;
  }
}

function put<T>(map: Map<string, T>, key: string, value: T): void {
  map.delete(key);
  map.set(key, value);
  if (map.size <= remembered) return;
  const oldest = map.keys().next();
  if (!oldest.done) map.delete(oldest.value);
}
