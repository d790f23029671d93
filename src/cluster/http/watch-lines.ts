import type { ApiError } from '../errors.ts';
import type { JsonObject, KubeObject } from '../objects.ts';
import { apiVersionOf } from '../registry/convert.ts';
import type { Stored, StoreEvent } from '../store/store.ts';
import type { Clock } from '../time/clock.ts';
import { type EncodeOptions, encodeObject, partialMetadata, sendsBytes, table } from './encode.ts';
import { statusBody } from './reply.ts';

/** Lines of events that are the same for everyone who reads whole objects: written once, sent many times. */
const sharedLines = new WeakMap<StoreEvent, Buffer>();

/** The events of one stream as lines of JSON, in the representation that its client asked for. */
export class WatchLines {
  readonly #encode: EncodeOptions;
  readonly #clock: Clock;
  #columnsSent = false;

  constructor(encode: EncodeOptions, clock: Clock) {
    this.#encode = encode;
    this.#clock = clock;
  }

  /** The line of a stored object as it is kept; undefined where it has to be converted or represented otherwise. */
  ofStored(type: string, stored: Stored, event?: StoreEvent): Buffer | undefined {
    if (!sendsBytes(this.#encode, stored)) return undefined;
    return event === undefined ? storedLine(type, stored) : sharedLine(event);
  }

  /** Of an object that is in the client's version already. */
  ofObject(type: string, object: KubeObject): Buffer {
    return jsonLine(type, this.#represent(object));
  }

  ofError(error: ApiError): Buffer {
    return jsonLine('ERROR', statusBody(error));
  }

  ofBookmark(revision: number, annotations: Record<string, string> | undefined): Buffer {
    const { type } = this.#encode;
    const metadata = {
      resourceVersion: String(revision),
      creationTimestamp: null,
      ...(annotations ? { annotations } : {}),
    };
    const object = { kind: type.kind, apiVersion: apiVersionOf(type), metadata } as unknown as KubeObject;
    return jsonLine('BOOKMARK', this.#representBookmark(object));
  }

  #represent(object: KubeObject): unknown {
    const { representation } = this.#encode;
    const encode = { ...this.#encode, nowMs: this.#clock.now() };
    if (representation.kind !== 'table') return encodeObject(encode, object);
    const metadata = { resourceVersion: object.metadata.resourceVersion ?? '' };
    return table(encode, representation.version, [object], metadata, this.#firstTable());
  }

  /** A bookmark has nothing to show in columns, but its metadata matters. */
  #representBookmark(object: KubeObject): unknown {
    const { representation, type } = this.#encode;
    if (representation.kind !== 'table') return encodeObject(this.#encode, object);
    const { version } = representation;
    return {
      kind: 'Table',
      apiVersion: `meta.k8s.io/${version}`,
      metadata: { resourceVersion: object.metadata.resourceVersion },
      columnDefinitions: this.#firstTable() ? type.columns.definitions : null,
      rows: [{ cells: [], object: partialMetadata(object, version) }],
    };
  }

  /** Clients keep the columns of the first table of the stream. */
  #firstTable(): boolean {
    const first = !this.#columnsSent;
    this.#columnsSent = true;
    return first;
  }
}

function jsonLine(type: string, object: unknown): Buffer {
  const event: JsonObject = { type, object };
  return Buffer.from(`${JSON.stringify(event)}\n`);
}

const end = Buffer.from('}\n');

function storedLine(type: string, stored: Stored): Buffer {
  return Buffer.concat([Buffer.from(`{"type":"${type}","object":`), stored.bytes(), end]);
}

function sharedLine(event: StoreEvent): Buffer {
  let shared = sharedLines.get(event);
  if (shared === undefined) {
    shared = storedLine(event.type, event.stored);
    sharedLines.set(event, shared);
  }
  return shared;
}
