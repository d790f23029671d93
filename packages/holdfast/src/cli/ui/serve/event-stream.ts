import type { ServerResponse } from 'node:http';
import type { Clock, Timer } from '../../../kube/time/clock.ts';
import type { UiDelta } from '../../../ui/delta.ts';
import type { UiModel } from '../../../ui/model.ts';
import type { ModelSource } from '../publisher.ts';
import { commonHeaders } from './answers.ts';

/** So much may wait for a page that reads slowly; then it gets the whole model instead, when it has read what it was sent. */
const maxWaitingBytes = 4 * 1024 * 1024;
/** Proxies and sleeping laptops: a page notices a dead connection by a silence that is longer. */
const beatMs = 15_000;

/** The events of one page: first the whole model, then what changes. */
export class EventStream {
  readonly #response: ServerResponse;
  readonly #publisher: ModelSource;
  readonly #clock: Clock;
  readonly #unsubscribe: () => void;
  #isBehind = false;
  #dataKind: string;
  #beat: Timer | undefined;

  constructor(response: ServerResponse, publisher: ModelSource, clock: Clock) {
    this.#response = response;
    this.#publisher = publisher;
    this.#clock = clock;
    response.writeHead(200, { ...commonHeaders, 'content-type': 'text/event-stream; charset=utf-8' });
    this.#dataKind = publisher.model.head.data.kind;
    this.#sendModel();
    this.#unsubscribe = publisher.subscribe({ changed: (delta, model) => this.#changed(delta, model) });
    response.on('drain', () => this.#drained());
    this.#arm();
  }

  close(): void {
    this.#unsubscribe();
    this.#beat?.cancel();
    this.#response.end();
  }

  #changed(delta: UiDelta, model: UiModel): void {
    if (this.#isBehind) return;
    if (this.#response.writableLength > maxWaitingBytes) {
      this.#isBehind = true;
      return;
    }
    this.#send('delta', serialised(delta), delta.to);
    this.#tellOfData(model);
  }

  #drained(): void {
    if (!this.#isBehind) return;
    this.#isBehind = false;
    this.#sendModel();
  }

  #sendModel(): void {
    const { model } = this.#publisher;
    this.#send('snapshot', JSON.stringify(model), model.head.revision);
  }

  /** For readers that want to know no more than whether the data is current. */
  #tellOfData({ head }: UiModel): void {
    if (head.data.kind === this.#dataKind) return;
    this.#dataKind = head.data.kind;
    if (head.data.kind === 'stale') this.#send('stale', JSON.stringify(head.data), head.revision);
    if (head.data.kind === 'live') this.#send('live', '{}', head.revision);
  }

  /** JSON has no line breaks of its own, so that one line is one event. */
  #send(event: string, data: string, revision: number): void {
    this.#response.write(`event: ${event}\nid: ${revision}\ndata: ${data}\n\n`);
  }

  #arm(): void {
    this.#beat = this.#clock.after(beatMs, () => {
      this.#response.write(': still here\n\n');
      this.#arm();
    });
  }
}

/** All pages get the same text. */
const texts = new WeakMap<UiDelta, string>();

function serialised(delta: UiDelta): string {
  const known = texts.get(delta);
  if (known !== undefined) return known;
  const text = JSON.stringify(delta);
  texts.set(delta, text);
  return text;
}
