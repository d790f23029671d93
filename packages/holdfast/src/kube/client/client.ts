import { setMaxListeners } from 'node:events';
import type { DeleteOptions } from 'kubernetes-types/meta/v1.js';
import { failed, garbled, type Outcome, rejected, succeeded } from '../outcome/failure.ts';
import type { Clock } from '../time/clock.ts';
import type { Connection } from '../transport/connection.ts';
import type { RateLimiter } from '../transport/rate-limit.ts';
import type { OpenedWatch, ResponseBody, WatchProof, WireRequest } from '../transport/wire.ts';
import { type Patch, patchBody, patchContentType, patchQuery } from './patch.ts';

export interface CallOptions {
  /** Includes the wait for a permit of the rate limit. */
  readonly deadlineMs?: number;
  readonly signal?: AbortSignal;
}

export interface WriteOptions extends CallOptions {
  readonly dryRun?: boolean;
  readonly fieldManager?: string;
  readonly fieldValidation?: 'Ignore' | 'Warn' | 'Strict';
}

/** Which objects a list or a watch is about. */
export interface Selection {
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

export interface ClientOptions {
  readonly connection: Connection;
  readonly limiter: RateLimiter;
  readonly clock: Clock;
  readonly deadlineMs?: number;
}

const defaultDeadlineMs = 10_000;
/** An object's metadata and nothing else, where the server can: a pod is ten times as long, to write and to read. */
const metadataOnly = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1, application/json';

/** The verbs of the API, for one purpose: purposes share connections, and never each other's rate limit. */
export class KubeClient {
  readonly #options: ClientOptions;

  constructor(options: ClientOptions) {
    this.#options = options;
  }

  get<T>(resource: ResourceName, place: ObjectPlace, options: CallOptions = {}): Promise<Outcome<T>> {
    return this.#at(objectPath(resource, place), (path) => this.#json<T>({ method: 'GET', path }, options));
  }

  /** Of the object, `metadata` alone. */
  getMetadata<T extends { readonly metadata: object }>(
    resource: ResourceName,
    place: ObjectPlace,
    options: CallOptions = {},
  ): Promise<Outcome<T>> {
    const request = { method: 'GET', accept: metadataOnly } as const;
    return this.#at(objectPath(resource, place), (path) => this.#json<T>({ ...request, path }, options));
  }

  /** The resourceVersion of a collection as it is now: a consistent read that fetches one item at most. */
  async collectionVersion(
    resource: ResourceName,
    namespace: string | undefined,
    options: CallOptions = {},
  ): Promise<Outcome<string>> {
    const list = await this.#at(collectionPath(resource, namespace), (path) =>
      this.#json<{ readonly metadata?: { readonly resourceVersion?: string } }>(
        { method: 'GET', path: withQuery(path, { limit: 1 }) },
        options,
      ),
    );
    if (!list.ok) return list;
    const version = list.value.metadata?.resourceVersion;
    return version === undefined ? garbled('a list without a resourceVersion') : succeeded(version);
  }

  /** Creates an object in a collection, or, with a `place`, a subresource of it such as an eviction. */
  create<T>(
    resource: ResourceName,
    where: ObjectPlace | { readonly namespace?: string | undefined },
    body: object,
    options: WriteOptions = {},
  ): Promise<Outcome<T>> {
    const path = 'name' in where ? objectPath(resource, where) : newObjectPath(resource, where.namespace);
    return this.#write<T>('POST', path, JSON.stringify(body), options);
  }

  /** With a resourceVersion in the body it succeeds only when no other client wrote since. */
  replace<T>(
    resource: ResourceName,
    place: ObjectPlace,
    body: object,
    options: WriteOptions = {},
  ): Promise<Outcome<T>> {
    return this.#write<T>('PUT', objectPath(resource, place), JSON.stringify(body), options);
  }

  patch<T>(resource: ResourceName, place: ObjectPlace, patch: Patch, options: WriteOptions = {}): Promise<Outcome<T>> {
    const path = objectPath(resource, place);
    return this.#write<T>('PATCH', path, patchBody(patch), options, patchContentType(patch), patchQuery(patch));
  }

  /** The answer is the metadata of the object while it is still there, else a Status. */
  delete(
    resource: ResourceName,
    place: ObjectPlace,
    body: DeleteOptions = {},
    options: CallOptions = {},
  ): Promise<Outcome<unknown>> {
    const request = { method: 'DELETE', body: deleteBody(body), accept: metadataOnly } as const;
    return this.#at(objectPath(resource, place), (path) => this.#json({ ...request, path }, options));
  }

  deleteCollection(
    resource: ResourceName,
    { namespace, ...query }: Selection,
    body: DeleteOptions = {},
    options: CallOptions = {},
  ): Promise<Outcome<unknown>> {
    const request = { method: 'DELETE', body: deleteBody(body) } as const;
    return this.#at(collectionPath(resource, namespace), (path) =>
      this.#json({ ...request, path: withQuery(path, query) }, options),
    );
  }

  /** Any document of the server, such as discovery. */
  document<T>(path: string, options: CallOptions = {}): Promise<Outcome<T>> {
    return this.#json<T>({ method: 'GET', path }, options);
  }

  /** A list, to be read while it arrives. The deadline is for its beginning. */
  stream(
    resource: ResourceName,
    { namespace, ...selectors }: Selection,
    query: Query,
    options: CallOptions = {},
  ): Promise<Outcome<ResponseBody>> {
    return this.#at(collectionPath(resource, namespace), (path) =>
      this.#withPermit(options, (left) =>
        this.#options.connection.open({ method: 'GET', path: withQuery(path, { ...selectors, ...query }), ...left }),
      ),
    );
  }

  /** @param queryFor what to ask for, by how the watch will be known to be alive */
  watch(
    resource: ResourceName,
    { namespace, ...selectors }: Selection,
    queryFor: (proof: WatchProof['kind']) => Query,
    options: CallOptions = {},
  ): Promise<Outcome<OpenedWatch>> {
    return this.#at(collectionPath(resource, namespace), (path) =>
      this.#withPermit(options, (left) =>
        this.#options.connection.openWatch(left, (proof) => withQuery(path, { ...selectors, ...queryFor(proof) })),
      ),
    );
  }

  #write<T>(
    method: 'POST' | 'PUT' | 'PATCH',
    path: string | undefined,
    body: string,
    { dryRun, fieldManager, fieldValidation, ...call }: WriteOptions,
    contentType = 'application/json',
    more: Query = {},
  ): Promise<Outcome<T>> {
    const query = { dryRun: dryRun === true ? 'All' : undefined, fieldManager, fieldValidation, ...more };
    return this.#at(path, (found) => this.#json<T>({ method, path: withQuery(found, query), body, contentType }, call));
  }

  #at<T>(path: string | undefined, call: (path: string) => Promise<Outcome<T>>): Promise<Outcome<T>> {
    return path === undefined ? Promise.resolve(rejected('there can be no object of that name')) : call(path);
  }

  async #json<T>(request: Omit<WireRequest, 'deadlineMs' | 'signal'>, options: CallOptions): Promise<Outcome<T>> {
    const answer = await this.#withPermit(options, (left) =>
      this.#options.connection.exchange({ ...request, ...left }),
    );
    if (!answer.ok) return answer;
    try {
      return succeeded(JSON.parse(answer.value) as T);
    } catch {
      const what = `the answer to ${request.method} ${request.path} is not JSON`;
      return garbled(what, request.method !== 'GET');
    }
  }

  /** The wait for a permit counts against the deadline. */
  async #withPermit<T>(
    { deadlineMs = this.#options.deadlineMs ?? defaultDeadlineMs, signal }: CallOptions,
    call: (left: Pick<WireRequest, 'deadlineMs' | 'signal'>) => Promise<Outcome<T>>,
  ): Promise<Outcome<T>> {
    const { clock, limiter } = this.#options;
    // One signal may end any number of calls; that so many listen to it is no leak.
    if (signal !== undefined) setMaxListeners(0, signal);
    const start = clock.monotonic();
    const permit = await limiter.take(deadlineMs, signal);
    if (permit === undefined) return failed(noTurn(signal));
    try {
      const left = deadlineMs - (clock.monotonic() - start);
      return await call({ deadlineMs: left, ...(signal === undefined ? {} : { signal }) });
    } finally {
      permit();
    }
  }
}

function newObjectPath(resource: ResourceName, namespace: string | undefined): string | undefined {
  return resource.namespaced && namespace === undefined ? undefined : collectionPath(resource, namespace);
}

function deleteBody(options: DeleteOptions): string {
  return JSON.stringify({ apiVersion: 'v1', kind: 'DeleteOptions', ...options });
}

function noTurn(signal: AbortSignal | undefined) {
  if (signal?.aborted === true) return { kind: 'aborted', message: 'the caller gave up', maybeDone: false } as const;
  const message = 'too many API calls of this kind wait already';
  return { kind: 'retry', cause: 'limited', message, retryAfterMs: undefined, maybeDone: false } as const;
}

/** Names of things in the API, and where they are. */

export interface ResourceName {
  /** Empty: the core group. */
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly namespaced: boolean;
}

export interface ObjectPlace {
  readonly namespace?: string | undefined;
  readonly name: string;
  readonly subresource?: string;
}

export function groupPath(group: string): string | undefined {
  return joined(['apis', group]);
}

export function versionPath(group: string, version: string): string | undefined {
  return joined(group === '' ? ['api', version] : ['apis', group, version]);
}

/** All objects of a kind, in one namespace or in all. Undefined: there can be no such place. */
function collectionPath(resource: ResourceName, namespace: string | undefined): string | undefined {
  const root = versionPath(resource.group, resource.version);
  const rest = joined(
    resource.namespaced && namespace !== undefined ? ['namespaces', namespace, resource.plural] : [resource.plural],
  );
  return root === undefined || rest === undefined ? undefined : root + rest;
}

export function objectPath(resource: ResourceName, place: ObjectPlace): string | undefined {
  if (resource.namespaced && place.namespace === undefined) return undefined;
  const collection = collectionPath(resource, place.namespace);
  const rest = joined([place.name, ...(place.subresource === undefined ? [] : [place.subresource])]);
  return collection === undefined || rest === undefined ? undefined : collection + rest;
}

/** An empty name, or one that a server takes for a step up the path, would be another request than was meant. */
function joined(segments: readonly string[]): string | undefined {
  if (segments.some((segment) => segment === '' || segment === '.' || segment === '..')) return undefined;
  return segments.map((segment) => `/${encodeURIComponent(segment)}`).join('');
}

export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

function withQuery(path: string, query: Query): string {
  const search = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) if (value !== undefined) search.set(key, String(value));
  const text = search.toString();
  return text === '' ? path : `${path}?${text}`;
}
