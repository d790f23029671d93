import type { Fields } from '@holdfast/base/json';
import type { KubeClient, ResourceName, Selection } from '../kube/client/client.ts';
import { list } from '../kube/client/list.ts';
import { Discovery, type KindResource } from '../kube/discovery/discovery.ts';
import { type Outcome, succeeded } from '../kube/outcome/failure.ts';
import { type Clock, sleep } from '../kube/time/clock.ts';
import { groupVersion, type ObjectRef } from './object-ref.ts';

export interface ApiOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  /** Aborted when the user gives up. */
  readonly signal: AbortSignal;
  /** Removals are dry runs: the server checks them, and nothing happens. */
  readonly dryRun?: boolean;
}

/** Objects of ours on a cluster of which nothing is known: kinds are looked up, and what may pass is tried again. */
export class ClusterApi {
  readonly #options: ApiOptions;
  readonly #discovery: Discovery;

  constructor(options: ApiOptions) {
    this.#options = options;
    this.#discovery = new Discovery(options);
  }

  get clock(): Clock {
    return this.#options.clock;
  }

  get signal(): AbortSignal {
    return this.#options.signal;
  }

  get dryRun(): boolean {
    return this.#options.dryRun === true;
  }

  /** Not found: the server does not have that kind. */
  resourceOf({ apiVersion, kind }: { readonly apiVersion: string; readonly kind: string }) {
    const [group, version] = groupVersion(apiVersion);
    return this.#again<KindResource>(() => this.#discovery.resourceOf({ group, version, kind }));
  }

  /** Undefined: it is not there. */
  async find<T = Fields>(resource: ResourceName, place: RefPlace): Promise<Outcome<T | undefined>> {
    const { client, signal } = this.#options;
    const found = await this.#again(() => client.get<T>(resource, place, { signal }));
    return !found.ok && found.failure.kind === 'notFound' ? succeeded(undefined) : found;
  }

  /** Server-side apply, as the owner of every field that is in the body. Doing it twice is doing it once. */
  apply(resource: ResourceName, place: RefPlace, body: object, dryRun: boolean): Promise<Outcome<Fields>> {
    const { client, signal } = this.#options;
    const patch = { type: 'apply', body, fieldManager, force: true } as const;
    const options = { dryRun, fieldValidation: 'Strict', signal } as const;
    return this.#again(() => client.patch<Fields>(resource, place, patch, options));
  }

  /** Only that very object, and none that came in its place. What is gone already is deleted. */
  async remove(
    resource: ResourceName,
    place: RefPlace,
    uid: string,
    propagation: Propagation,
  ): Promise<Outcome<unknown>> {
    const { client, signal } = this.#options;
    const dryRun = this.dryRun ? { dryRun: ['All'] } : {};
    const body = { preconditions: { uid }, propagationPolicy: propagation, ...dryRun };
    const removed = await this.#again(() => client.delete(resource, place, body, { signal }));
    return !removed.ok && removed.failure.kind === 'notFound' ? succeeded(undefined) : removed;
  }

  /** A label goes only while it has this value. */
  removeLabel(resource: ResourceName, place: RefPlace, key: string, value: string): Promise<Outcome<unknown>> {
    return this.#removeKey(resource, place, `/metadata/labels/${escaped(key)}`, value);
  }

  /** An annotation goes only while it has this value. */
  removeAnnotation(resource: ResourceName, place: RefPlace, key: string, value: string): Promise<Outcome<unknown>> {
    return this.#removeKey(resource, place, `/metadata/annotations/${escaped(key)}`, value);
  }

  #removeKey(resource: ResourceName, place: RefPlace, path: string, value: string): Promise<Outcome<unknown>> {
    const { client, signal } = this.#options;
    const operations = [{ op: 'test', path, value } as const, { op: 'remove', path } as const];
    return this.#again(() =>
      client.patch(resource, place, { type: 'json', operations }, { fieldManager, signal, dryRun: this.dryRun }),
    );
  }

  async list<T>(resource: ResourceName, selection: Selection): Promise<Outcome<readonly T[]>> {
    const { client, clock, signal } = this.#options;
    const listed = await this.#again(() =>
      // Safe as far as the server's own types are: every field that is read may be missing.
      list({ client, clock, signal, resource, selection, project: (object) => object as T }),
    );
    return listed.ok ? succeeded(listed.value.items) : listed;
  }

  version(): Promise<Outcome<{ readonly minor?: string }>> {
    const { client, signal } = this.#options;
    return this.#again(() => client.document<{ readonly minor?: string }>('/version', { signal }));
  }

  create<T>(resource: ResourceName, body: object): Promise<Outcome<T>> {
    const { client, signal } = this.#options;
    return this.#again(() => client.create<T>(resource, {}, body, { signal }));
  }

  async #again<T>(call: () => Promise<Outcome<T>>): Promise<Outcome<T>> {
    const { clock, signal } = this.#options;
    for (let attempt = 1; ; attempt += 1) {
      const outcome = await call();
      if (outcome.ok || attempt === maxAttempts || !mayPass(outcome.failure.kind)) return outcome;
      if (!(await sleep(clock, pauseMs * attempt, signal))) return outcome;
    }
  }
}

const fieldManager = 'holdfast-install';
const maxAttempts = 4;
const pauseMs = 500;

/** Where an object is; `undefined`: its kind is not in namespaces. */
export type RefPlace = Pick<ObjectRef, 'namespace' | 'name'>;
export type Propagation = 'Background' | 'Foreground';

/** As a step of a JSON pointer. */
function escaped(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}

function mayPass(kind: string): boolean {
  return kind === 'retry' || kind === 'tooManyRequests';
}
