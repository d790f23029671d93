import type { JsonMap } from '../../packages/embedded-cluster/src/patch/json-tree.ts';
import type { Collection, Versions } from './collection.ts';
import { Feed } from './feed.ts';
import { podCount, podNamed } from './fleet.ts';
import { podObject } from './fleet-objects.ts';
import { kinds } from './kinds.ts';

/** The pods: made when a client asks for them. All that is kept of each is what may change. */
export class PodCollection implements Collection {
  readonly kind = kinds.pods;
  readonly feed = new Feed();
  readonly size = podCount;
  readonly #versions: Versions;
  readonly #version = Uint32Array.from({ length: podCount }, (_, pod) => 1_000 + pod);
  readonly #ready = new Uint8Array(podCount).fill(1);
  readonly #life = new Uint32Array(podCount);

  constructor(versions: Versions) {
    this.#versions = versions;
  }

  *texts(from: number, to: number): Iterable<string> {
    for (let pod = from; pod < Math.min(to, podCount); pod += 1) yield this.#text(pod);
  }

  get(namespace: string | undefined, name: string): JsonMap | undefined {
    const pod = podNamed(namespace ?? '', name);
    return pod === undefined ? undefined : { apiVersion: 'v1', kind: 'Pod', ...this.object(pod) };
  }

  object(pod: number): JsonMap {
    return podObject(pod, {
      ready: this.isReady(pod),
      version: this.#version[pod] ?? 0,
      life: this.#life[pod] ?? 0,
    });
  }

  put(_namespace: string | undefined, name: string): JsonMap {
    throw new Error(`pods are not written here: ${name}`);
  }

  /** A controller replaces it at once, under the same name: there is always one more to ask for. */
  delete(namespace: string | undefined, name: string): JsonMap | undefined {
    const pod = podNamed(namespace ?? '', name);
    if (pod === undefined) return undefined;
    this.#version[pod] = this.#versions.next();
    const gone = this.object(pod);
    this.#emit('DELETED', pod);
    this.#life[pod] = (this.#life[pod] ?? 0) + 1;
    this.#version[pod] = this.#versions.next();
    this.#emit('ADDED', pod);
    return gone;
  }

  isReady(pod: number): boolean {
    return this.#ready[pod] === 1;
  }

  setReady(pod: number, ready: boolean): void {
    this.#ready[pod] = ready ? 1 : 0;
    this.#version[pod] = this.#versions.next();
    this.#emit('MODIFIED', pod);
  }

  #emit(type: 'ADDED' | 'MODIFIED' | 'DELETED', pod: number): void {
    this.feed.emit({ type, version: this.#version[pod] ?? 0, text: this.#text(pod) });
  }

  #text(pod: number): string {
    return JSON.stringify(this.object(pod));
  }
}
