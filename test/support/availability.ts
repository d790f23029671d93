import type { IncomingMessage } from 'node:http';
import type { TestCluster } from './cluster.ts';
import type { Body, WatchEvent } from './kube-http.ts';

/** What is counted, and how: by an observer that shares nothing with the code under test but the API server. */
export interface AvailabilityWish {
  readonly namespace: string;
  /** A label selector, as kubectl takes it. Default: every pod. */
  readonly selector?: string;
  /** The unit that a pod belongs to; undefined: it is not counted. Default: each pod is one. */
  readonly unitOf?: (pod: Body) => string | undefined;
  /** Available pods that a unit needs to be available. Default: 1. */
  readonly minimum?: number;
}

/** The state after one change of one pod. */
export interface Moment {
  readonly resourceVersion: string;
  readonly change: string;
  readonly available: number;
}

export interface AvailabilityObserver {
  /** Now, as far as the watch came. */
  readonly available: number;
  /** The lowest number since the start, or since `reset`. */
  readonly lowest: number;
  /** Everything that changed since then, in the order in which the API server says that it happened. */
  readonly moments: readonly Moment[];
  /** Times that the watch broke and what happened meanwhile may not have been seen one by one. */
  readonly gaps: number;
  /** Resolves when everything that is so now has been seen. */
  caughtUp(): Promise<void>;
  /** From here on; what is available now counts as the lowest. */
  reset(): void;
  /** The changes around the lowest number, for the text of a failure. */
  describe(): string;
  close(): void;
}

type Server = Pick<TestCluster, 'request' | 'open'>;

/** Groups by the value of a label. */
export function byLabel(key: string): (pod: Body) => string | undefined {
  return (pod) => pod.metadata.labels?.[key];
}

export function isReady(pod: Body): boolean {
  const conditions = (pod.status?.['conditions'] ?? []) as readonly { type: string; status: string }[];
  return conditions.some((one) => one.type === 'Ready' && one.status === 'True');
}

/** Ready, and not going. */
function isServing(pod: Body): boolean {
  return pod.metadata.deletionTimestamp === undefined && isReady(pod);
}

/** Watches pods by itself and keeps count. Resolves when it has seen what is there. */
export async function observeAvailability(server: Server, wish: AvailabilityWish): Promise<AvailabilityObserver> {
  const observer = new PodWatch(server, wish);
  await observer.start();
  return observer;
}

interface Seen {
  readonly resourceVersion: string;
  readonly unit: string | undefined;
  readonly serving: boolean;
}

class PodWatch implements AvailabilityObserver {
  readonly #server: Server;
  readonly #path: string;
  readonly #unitOf: (pod: Body) => string | undefined;
  readonly #minimum: number;
  readonly #pods = new Map<string, Seen>();
  #moments: Moment[] = [];
  #lowest = 0;
  #gaps = 0;
  #closed = false;
  /** How far the watch came. */
  #version = '0';
  #watch: IncomingMessage | undefined;

  constructor(server: Server, { namespace, selector, unitOf, minimum }: AvailabilityWish) {
    this.#server = server;
    const query = selector === undefined ? '' : `?labelSelector=${encodeURIComponent(selector)}`;
    this.#path = `/api/v1/namespaces/${namespace}/pods${query}`;
    this.#unitOf = unitOf ?? ((pod) => pod.metadata.name);
    this.#minimum = minimum ?? 1;
  }

  async start(): Promise<void> {
    const version = await this.#list();
    this.reset();
    this.#follow(version, await this.#open(version));
  }

  get available(): number {
    const units = new Map<string, number>();
    for (const { unit, serving } of this.#pods.values()) {
      if (unit !== undefined && serving) units.set(unit, (units.get(unit) ?? 0) + 1);
    }
    return [...units.values()].filter((count) => count >= this.#minimum).length;
  }

  get lowest(): number {
    return this.#lowest;
  }

  get moments(): readonly Moment[] {
    return this.#moments;
  }

  get gaps(): number {
    return this.#gaps;
  }

  async caughtUp(): Promise<void> {
    const { body } = await this.#server.request('GET', this.#path);
    const there = new Map(body.items.map((pod) => [pod.metadata.uid, pod.metadata.resourceVersion]));
    const end = performance.now() + 10_000;
    while (this.#isBehind(there, body.metadata.resourceVersion)) {
      if (performance.now() > end) throw new Error(`the observer of ${this.#path} does not catch up`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  reset(): void {
    this.#moments = [];
    this.#lowest = this.available;
  }

  describe(): string {
    const worst = this.#moments.findIndex(({ available }) => available === this.#lowest);
    const lines = this.#moments
      .slice(Math.max(0, worst - 40), worst + 10)
      .map((one) => `${one.resourceVersion}: ${one.change}, ${one.available} available`);
    return [`lowest ${this.#lowest}, ${this.#gaps} gaps`, ...lines].join('\n');
  }

  close(): void {
    this.#closed = true;
    this.#watch?.destroy();
  }

  /** A pod that was listed and is newer than what was seen, or one that was seen, is older than the list and is not in it. */
  #isBehind(there: ReadonlyMap<string, string>, version: string): boolean {
    for (const [uid, listed] of there) {
      const seen = this.#pods.get(uid);
      if (seen === undefined ? isNewer(listed, this.#version) : isNewer(listed, seen.resourceVersion)) return true;
    }
    return [...this.#pods].some(([uid, seen]) => !there.has(uid) && !isNewer(seen.resourceVersion, version));
  }

  async #list(): Promise<string> {
    const { code, body, text } = await this.#server.request('GET', this.#path);
    if (code !== 200) throw new Error(`cannot list ${this.#path}: ${code} ${text}`);
    this.#pods.clear();
    for (const pod of body.items) this.#pods.set(pod.metadata.uid, this.#seen(pod));
    this.#version = body.metadata.resourceVersion;
    return this.#version;
  }

  async #open(version: string): Promise<IncomingMessage> {
    const mark = this.#path.includes('?') ? '&' : '?';
    const path = `${this.#path}${mark}watch=true&allowWatchBookmarks=true&resourceVersion=${version}`;
    const response = await this.#server.open('GET', path);
    if (response.statusCode === 200) return response;
    response.resume();
    throw new Error(`cannot watch ${path}: ${response.statusCode}`);
  }

  #follow(from: string, response: IncomingMessage): void {
    let version = from;
    let expired = false;
    let rest = '';
    this.#watch = response;
    response.setEncoding('utf8');
    response.on('data', (text: string) => {
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines.filter((one) => one !== '')) {
        const event = JSON.parse(line) as WatchEvent;
        if (event.type === 'ERROR') expired = true;
        else version = this.#take(event);
      }
    });
    response.on('error', () => undefined);
    response.on('close', () => void this.#again(version, expired));
  }

  /** From where the last watch ended: nothing is missed, unless the server no longer knows that far back. */
  async #again(version: string, expired: boolean): Promise<void> {
    while (!this.#closed) {
      try {
        const from = expired ? await this.#relist() : version;
        const response = await this.#open(from);
        if (this.#closed) return void response.destroy();
        return this.#follow(from, response);
      } catch {
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    }
  }

  async #relist(): Promise<string> {
    this.#gaps += 1;
    const version = await this.#list();
    this.#note(version, 'everything was listed again');
    return version;
  }

  #take({ type, object }: WatchEvent): string {
    const { uid, name, resourceVersion } = object.metadata;
    this.#version = resourceVersion;
    if (type === 'BOOKMARK') return resourceVersion;
    const before = this.#pods.get(uid);
    if (type === 'DELETED') this.#pods.delete(uid);
    else this.#pods.set(uid, this.#seen(object));
    const serves = type !== 'DELETED' && isServing(object);
    if (before?.serving !== serves) this.#note(resourceVersion, `${name} ${serves ? 'serves' : 'does not serve'}`);
    else this.#note(resourceVersion, `${type} ${name}`);
    return resourceVersion;
  }

  #note(resourceVersion: string, change: string): void {
    const { available } = this;
    this.#moments.push({ resourceVersion, change, available });
    this.#lowest = Math.min(this.#lowest, available);
  }

  #seen(pod: Body): Seen {
    return { resourceVersion: pod.metadata.resourceVersion, unit: this.#unitOf(pod), serving: isServing(pod) };
  }
}

function isNewer(one: string, other: string): boolean {
  return BigInt(one) > BigInt(other);
}
