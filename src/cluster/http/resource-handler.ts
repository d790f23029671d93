import { badRequest, methodNotSupported, noSuchPath, notFound, unsupportedMediaType } from '../errors.ts';
import type { ResourceType } from '../kinds/resource-type.ts';
import type { KubeObject } from '../objects.ts';
import { createObject } from '../registry/create.ts';

import { deleteObject } from '../registry/delete.ts';
import { type ListQuery, listObjects } from '../registry/list.ts';
import { type PatchKind, patchObject } from '../registry/patch.ts';
import { type Registry, resourceName, stored, type Target } from '../registry/registry.ts';
import { updateObject } from '../registry/update.ts';
import type { WriteContext } from '../registry/write-context.ts';
import { readAnyBody, readObjectBody, readPatchBody } from './decode-body.ts';
import { type EncodeOptions, encodeList, encodeObject, encodeStored, type IncludeObject } from './encode.ts';
import type { Exchange } from './exchange.ts';
import { mediaType, negotiate } from './negotiate.ts';
import { type OptionsKind, readDeleteOptions, writeContext } from './options.ts';
import type { Reply } from './reply.ts';
import { isTrue } from './request-info.ts';
import { WatchStream } from './watch-stream.ts';

/** 'streaming': the handler has taken over the response. */
export type Answer = Reply | 'streaming';

/** Subresources with a life of their own (eviction, log, ...) and resources that are not stored (reviews). */
export interface SpecialHandlers {
  /** By `plural/subresource`, e.g. `pods/eviction`, `serviceaccounts/token`; the core group without a prefix. */
  subresource(type: ResourceType, name: string): ((exchange: Exchange, target: Target) => Promise<Answer>) | undefined;
  virtual(
    type: ResourceType,
  ): ((exchange: Exchange, object: KubeObject, context: WriteContext) => Promise<KubeObject>) | undefined;
}

/** Subresources that are a part of the object, read and written like it. */
const partialSubresources = new Set(['status', 'resize', 'finalize', 'ephemeralcontainers']);

const patchKinds: Readonly<Record<string, PatchKind>> = {
  'application/json-patch+json': 'json',
  'application/merge-patch+json': 'merge',
  'application/strategic-merge-patch+json': 'strategic',
  'application/apply-patch+yaml': 'apply',
  'application/apply-patch+json': 'apply',
};

export class ResourceHandler {
  readonly #registry: Registry;
  readonly #special: SpecialHandlers;

  constructor(registry: Registry, special: SpecialHandlers) {
    this.#registry = registry;
    this.#special = special;
  }

  async handle(exchange: Exchange): Promise<Answer> {
    const { info } = exchange;
    const type = this.#registry.types.find(info.group, info.version, info.resource);
    if (!type || info.rest !== '' || (!type.namespaced && info.namespace !== '' && type.key !== 'namespaces'))
      throw noSuchPath();
    const target: Target = { type, namespace: type.namespaced ? info.namespace : '', name: info.name };
    if (info.subresource !== '') return this.#subresource(exchange, target);
    if (!type.verbs.includes(info.verb)) throw methodNotSupported(resourceName(type), info.verb);
    if (type.namespaced && target.namespace === '' && info.verb !== 'list' && info.verb !== 'watch') throw noSuchPath();
    return this.#verb(exchange, target);
  }

  #verb(exchange: Exchange, target: Target): Promise<Answer> {
    switch (exchange.info.verb) {
      case 'get':
        return this.#get(exchange, target);
      case 'list':
        return this.#list(exchange, target);
      case 'watch':
        return this.#watch(exchange, target);
      case 'create':
        return this.#create(exchange, target);
      case 'update':
        return this.#update(exchange, target, '');
      case 'patch':
        return this.#patch(exchange, target, '');
      case 'delete':
        return this.#delete(exchange, target);
      case 'deletecollection':
        return this.#deleteCollection(exchange, target);
      default:
        throw methodNotSupported(resourceName(target.type), exchange.info.verb);
    }
  }

  async #subresource(exchange: Exchange, target: Target): Promise<Answer> {
    const { type } = target;
    const { subresource, verb } = exchange.info;
    const known = type.subresources.get(subresource);
    if (!known) throw noSuchPath();
    const verbs = [...known.verbs, ...(subresource === 'exec' || subresource === 'log' ? ['get', 'create'] : [])];
    if (!verbs.includes(verb))
      throw methodNotSupported({ group: type.group, resource: `${type.plural}/${subresource}` }, verb);
    const special = this.#special.subresource(type, subresource);
    if (special) return special(exchange, target);
    if (!partialSubresources.has(subresource)) throw noSuchPath();
    if (verb === 'get') return this.#get(exchange, target);
    return verb === 'update' ? this.#update(exchange, target, subresource) : this.#patch(exchange, target, subresource);
  }

  #encoding(exchange: Exchange, type: ResourceType): EncodeOptions {
    const include = exchange.query.get('includeObject');
    return {
      type,
      representation: negotiate(exchange.request.headers.accept),
      include: include === 'None' || include === 'Object' ? (include as IncludeObject) : 'Metadata',
      nowMs: this.#registry.clock.now(),
    };
  }

  #context(exchange: Exchange, kind: OptionsKind): WriteContext {
    return writeContext(
      exchange.user,
      exchange.query,
      exchange.request.headers['user-agent'] ?? '',
      kind,
      exchange.warnings,
    );
  }

  async #get(exchange: Exchange, target: Target): Promise<Answer> {
    const encoding = this.#encoding(exchange, target.type);
    const current = stored(this.#registry, target);
    if (!current) throw notFound(resourceName(target.type), target.name);
    await this.#settled();
    return { code: 200, body: await encodeStored(encoding, current) };
  }

  #query(exchange: Exchange, target: Target): ListQuery {
    const { query } = exchange;
    const limit = query.get('limit') ?? '';
    if (!/^[0-9]*$/.test(limit)) throw badRequest(`limit must be a number, not ${JSON.stringify(limit)}`);
    return {
      type: target.type,
      namespace: target.namespace,
      labelSelector: query.get('labelSelector') ?? '',
      fieldSelector: query.get('fieldSelector') ?? '',
      limit: Number(limit),
      continueToken: query.get('continue') ?? '',
      resourceVersion: query.get('resourceVersion') ?? '',
      resourceVersionMatch: query.get('resourceVersionMatch') ?? '',
    };
  }

  async #list(exchange: Exchange, target: Target): Promise<Answer> {
    if (isTrue(exchange.query.get('sendInitialEvents'))) {
      throw badRequest('sendInitialEvents is forbidden for list');
    }
    const encoding = this.#encoding(exchange, target.type);
    const list = listObjects(this.#registry, this.#query(exchange, target));
    await this.#settled();
    return encodeList(encoding, list);
  }

  /** What a client has seen must not be undone by a crash. */
  #settled(): Promise<void> {
    const { store } = this.#registry;
    return store.durable(store.revision);
  }

  async #watch(exchange: Exchange, target: Target): Promise<Answer> {
    const { query } = exchange;
    const seconds = Number(query.get('timeoutSeconds') ?? '0');
    const stream = new WatchStream(
      this.#registry,
      {
        list: this.#query(exchange, target),
        encode: this.#encoding(exchange, target.type),
        bookmarks: isTrue(query.get('allowWatchBookmarks')),
        sendInitialEvents: isTrue(query.get('sendInitialEvents')),
        timeoutMs: Number.isFinite(seconds) && seconds > 0 ? seconds * 1000 : this.#defaultWatchMs(),
      },
      exchange.response,
    );
    stream.start();
    return 'streaming';
  }

  /** Between half an hour and an hour, so that watches that began together do not end together. */
  #defaultWatchMs(): number {
    return (1 + this.#registry.random.next()) * 30 * 60_000;
  }

  async #create(exchange: Exchange, target: Target): Promise<Answer> {
    const encoding = this.#encoding(exchange, target.type);
    const context = this.#context(exchange, 'CreateOptions');
    const object = await readObjectBody(exchange.request, target.type, context);
    const virtual = this.#special.virtual(target.type);
    if (virtual) return { code: 201, body: await virtual(exchange, object, context) };
    const created = await createObject(this.#registry, target, object, context);
    return { code: 201, body: encodeObject(encoding, created) };
  }

  async #update(exchange: Exchange, target: Target, subresource: string): Promise<Answer> {
    const encoding = this.#encoding(exchange, target.type);
    const context = this.#context(exchange, 'UpdateOptions');
    const object = await readObjectBody(exchange.request, target.type, context);
    checkName(object, target);
    if (subresource === '' && target.type.strategy.createOnUpdate && !stored(this.#registry, target)) {
      delete object.metadata.resourceVersion;
      return { code: 201, body: encodeObject(encoding, await createObject(this.#registry, target, object, context)) };
    }
    const retries = !object.metadata.resourceVersion;
    const change = () => structuredClone(object);
    const outcome = await updateObject(this.#registry, { target, subresource, context, retries, change });
    return { code: 200, body: encodeObject(encoding, outcome.object) };
  }

  async #patch(exchange: Exchange, target: Target, subresource: string): Promise<Answer> {
    const encoding = this.#encoding(exchange, target.type);
    const contentType = mediaType(exchange.request.headers['content-type']);
    const kind = Object.hasOwn(patchKinds, contentType) ? patchKinds[contentType] : undefined;
    if (kind === undefined) throw unsupportedMediaType(Object.keys(patchKinds));
    const { value, text } = await readPatchBody(exchange.request, kind === 'apply' ? 'yaml' : 'json');
    const base = this.#context(exchange, 'PatchOptions');
    const context =
      kind === 'apply'
        ? base
        : { ...base, fieldManager: base.fieldManager || this.#context(exchange, 'UpdateOptions').fieldManager };
    const outcome = await patchObject(this.#registry, {
      target,
      subresource,
      kind,
      patch: value,
      text,
      force: isTrue(exchange.query.get('force')),
      context,
    });
    return { code: outcome.kind === 'created' ? 201 : 200, body: encodeObject(encoding, outcome.object) };
  }

  async #delete(exchange: Exchange, target: Target): Promise<Answer> {
    const encoding = this.#encoding(exchange, target.type);
    const { context, options } = await this.#deleteOptions(exchange);
    const outcome = await deleteObject(this.#registry, { target, options, context });
    if (outcome.kind === 'terminating') return { code: 200, body: encodeObject(encoding, outcome.object) };
    return { code: 200, body: deletedStatus(target, outcome.object) };
  }

  async #deleteOptions(exchange: Exchange) {
    const body = readDeleteOptions(await readAnyBody(exchange.request), exchange.query);
    const context = { ...this.#context(exchange, 'DeleteOptions'), dryRun: body.dryRun, options: body.raw };
    return { context, options: body.options };
  }

  async #deleteCollection(exchange: Exchange, target: Target): Promise<Answer> {
    const encoding = this.#encoding(exchange, target.type);
    const { context, options } = await this.#deleteOptions(exchange);
    const list = listObjects(this.#registry, this.#query(exchange, target));
    for (const { object } of list.items) {
      const one = { ...target, name: object.metadata.name };
      try {
        await deleteObject(this.#registry, { target: one, options, context, inCollection: true });
      } catch (error) {
        // Someone else was faster; the caller wanted it gone, and it is.
        if (stored(this.#registry, one)) throw error;
      }
    }
    return encodeList(encoding, list);
  }
}

function checkName(object: KubeObject, target: Target): void {
  const { name, namespace } = object.metadata;
  if (name !== target.name)
    throw badRequest(`the name of the object (${name}) does not match the name on the URL (${target.name})`);
  if (namespace && namespace !== target.namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
}

function deletedStatus(target: Target, object: KubeObject): Record<string, unknown> {
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    details: {
      name: target.name,
      ...(target.type.group === '' ? {} : { group: target.type.group }),
      kind: target.type.plural,
      uid: object.metadata.uid,
    },
  };
}
