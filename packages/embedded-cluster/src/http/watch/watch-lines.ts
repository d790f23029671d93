import type { ApiError } from '../../errors.ts';
import type { JsonObject, KubeObject } from '../../objects.ts';
import { encodeEvent } from '../../protobuf/answers.ts';
import { protobufMediaType } from '../../protobuf/protobuf.ts';
import { apiVersionOf } from '../../registry/convert.ts';
import type { Stored, StoreEvent } from '../../store/store.ts';
import type { Clock } from '../../time/clock.ts';
import { type EncodeOptions, encodeObject, partialMetadata, sendsAsKept, sendsBytes, table } from '../encode.ts';
import { statusBody } from '../reply.ts';

/** Events are the same for all clients that read whole objects in the same format: written once, sent many times. */
const sharedLines = new WeakMap<StoreEvent, Buffer>();
const sharedFrames = new WeakMap<StoreEvent, Buffer>();

/** The events of one stream, in the representation that its client asked for: lines of JSON, or frames of protobuf. */
export class WatchLines {
  readonly #encode: EncodeOptions;
  readonly #clock: Clock;
  readonly #inProtobuf: boolean;
  #columnsSent = false;

  constructor(encode: EncodeOptions, clock: Clock) {
    this.#encode = encode;
    this.#clock = clock;
    const { representation } = encode;
    this.#inProtobuf = representation.kind !== 'table' && representation.format === 'protobuf';
  }

  get contentType(): string {
    return this.#inProtobuf ? `${protobufMediaType};stream=watch` : 'application/json';
  }

  /** The line of a stored object as it is kept; undefined where it has to be converted or represented otherwise. */
  ofStored(type: string, stored: Stored, event?: StoreEvent): Buffer | undefined {
    if (this.#inProtobuf) return this.#frameOf(type, stored, event);
    if (!sendsBytes(this.#encode, stored)) return undefined;
    return event === undefined ? storedLine(type, stored) : shared(sharedLines, event, storedLine);
  }

  #frameOf(type: string, stored: Stored, event?: StoreEvent): Buffer | undefined {
    if (this.#encode.representation.kind !== 'object' || !sendsAsKept(this.#encode, stored)) return undefined;
    return event === undefined ? storedFrame(type, stored) : shared(sharedFrames, event, storedFrame);
  }

  /** Of an object that is in the client's version already. */
  ofObject(type: string, object: KubeObject): Buffer {
    return this.#line(type, this.#represent(object));
  }

  ofError(error: ApiError): Buffer {
    return this.#line('ERROR', statusBody(error));
  }

  ofBookmark(revision: number, annotations: Record<string, string> | undefined): Buffer {
    const { type } = this.#encode;
    const metadata = {
      resourceVersion: String(revision),
      creationTimestamp: null,
      ...(annotations ? { annotations } : {}),
    };
    const object = { kind: type.kind, apiVersion: apiVersionOf(type), metadata } as unknown as KubeObject;
    return this.#line('BOOKMARK', this.#representBookmark(object));
  }

  #line(type: string, object: unknown): Buffer {
    return this.#inProtobuf ? encodeEvent(type, object) : jsonLine(type, object);
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

function storedFrame(type: string, stored: Stored): Buffer {
  return encodeEvent(type, stored.object);
}

function shared(
  known: WeakMap<StoreEvent, Buffer>,
  event: StoreEvent,
  make: (type: string, stored: Stored) => Buffer,
): Buffer {
  let made = known.get(event);
  if (made === undefined) {
    made = make(event.type, event.stored);
    known.set(event, made);
  }
  return made;
}
