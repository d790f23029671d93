import type { IncomingMessage, ServerResponse } from 'node:http';
import { json, status } from './server.ts';

export interface FakePod {
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly uid: string;
    readonly resourceVersion: string;
  };
  readonly spec: { readonly nodeName: string };
}

interface Event {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: FakePod;
  readonly version: number;
}

/** What may go wrong with the next watch, after its first events, or instead of it. */
export type Fault =
  | 'reset'
  | 'refuse'
  | 'expire'
  | 'expireInside'
  | 'stall'
  | 'garble'
  | 'failInside'
  | 'cut'
  | 'end'
  | 'throttle';

/** A collection of pods behind a server that misbehaves on request. */
export class FakeCollection {
  readonly #pods = new Map<string, FakePod>();
  readonly #log: Event[] = [];
  readonly #watches = new Set<(event: Event) => void>();
  readonly #open = new Set<ServerResponse>();
  /** Consumed one by one, by watches. */
  readonly faults: Fault[] = [];
  watchList: 'yes' | 'refuse' | 'ignore' = 'yes';
  /** Events before this are forgotten. */
  #oldest = 0;
  #version = 100;
  #uid = 0;

  get version(): string {
    return String(this.#version);
  }

  names(): string[] {
    return [...this.#pods.values()].map((pod) => `${pod.metadata.name}@${pod.metadata.resourceVersion}`).sort();
  }

  set(name: string, nodeName = 'n1'): void {
    const known = this.#pods.get(name);
    this.#version += 1;
    if (known === undefined) this.#uid += 1;
    const uid = known?.metadata.uid ?? `u${this.#uid}`;
    const metadata = { name, namespace: 'shop', uid, resourceVersion: this.version };
    const object = { metadata, spec: { nodeName } };
    this.#pods.set(name, object);
    this.#emit({ type: known === undefined ? 'ADDED' : 'MODIFIED', object, version: this.#version });
  }

  delete(name: string): void {
    const known = this.#pods.get(name);
    if (known === undefined) return;
    this.#version += 1;
    this.#pods.delete(name);
    const object = { ...known, metadata: { ...known.metadata, resourceVersion: this.version } };
    this.#emit({ type: 'DELETED', object, version: this.#version });
  }

  /** Something else in the cluster changed. */
  bookmark(): void {
    this.#version += 1;
    for (const response of this.#open) response.write(bookmarkLine(this.version, false));
  }

  compact(): void {
    this.#oldest = this.#version;
  }

  breakWatches(): void {
    for (const response of this.#open) response.destroy();
  }

  get watching(): number {
    return this.#open.size;
  }

  readonly handle = (request: IncomingMessage, response: ServerResponse): void => {
    const query = new URL(request.url ?? '', 'http://x').searchParams;
    if (query.get('watch') === 'true') this.#watch(query, response);
    else json(response, 200, { metadata: { resourceVersion: this.version }, items: [...this.#pods.values()] });
  };

  #watch(query: URLSearchParams, response: ServerResponse): void {
    const initial = query.get('sendInitialEvents') === 'true';
    const since = Number(query.get('resourceVersion') ?? 0);
    const fault = initial && this.watchList === 'refuse' ? undefined : this.faults.shift();
    const refusal = this.#refusal(initial, since, fault);
    if (refusal !== undefined) {
      json(response, refusal.code, status(refusal.code, refusal.reason), { 'retry-after': '0' });
      return;
    }
    response.writeHead(200);
    response.flushHeaders();
    if (initial) this.#sendState(response);
    for (const event of this.#log) if (!initial && event.version > since) response.write(line(event));
    if (fault === undefined) this.#follow(response);
    else misbehave(fault, response);
  }

  #refusal(initial: boolean, since: number, fault: Fault | undefined) {
    if (initial && this.watchList === 'refuse') return { code: 422, reason: 'Invalid' };
    if (fault === 'refuse') return { code: 503, reason: 'ServiceUnavailable' };
    if (fault === 'throttle') return { code: 429, reason: 'TooManyRequests' };
    const gone = fault === 'expire' || (!initial && since < this.#oldest);
    return gone ? { code: 410, reason: 'Expired' } : undefined;
  }

  #follow(response: ServerResponse): void {
    const follow = (event: Event) => void response.write(line(event));
    this.#watches.add(follow);
    this.#open.add(response);
    response.on('close', () => {
      this.#watches.delete(follow);
      this.#open.delete(response);
    });
  }

  #sendState(response: ServerResponse): void {
    for (const object of this.#pods.values()) response.write(line({ type: 'ADDED', object, version: 0 }));
    if (this.watchList === 'yes') response.write(bookmarkLine(this.version, true));
  }

  #emit(event: Event): void {
    this.#log.push(event);
    for (const watch of this.#watches) watch(event);
  }
}

function misbehave(fault: Fault, response: ServerResponse): void {
  switch (fault) {
    case 'reset':
      response.socket?.resetAndDestroy();
      return;
    case 'expireInside':
      response.end(`${JSON.stringify({ type: 'ERROR', object: status(410, 'Expired', 'too old') })}\n`);
      return;
    case 'failInside':
      response.end(`${JSON.stringify({ type: 'ERROR', object: status(500, 'InternalError', 'decode') })}\n`);
      return;
    case 'garble':
      response.write('{"type":"ADDED","obj\u0000\n');
      return;
    case 'cut':
      response.end('{"type":"ADDED","object":{"metadata"');
      return;
    case 'end':
      response.end();
      return;
    default:
      // It stalls: nothing ever comes.
      return;
  }
}

function line({ type, object }: Event): string {
  return `${JSON.stringify({ type, object })}\n`;
}

function bookmarkLine(resourceVersion: string, end: boolean): string {
  const annotations = end ? { annotations: { 'k8s.io/initial-events-end': 'true' } } : {};
  return `${JSON.stringify({ type: 'BOOKMARK', object: { metadata: { resourceVersion, ...annotations } } })}\n`;
}
