import type { IncomingMessage, ServerResponse } from 'node:http';
import { json, status } from '../../kube/support/server.ts';

interface FakeSet {
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly uid: string;
    readonly resourceVersion: string;
    readonly deletionTimestamp?: string;
  };
  readonly spec: { readonly replicas: number };
}

const base = '/apis/apps/v1';
const resource = { name: 'statefulsets', kind: 'StatefulSet', namespaced: true, verbs: ['get', 'list', 'watch'] };
const served = [resource, { ...resource, name: 'statefulsets/scale', kind: 'Scale' }];

/**
 * An API server with StatefulSets and nothing else. What is looked up is the state of now; what is watched comes when a test says
 * so, because watches lag.
 */
export class FakeOwners {
  readonly sets = new Map<string, FakeSet>();
  /** Look-ups of objects, by name. */
  readonly looked: string[] = [];
  /** Answers all look-ups, lists and watches, or the discovery of the group, in place of what there is. */
  objectFault: ((response: ServerResponse) => void) | undefined;
  collectionFault: ((response: ServerResponse) => void) | undefined;
  discoveryFault: ((response: ServerResponse) => void) | undefined;
  /** While it is set, answers are made at once, and sent when the test says so. */
  held: (() => void)[] | undefined;
  readonly #watches = new Set<ServerResponse>();
  #version = 100;

  set(name: string, uid: string, replicas: number, deleting = false): FakeSet {
    this.#version += 1;
    const deletionTimestamp = deleting ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {};
    const metadata = { name, namespace: 'shop', uid, resourceVersion: String(this.#version), ...deletionTimestamp };
    const set = { metadata, spec: { replicas } };
    this.sets.set(name, set);
    return set;
  }

  get watching(): boolean {
    return this.#watches.size > 0;
  }

  /** What the watch shows, whatever is true by now. */
  show(type: 'ADDED' | 'MODIFIED' | 'DELETED', object: FakeSet): void {
    for (const response of this.#watches) response.write(`${JSON.stringify({ type, object })}\n`);
  }

  readonly handle = (request: IncomingMessage, response: ServerResponse): void => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://x');
    if (pathname === '/apis/apps') {
      if (this.discoveryFault !== undefined) this.discoveryFault(response);
      else json(response, 200, { name: 'apps', preferredVersion: { version: 'v1' }, versions: [{ version: 'v1' }] });
    } else if (pathname === base) json(response, 200, { resources: served });
    else if (pathname === `${base}/statefulsets`) this.#collection(searchParams, response);
    else this.#one(pathname, response);
  };

  #one(pathname: string, response: ServerResponse): void {
    const name = /^\/apis\/apps\/v1\/namespaces\/shop\/statefulsets\/([^/]+)$/.exec(pathname)?.[1];
    if (name === undefined) {
      response.writeHead(404).end('404 page not found');
      return;
    }
    this.looked.push(name);
    if (this.objectFault !== undefined) this.objectFault(response);
    else this.#object(name, response);
  }

  #object(name: string, response: ServerResponse): void {
    const found = this.sets.get(name);
    const send = () => {
      if (found !== undefined) json(response, 200, found);
      else json(response, 404, { ...status(404, 'NotFound'), details: { name, kind: 'statefulsets' } });
    };
    if (this.held === undefined) send();
    else this.held.push(send);
  }

  #collection(query: URLSearchParams, response: ServerResponse): void {
    if (this.collectionFault !== undefined) {
      this.collectionFault(response);
      return;
    }
    if (query.get('watch') !== 'true') {
      json(response, 200, { metadata: { resourceVersion: '100' }, items: [...this.sets.values()] });
      return;
    }
    response.writeHead(200);
    response.flushHeaders();
    this.#watches.add(response);
    response.on('close', () => this.#watches.delete(response));
  }
}
