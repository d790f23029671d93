import type { ServerResponse } from 'node:http';
import { type ApiError, expired, isApiError } from '../errors.ts';
import type { KubeObject } from '../objects.ts';
import { apiVersionOf, convertAll, convertTo } from '../registry/convert.ts';
import { type ListQuery, listObjects, revisionOf, tooNew } from '../registry/list.ts';
import type { Registry } from '../registry/registry.ts';
import { type Matcher, matcherFor } from '../registry/selectors.ts';
import type { Stored, StoreEvent, Subscription } from '../store/store.ts';
import { realClock, type Timer } from '../time/clock.ts';
import { type EncodeOptions, encodeObject, sendsBytes, table } from './encode.ts';
import { LineWriter } from './line-writer.ts';
import { statusBody } from './reply.ts';

export interface WatchRequest {
  readonly list: ListQuery;
  readonly encode: EncodeOptions;
  readonly bookmarks: boolean;
  /** State first, as ADDED events, and then a bookmark that says so. */
  readonly sendInitialEvents: boolean;
  readonly timeoutMs: number;
}

const bookmarkEveryMs = 60_000;

/** Lines of events that are the same for everyone who reads whole objects: written once, sent many times. */
const sharedLines = new WeakMap<StoreEvent, Buffer>();

/** Streams changes until the client goes, falls behind, or its time is up. Resolves when it is over. */
export class WatchStream {
  readonly #registry: Registry;
  readonly #request: WatchRequest;
  readonly #writer: LineWriter;
  readonly #matches: Matcher | undefined;
  readonly #timers: Timer[] = [];
  #subscription: Subscription | undefined;
  #columnsSent = false;
  /** Conversion by webhook takes time; events wait for those before them. */
  #queue: Promise<void> | undefined;

  constructor(registry: Registry, request: WatchRequest, response: ServerResponse) {
    this.#registry = registry;
    this.#request = request;
    this.#matches = matcherFor(request.list.type, request.list.labelSelector, request.list.fieldSelector);
    this.#writer = new LineWriter(
      response,
      () => registry.store.durable(registry.store.revision),
      () => this.#stop(),
    );
  }

  start(): void {
    const { list, sendInitialEvents, timeoutMs } = this.#request;
    const wanted = revisionOf(list.resourceVersion);
    const { store } = this.#registry;
    if (wanted > store.revision) throw tooNew(wanted, store.revision);
    const fromState = sendInitialEvents || wanted === 0;
    this.#writer.open();
    const since = fromState ? this.#sendState() : wanted;
    const subscription = store.watch(list.type.key, since, (event) => this.#onEvent(event));
    if (subscription === 'expired') {
      this.#fail(expired(`too old resource version: ${wanted} (${store.revision})`));
      return;
    }
    this.#subscription = subscription;
    this.#timers.push(realClock.after(timeoutMs, () => this.#writer.end()));
    if (this.#request.bookmarks) this.#bookmarkLater();
  }

  /** The state as it is now, as events; what happens meanwhile waits behind it. */
  #sendState(): number {
    const { list } = this.#request;
    const { revision } = this.#registry.store;
    const now = { ...list, limit: 0, continueToken: '', resourceVersion: '', resourceVersionMatch: '' };
    const { items } = listObjects(this.#registry, now);
    const byWebhook = this.#request.encode.type.conversion.kind === 'webhook';
    this.#writer.begin(byWebhook ? this.#convertedLines(items, revision) : this.#stateLines(items, revision));
    return revision;
  }

  *#stateLines(items: readonly Stored[], revision: number): Iterable<Buffer> {
    for (const stored of items) {
      yield sendsBytes(this.#request.encode, stored)
        ? line('ADDED', stored)
        : this.#line('ADDED', this.#convertNow(stored.object));
    }
    if (this.#request.sendInitialEvents) yield this.#bookmarkLine(revision, { 'k8s.io/initial-events-end': 'true' });
  }

  async *#convertedLines(items: readonly Stored[], revision: number): AsyncIterable<Buffer> {
    const { type } = this.#request.encode;
    const objects = await convertAll(
      type,
      items.map(({ object }) => object),
      apiVersionOf(type),
    );
    for (const object of objects) yield this.#line('ADDED', object);
    if (this.#request.sendInitialEvents) yield this.#bookmarkLine(revision, { 'k8s.io/initial-events-end': 'true' });
  }

  #onEvent(event: StoreEvent): void {
    const { namespace } = this.#request.list;
    if (namespace !== '' && event.stored.object.metadata.namespace !== namespace) return;
    if (this.#matches === undefined) this.#send(event.type, event.stored, event);
    else this.#sendSelected(event, this.#matches);
  }

  #sendSelected(event: StoreEvent, matches: Matcher): void {
    const before = event.previous !== undefined && matches(event.previous.object);
    const now = event.type !== 'DELETED' && matches(event.stored.object);
    const type = before ? 'MODIFIED' : 'ADDED';
    if (now) this.#send(type, event.stored, type === event.type ? event : undefined);
    else if (before) this.#sendGone(event);
  }

  /** It left the selection: the client gets the state it knew, at the revision at which it left. */
  #sendGone(event: StoreEvent): void {
    if (event.type === 'DELETED') {
      this.#send('DELETED', event.stored, event);
      return;
    }
    const known = (event.previous as Stored).object;
    const object = { ...known, metadata: { ...known.metadata, resourceVersion: String(event.revision) } };
    this.#enqueue('DELETED', object);
  }

  #send(type: StoreEvent['type'], stored: Stored, event?: StoreEvent): void {
    if (sendsBytes(this.#request.encode, stored) && this.#queue === undefined) {
      this.#writer.write(event === undefined ? line(type, stored) : sharedLine(event));
    } else {
      this.#enqueue(type, stored.object);
    }
  }

  #enqueue(type: string, object: KubeObject): void {
    const { encode } = this.#request;
    if (encode.type.conversion.kind !== 'webhook') {
      this.#writer.write(this.#line(type, this.#convertNow(object)));
      return;
    }
    this.#queue = (this.#queue ?? Promise.resolve()).then(async () => {
      try {
        this.#writer.write(this.#line(type, await convertTo(encode.type, object, apiVersionOf(encode.type))));
      } catch (error) {
        if (isApiError(error)) this.#fail(error);
        else throw error;
      }
    });
  }

  #convertNow(object: KubeObject): KubeObject {
    const { type } = this.#request.encode;
    const apiVersion = apiVersionOf(type);
    if (object.apiVersion === apiVersion) return object;
    return type.conversion.kind === 'function'
      ? type.conversion.convert(object, apiVersion)
      : { ...object, apiVersion };
  }

  #line(type: string, object: KubeObject): Buffer {
    return Buffer.from(`${JSON.stringify({ type, object: this.#represent(object) })}\n`);
  }

  #represent(object: KubeObject): unknown {
    const encode = { ...this.#request.encode, nowMs: this.#registry.clock.now() };
    if (encode.representation.kind !== 'table') return encodeObject(encode, object);
    // Clients keep the columns of the first table of the stream.
    const withColumns = !this.#columnsSent;
    this.#columnsSent = true;
    const metadata = { resourceVersion: object.metadata.resourceVersion ?? '' };
    return table(encode, encode.representation.version, [object], metadata, withColumns);
  }

  #bookmarkLater(): void {
    const { store } = this.#registry;
    const timer = realClock.after(bookmarkEveryMs, () => {
      this.#writer.write(this.#bookmarkLine(store.revision, undefined));
      this.#bookmarkLater();
    });
    this.#timers[1] = timer;
  }

  #bookmarkLine(revision: number, annotations: Record<string, string> | undefined): Buffer {
    const { type, representation } = this.#request.encode;
    const metadata = {
      resourceVersion: String(revision),
      creationTimestamp: null,
      ...(annotations ? { annotations } : {}),
    };
    const own = { kind: type.kind, apiVersion: apiVersionOf(type), metadata };
    const object =
      representation.kind === 'object'
        ? own
        : representation.kind === 'metadata'
          ? { kind: 'PartialObjectMetadata', apiVersion: `meta.k8s.io/${representation.version}`, metadata }
          : {
              kind: 'Table',
              apiVersion: `meta.k8s.io/${representation.version}`,
              metadata: { resourceVersion: metadata.resourceVersion },
              columnDefinitions: this.#columnsSent ? [] : type.columns.definitions,
              rows: [
                {
                  cells: [],
                  object: {
                    kind: 'PartialObjectMetadata',
                    apiVersion: `meta.k8s.io/${representation.version}`,
                    metadata,
                  },
                },
              ],
            };
    return Buffer.from(`${JSON.stringify({ type: 'BOOKMARK', object })}\n`);
  }

  #fail(error: ApiError): void {
    this.#writer.write(Buffer.from(`${JSON.stringify({ type: 'ERROR', object: statusBody(error) })}\n`));
    this.#writer.end();
  }

  #stop(): void {
    this.#subscription?.stop();
    for (const timer of this.#timers) timer?.cancel();
  }
}

const newline = Buffer.from('}\n');

function line(type: string, stored: Stored): Buffer {
  return Buffer.concat([Buffer.from(`{"type":"${type}","object":`), stored.bytes(), newline]);
}

function sharedLine(event: StoreEvent): Buffer {
  let shared = sharedLines.get(event);
  if (shared === undefined) {
    shared = line(event.type, event.stored);
    sharedLines.set(event, shared);
  }
  return shared;
}
