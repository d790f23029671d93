import type { Fields } from '@holdfast/base/json';
import type { ResourceName, Selection } from '../../kube/client/client.ts';
import { list } from '../../kube/client/list.ts';
import { Discovery, type KindName, type KindResource } from '../../kube/discovery/discovery.ts';
import type { Failure } from '../../kube/outcome/failure.ts';
import { problemOf } from '../problem.ts';
import type { ReadSession } from '../session.ts';
import type { Scope } from './scope.ts';

/** What came of asking for all objects of a kind. Anything else, such as no connection, ends the command. */
export type Read<T> =
  | { readonly kind: 'read'; readonly items: readonly T[]; readonly resourceVersion: string }
  /** The server has no such API: then there is no such object. */
  | { readonly kind: 'absent' }
  /** The user may not see them. */
  | { readonly kind: 'denied'; readonly why: string };

type Refused = Exclude<Read<never>, { readonly kind: 'read' }>;

/** What came of asking for one object. */
export type ReadObject<T> = { readonly kind: 'found'; readonly object: T } | Refused;

export interface KindSelection<T> {
  readonly kind: KindName;
  readonly scope: Scope;
  /** For the resource that was found: which version of the API it is, is known only then. */
  readonly project: (resource: KindResource) => (object: Fields) => T;
  readonly selection?: Omit<Selection, 'namespace'>;
}

/** Reads objects page by page, with the rights of the user, and never writes. */
export class KindReader {
  readonly discovery: Discovery;
  readonly #session: ReadSession;

  constructor(session: ReadSession) {
    this.#session = session;
    this.discovery = new Discovery(session);
  }

  async list<T>({ kind, scope, project, selection }: KindSelection<T>): Promise<Read<T>> {
    const resource = await this.discovery.resourceOf(kind);
    if (!resource.ok) return refusalOf(resource.failure, `cannot look for the kind ${kind.kind}`);
    return this.listResource(resource.value, scope, project(resource.value), selection);
  }

  async listResource<T>(
    resource: ResourceName,
    scope: Scope,
    project: (object: Fields) => T,
    selection: Omit<Selection, 'namespace'> = {},
  ): Promise<Read<T>> {
    const { client, clock, call } = this.#session;
    const places = resource.namespaced && scope.kind === 'some' ? scope.namespaces : [undefined];
    const items: T[] = [];
    let oldest = '0';
    for (const [index, namespace] of places.entries()) {
      const selected = namespace === undefined ? selection : { ...selection, namespace };
      const listed = await list({ client, resource, selection: selected, project, clock, ...call });
      if (!listed.ok) return refusalOf(listed.failure, `cannot list ${resource.plural}`);
      for (const item of listed.value.items) items.push(item);
      // What is read first is the oldest: no later list makes it newer.
      if (index === 0) oldest = listed.value.resourceVersion;
    }
    return { kind: 'read', items, resourceVersion: oldest };
  }

  async get<T>(
    resource: ResourceName,
    place: { readonly namespace?: string; readonly name: string },
  ): Promise<ReadObject<T>> {
    const { client, call } = this.#session;
    const found = await client.get<T>(resource, place, call);
    if (found.ok) return { kind: 'found', object: found.value };
    return refusalOf(found.failure, `cannot read ${resource.plural} ${place.name}`);
  }
}

/** 403 is about one resource; 401 means that the server does not know the user, who can then read nothing at all. */
function refusalOf(failure: Failure, what: string): Refused {
  if (failure.kind === 'notFound') return { kind: 'absent' };
  if (failure.kind === 'denied' && failure.code !== 401) return { kind: 'denied', why: failure.message };
  throw problemOf(failure, what);
}
