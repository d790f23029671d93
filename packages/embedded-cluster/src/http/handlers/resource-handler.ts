import { methodNotAllowed, noSuchPath } from '../../errors.ts';
import type { ResourceType } from '../../kinds/resource-type.ts';
import type { Registry, Target } from '../../registry/registry.ts';
import type { Answer, Exchange } from '../exchange.ts';
import { pageNotFound } from '../reply.ts';
import { getList, getOne, watch } from './read-handlers.ts';
import { create, deleteCollection, deleteOne, patch, update, type VirtualCreate } from './write-handlers.ts';

/** Subresources with a life of their own (eviction, log, ...) and resources that are not stored (reviews). */
export interface SpecialHandlers {
  subresource(type: ResourceType, name: string): ((exchange: Exchange, target: Target) => Promise<Answer>) | undefined;
  virtual(type: ResourceType): VirtualCreate | undefined;
  /** Reading what is not kept, but made when it is asked for. */
  reading(type: ResourceType): ((exchange: Exchange, target: Target) => Promise<Answer>) | undefined;
}

/** Subresources that are a part of the object, read and written like it. */
const partialSubresources = new Set(['status', 'resize', 'finalize', 'ephemeralcontainers', 'approval']);

/** From a request for a resource to the verb that answers it. */
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
    if (!type && !this.#servesGroup(info.group)) return pageNotFound;
    if (!type || info.rest !== '') throw noSuchPath();
    if (!type.namespaced && info.namespace !== '' && type.key !== 'namespaces') throw noSuchPath();
    const target: Target = { type, namespace: type.namespaced ? info.namespace : '', name: info.name };
    if (info.subresource !== '') return this.#subresource(exchange, target);
    if (!type.verbs.includes(info.verb) || !fitsPath(info.verb, target)) throw methodNotAllowed();
    const reading = this.#special.reading(type);
    return reading ? reading(exchange, target) : this.#verb(exchange, target);
  }

  #servesGroup(group: string): boolean {
    for (const type of this.#registry.types.all()) if (type.group === group) return true;
    return false;
  }

  #verb(exchange: Exchange, target: Target): Promise<Answer> {
    const registry = this.#registry;
    switch (exchange.info.verb) {
      case 'get':
        return getOne(registry, exchange, target);
      case 'list':
        return getList(registry, exchange, target);
      case 'watch':
        return watch(registry, exchange, target);
      case 'create':
        return create(registry, exchange, target, this.#special.virtual(target.type));
      case 'update':
        return update(registry, exchange, target, '');
      case 'patch':
        return patch(registry, exchange, target, '');
      case 'delete':
        return deleteOne(registry, exchange, target);
      case 'deletecollection':
        return deleteCollection(registry, exchange, target);
      default:
        throw methodNotAllowed();
    }
  }

  #subresource(exchange: Exchange, target: Target): Promise<Answer> {
    const { type } = target;
    const { subresource, verb } = exchange.info;
    const known = type.subresources.get(subresource);
    if (!known) throw noSuchPath();
    // Discovery names exec and log with fewer verbs than clients use for them.
    const open = subresource === 'exec' || subresource === 'log';
    if (!known.verbs.includes(verb) && !(open && (verb === 'get' || verb === 'create'))) {
      throw methodNotAllowed();
    }
    const special = this.#special.subresource(type, subresource);
    if (special) return special(exchange, target);
    if (!partialSubresources.has(subresource)) throw noSuchPath();
    if (verb === 'get') return getOne(this.#registry, exchange, target);
    const write = verb === 'update' ? update : patch;
    return write(this.#registry, exchange, target, subresource);
  }
}

/** Some verbs are for one object, some for a collection; only reading crosses namespaces. */
function fitsPath(verb: string, { type, namespace, name }: Target): boolean {
  if (verb === 'list' || verb === 'watch') return true;
  if (type.namespaced && namespace === '') return false;
  return (verb === 'create' || verb === 'deletecollection') === (name === '');
}
