import type { ServerResponse } from 'node:http';
import { type ApiError, expired, internalError, isApiError } from '../../errors.ts';
import type { KubeObject } from '../../objects.ts';
import { apiVersionOf, convertAll, convertNow, convertTo } from '../../registry/convert.ts';
import { type ListQuery, listObjects, listRevisionOf, tooNew } from '../../registry/list.ts';
import type { Registry } from '../../registry/registry.ts';
import { matcherFor, type ObjectMatcher } from '../../registry/selectors.ts';
import type { Stored, StoreEvent, Subscription } from '../../store/store.ts';
import type { Timer } from '../../time/clock.ts';
import type { EncodeOptions } from '../encode.ts';
import { LineWriter } from './line-writer.ts';
import { WatchLines } from './watch-lines.ts';

export interface WatchRequest {
  readonly list: ListQuery;
  readonly encode: EncodeOptions;
  readonly bookmarks: boolean;
  /** State first, as ADDED events. Left out: only for a client that names no revision. */
  readonly sendInitialEvents?: boolean;
  readonly timeoutMs: number;
}

const bookmarkEveryMs = 60_000;
/** The last bookmark comes so long before the end: who watches again begins where this ended. */
const lastBookmarkMs = 2_000;
const initialEventsEnd = { 'k8s.io/initial-events-end': 'true' };

/** Streams changes until the client goes, falls behind, or its time is up. */
export class WatchStream {
  readonly #registry: Registry;
  readonly #request: WatchRequest;
  readonly #writer: LineWriter;
  readonly #lines: WatchLines;
  readonly #matches: ObjectMatcher | undefined;
  readonly #timers = new Map<'end' | 'bookmark', Timer>();
  #subscription: Subscription | undefined;
  #endsAtMs = 0;
  /** Conversion by webhook takes time; events wait for those before them. */
  #queue: Promise<void> | undefined;

  constructor(registry: Registry, request: WatchRequest, response: ServerResponse) {
    const { list } = request;
    this.#registry = registry;
    this.#request = request;
    this.#matches = matcherFor(list.type, list.labelSelector, list.fieldSelector);
    this.#lines = new WatchLines(request.encode, registry.clock);
    const settled = () => registry.store.durable(registry.store.revision);
    this.#writer = new LineWriter(response, registry.wire, settled, () => this.#stop());
  }

  start(): void {
    // The client went before its watch began, and nothing would ever end it.
    if (this.#writer.isDone) return;
    const { list, sendInitialEvents, timeoutMs } = this.#request;
    const wanted = listRevisionOf(list.resourceVersion);
    const { store } = this.#registry;
    this.#writer.open(this.#lines.contentType);
    const sendsState = sendInitialEvents ?? wanted === 0;
    if (sendsState && wanted > store.revision) {
      this.#fail(tooNew(wanted, store.revision));
      return;
    }
    const since = sendsState ? this.#sendState() : wanted || store.revision;
    const subscription = store.watch(list.type.key, since, (event) => this.#onEvent(event));
    if (subscription === 'expired') {
      this.#fail(expired(`too old resource version: ${wanted} (${store.revision})`));
      return;
    }
    this.#subscription = subscription;
    const { clock } = this.#registry.wire;
    this.#endsAtMs = clock.now() + timeoutMs;
    const end = clock.after(timeoutMs, () => this.#writer.end());
    this.#timers.set('end', end);
    if (this.#request.bookmarks) this.#bookmarkLater(since);
  }

  /** The state as it is now, as events; what happens meanwhile waits behind it. */
  #sendState(): number {
    const { list, encode } = this.#request;
    const { revision } = this.#registry.store;
    const now = { ...list, limit: 0, continueToken: '', resourceVersion: '', resourceVersionMatch: '' };
    const { items } = listObjects(this.#registry, now);
    const byWebhook = encode.type.conversion.kind === 'webhook';
    this.#writer.begin(byWebhook ? this.#convertedState(items, revision) : this.#state(items, revision));
    return revision;
  }

  *#state(items: readonly Stored[], revision: number): Iterable<Buffer> {
    for (const stored of items) {
      yield this.#lines.ofStored('ADDED', stored) ?? this.#lines.ofObject('ADDED', this.#convertNow(stored.object));
    }
    if (this.#request.bookmarks) yield this.#lines.ofBookmark(revision, initialEventsEnd);
  }

  async *#convertedState(items: readonly Stored[], revision: number): AsyncIterable<Buffer> {
    const { type } = this.#request.encode;
    const kept = items.map(({ object }) => object);
    for (const object of await convertAll(type, kept, apiVersionOf(type))) yield this.#lines.ofObject('ADDED', object);
    if (this.#request.bookmarks) yield this.#lines.ofBookmark(revision, initialEventsEnd);
  }

  /** A watch that could not tell something ends: its client must not believe that it has heard everything. */
  #onEvent(event: StoreEvent): void {
    const { namespace } = this.#request.list;
    if (namespace !== '' && event.stored.object.metadata.namespace !== namespace) return;
    try {
      if (this.#matches === undefined) this.#send(event.type, event.stored, event);
      else this.#sendSelected(event, this.#matches);
    } catch (error) {
      this.#fail(internalError('the object cannot be encoded', error));
      this.#subscription?.stop();
    }
  }

  #sendSelected(event: StoreEvent, matches: ObjectMatcher): void {
    const before = event.previous !== undefined && matches(event.previous.object);
    const now = event.type !== 'DELETED' && matches(event.stored.object);
    const type = before ? 'MODIFIED' : 'ADDED';
    if (now) this.#send(type, event.stored, type === event.type ? event : undefined);
    else if (before && event.type === 'DELETED') this.#send('DELETED', event.stored, event);
    else if (before) this.#sendLeft(event);
  }

  /** It left the selection: the client gets the state it knew, at the revision at which it left. */
  #sendLeft(event: StoreEvent): void {
    const known = (event.previous as Stored).object;
    this.#convertAndSend('DELETED', {
      ...known,
      metadata: { ...known.metadata, resourceVersion: String(event.revision) },
    });
  }

  #send(type: StoreEvent['type'], stored: Stored, event?: StoreEvent): void {
    const line = this.#queue === undefined ? this.#lines.ofStored(type, stored, event) : undefined;
    if (line) this.#writer.write(line);
    else this.#convertAndSend(type, stored.object);
  }

  #convertAndSend(type: string, object: KubeObject): void {
    const { encode } = this.#request;
    if (encode.type.conversion.kind !== 'webhook') {
      this.#writer.write(this.#lines.ofObject(type, this.#convertNow(object)));
      return;
    }
    this.#queue = (this.#queue ?? Promise.resolve()).then(async () => {
      try {
        const converted = await convertTo(encode.type, object, apiVersionOf(encode.type));
        this.#writer.write(this.#lines.ofObject(type, converted));
      } catch (error) {
        this.#fail(isApiError(error) ? error : internalError('the object cannot be converted', error));
      }
    });
  }

  #convertNow(object: KubeObject): KubeObject {
    const { type } = this.#request.encode;
    return convertNow(type, object, apiVersionOf(type));
  }

  /** Never of a revision before `since`, which may be one of the future. */
  #bookmarkLater(since: number): void {
    const { clock } = this.#registry.wire;
    const untilLast = this.#endsAtMs - lastBookmarkMs - clock.now();
    const wait = untilLast > 0 ? Math.min(bookmarkEveryMs, untilLast) : bookmarkEveryMs;
    const bookmark = () => {
      const revision = Math.max(since, this.#registry.store.revision);
      this.#writer.write(this.#lines.ofBookmark(revision, undefined));
      this.#bookmarkLater(since);
    };
    this.#timers.set('bookmark', clock.after(wait, bookmark));
  }

  #fail(error: ApiError): void {
    this.#writer.write(this.#lines.ofError(error));
    this.#writer.end();
  }

  #stop(): void {
    this.#subscription?.stop();
    for (const timer of this.#timers.values()) timer.cancel();
  }
}
