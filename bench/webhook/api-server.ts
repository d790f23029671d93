import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { applyJsonPatch } from '../../packages/embedded-cluster/src/patch/json-patch.ts';
import { isMap, type JsonMap } from '../../packages/embedded-cluster/src/patch/json-tree.ts';
import { applyMergePatch } from '../../packages/embedded-cluster/src/patch/merge-patch.ts';
import { type Collection, metadataOf, type Versions } from './collection.ts';
import { discoveryOf, type Kind, type Target, targetOf } from './kinds.ts';
import { listTo, watchTo } from './reading.ts';

export interface ApiServerParts {
  readonly versions: Versions;
  readonly collections: ReadonlyMap<Kind, Collection>;
  /** Sees every write. */
  readonly observe: (kind: Kind, before: JsonMap | undefined, after: JsonMap) => void;
  /** How long each call about an object of this kind takes. */
  readonly delayMs: (kind: Kind) => number;
}

interface Reply {
  readonly code: number;
  readonly body: object;
}

/** A call about one object. */
interface Call {
  readonly method: string;
  readonly contentType: string;
  readonly target: Target;
  readonly name: string;
  readonly collection: Collection;
  readonly before: JsonMap | undefined;
  readonly body: JsonMap;
}

/** Just enough of a Kubernetes API for the operator: no validation, no rights, no admission. */
export class ApiServer {
  readonly #parts: ApiServerParts;

  constructor(parts: ApiServerParts) {
    this.#parts = parts;
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams: query } = new URL(request.url ?? '', 'http://server');
    const body = await bodyOf(request);
    const target = targetOf(pathname);
    const collection = target === undefined ? undefined : this.#parts.collections.get(target.kind);
    if (target === undefined || collection === undefined) send(response, documentOf(pathname));
    else if (request.method === 'GET' && target.name === undefined) {
      const read = query.get('watch') === 'true' ? watchTo : listTo;
      await read(response, collection, { namespace: target.namespace, query, version: this.#parts.versions.last });
    } else {
      const delayMs = this.#parts.delayMs(target.kind);
      if (delayMs > 0) await setTimeout(delayMs);
      const name = target.name ?? String(metadataOf(body)['name']);
      const { method = '', headers } = request;
      const call = { method, contentType: headers['content-type'] ?? '', target, name, collection, body };
      send(response, this.#answer({ ...call, before: collection.get(target.namespace, name) }));
    }
  }

  #answer(call: Call): Reply {
    const { method, before, name, body } = call;
    if (method === 'POST') {
      return before === undefined ? this.#write(call, body) : refusal(409, 'AlreadyExists', `${name} already exists`);
    }
    if (method === 'PATCH') return this.#patch(call);
    if (before === undefined) return notFound(name);
    switch (method) {
      case 'GET':
        return { code: 200, body: before };
      case 'PUT':
        return this.#write(call, body);
      case 'DELETE':
        return this.#delete(call, before);
      default:
        return refusal(405, 'MethodNotAllowed', method);
    }
  }

  /** By compare-and-swap, when the object says which version it is meant for. */
  #write({ target, name, collection, before }: Call, next: JsonMap): Reply {
    const wanted = metadataOf(next)['resourceVersion'];
    if (before !== undefined && wanted !== undefined && wanted !== metadataOf(before)['resourceVersion']) {
      return refusal(409, 'Conflict', 'the object has been modified');
    }
    const status = before !== undefined && target.subresource === 'status';
    const after = collection.put(target.namespace, name, status ? { ...before, status: next['status'] } : next);
    this.#parts.observe(target.kind, before, after);
    return { code: before === undefined ? 201 : 200, body: after };
  }

  #patch(call: Call): Reply {
    const { contentType, before, body, name } = call;
    const applies = contentType.startsWith('application/apply-patch');
    if (before === undefined) return applies ? this.#write(call, body) : notFound(name);
    const patched = contentType.startsWith('application/json-patch')
      ? applyJsonPatch(before, body)
      : applyMergePatch(before, applies ? withOtherConditions(before, body) : body);
    return patched.ok ? this.#write(call, patched.value) : refusal(422, 'Invalid', patched.error.message);
  }

  #delete({ collection, target, name, body }: Call, before: JsonMap): Reply {
    const wanted = isMap(body['preconditions']) ? body['preconditions'] : {};
    const present = metadataOf(before);
    const holds = ['uid', 'resourceVersion'].every((key) => wanted[key] === undefined || wanted[key] === present[key]);
    if (!holds) return refusal(409, 'Conflict', 'the preconditions do not hold');
    return { code: 200, body: collection.delete(target.namespace, name) ?? {} };
  }
}

function documentOf(path: string): Reply {
  if (path === '/apis/authentication.k8s.io/v1/selfsubjectreviews') return { code: 201, body: ownName };
  const document = discoveryOf(path);
  return document === undefined ? notFound(path) : { code: 200, body: document };
}

const ownName = {
  kind: 'SelfSubjectReview',
  apiVersion: 'authentication.k8s.io/v1',
  status: { userInfo: { username: 'system:serviceaccount:holdfast-system:holdfast' } },
};

/** Conditions are a map by their types: those of other managers stay. */
function withOtherConditions(before: JsonMap, patch: JsonMap): JsonMap {
  const now = conditionsOf(patch);
  if (now.length === 0 || !isMap(patch['status'])) return patch;
  const others = conditionsOf(before).filter(({ type }) => now.every((one) => one['type'] !== type));
  return { ...patch, status: { ...patch['status'], conditions: [...others, ...now] } };
}

export function conditionsOf({ status }: JsonMap): readonly JsonMap[] {
  const conditions = isMap(status) ? status['conditions'] : undefined;
  return Array.isArray(conditions) ? conditions.filter(isMap) : [];
}

async function bodyOf(request: IncomingMessage): Promise<JsonMap> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return chunks.length === 0 ? {} : (JSON.parse(Buffer.concat(chunks).toString()) as JsonMap);
}

function notFound(what: string): Reply {
  return refusal(404, 'NotFound', `${what} not found`);
}

function refusal(code: number, reason: string, message: string): Reply {
  return { code, body: { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, reason, code } };
}

function send(response: ServerResponse, { code, body }: Reply): void {
  const bytes = Buffer.from(JSON.stringify(body));
  response.writeHead(code, { 'content-type': 'application/json', 'content-length': bytes.length }).end(bytes);
}
