import { sameJson } from '@holdfast/base/json';
import type { Pod, ResourceQuota, ResourceQuotaSpec } from 'kubernetes-types/core/v1.js';
import { type ApiError, forbidden } from '../errors.ts';
import type { ResourceType } from '../kinds/resource-type.ts';
import { type KubeObject, keyOf, type ResourceKey, splitKey } from '../objects.ts';
import type { Store, StoreEvent } from '../store/store.ts';
import { exceeded, unspecified } from './check.ts';
import { isInScope } from './scopes.ts';
import { type Usage, usageOf } from './usage.ts';

export type StoredQuota = KubeObject & ResourceQuota;

interface Tally {
  quota: StoredQuota;
  used: Map<string, bigint>;
}

const nothing: Usage = new Map();

/**
 * What the objects of each namespace with quotas take of them, kept current with every write, so that a check costs the same
 * however many objects there are. Namespaces without quotas cost nothing.
 */
export class Quotas {
  readonly #store: Store;
  readonly #byNamespace = new Map<string, Map<string, Tally>>();
  readonly #listeners = new Set<(key: string) => void>();
  readonly close: () => void;

  constructor(store: Store) {
    this.#store = store;
    for (const { object } of store.list('resourcequotas')) this.#put(object as StoredQuota);
    const subscription = store.subscribe((event) => this.#heed(event));
    this.close = () => subscription.stop();
  }

  /** What is used of a quota, whatever it limits. */
  usedOf(quota: StoredQuota): Usage {
    return this.#tally(quota)?.used ?? nothing;
  }

  /** Called with the key of a quota when its usage changed. */
  onChange(listener: (key: string) => void): { stop(): void } {
    this.#listeners.add(listener);
    return { stop: () => this.#listeners.delete(listener) };
  }

  /**
   * Throws the refusal where a write would take more than there is. Nothing may happen between this and the write. As on the
   * real server, a quota limits what its status says: a new one limits nothing until the controller has seen it.
   */
  check(type: ResourceType, object: KubeObject, old: KubeObject | undefined): void {
    const tallies = this.#byNamespace.get(object.metadata.namespace ?? '');
    if (!type.namespaced || tallies === undefined) return;
    for (const { quota, used } of tallies.values()) {
      const why = refusal(type.key, { quota, used, object, old });
      if (why !== undefined) throw refused(type, object, why);
    }
  }

  #heed({ type, resource, key, stored, previous }: StoreEvent): void {
    const { namespace } = splitKey(key);
    if (resource === 'resourcequotas') this.#heedQuota(type, stored.object as StoredQuota);
    const tallies = this.#byNamespace.get(namespace);
    if (namespace === '' || tallies === undefined) return;
    const after = type === 'DELETED' ? undefined : stored.object;
    const before = type === 'DELETED' ? (previous?.object ?? stored.object) : previous?.object;
    for (const tally of tallies.values()) {
      // One that was just counted has seen this write already.
      if (resource === 'resourcequotas' && tally.quota === stored.object) continue;
      this.#adjust(tally, resource, before, after);
    }
  }

  #heedQuota(type: StoreEvent['type'], quota: StoredQuota): void {
    if (type === 'DELETED') this.#drop(quota);
    else this.#put(quota);
  }

  #put(quota: StoredQuota): void {
    const { namespace = '', name } = quota.metadata;
    const known = this.#tally(quota);
    if (known !== undefined && sameJson(known.quota.spec, quota.spec)) {
      known.quota = quota;
      return;
    }
    const tallies = this.#byNamespace.get(namespace) ?? new Map<string, Tally>();
    this.#byNamespace.set(namespace, tallies.set(name, { quota, used: this.#count(quota, namespace) }));
  }

  #drop({ metadata: { namespace = '', name } }: StoredQuota): void {
    const tallies = this.#byNamespace.get(namespace);
    tallies?.delete(name);
    if (tallies?.size === 0) this.#byNamespace.delete(namespace);
  }

  #tally({ metadata: { namespace = '', name } }: StoredQuota): Tally | undefined {
    return this.#byNamespace.get(namespace)?.get(name);
  }

  #count(quota: StoredQuota, namespace: string): Map<string, bigint> {
    const used = new Map<string, bigint>();
    for (const resource of this.#store.resources()) {
      for (const { object } of this.#store.list(resource, namespace)) {
        add(used, usageIn(quota.spec, resource, object), 1n);
      }
    }
    return used;
  }

  #adjust(tally: Tally, resource: ResourceKey, before: KubeObject | undefined, after: KubeObject | undefined): void {
    const old = usageIn(tally.quota.spec, resource, before);
    const now = usageIn(tally.quota.spec, resource, after);
    if (sameUsage(old, now)) return;
    add(tally.used, old, -1n);
    add(tally.used, now, 1n);
    const key = keyOf(tally.quota);
    for (const listener of this.#listeners) listener(key);
  }
}

interface Write {
  readonly quota: StoredQuota;
  readonly used: Usage;
  readonly object: KubeObject;
  readonly old: KubeObject | undefined;
}

function refusal(resource: ResourceKey, { quota, used, object, old }: Write): string | undefined {
  const hard = quota.status?.hard ?? {};
  if (!isInScope(quota.spec ?? {}, resource, object)) return undefined;
  if (resource === 'pods' && old === undefined) {
    const lacking = unspecified(object as KubeObject & Pod, hard);
    if (lacking !== undefined) return `failed quota: ${quota.metadata.name}: must specify ${lacking}`;
  }
  const before = usageIn(quota.spec, resource, old);
  const over = exceeded({ hard, used, before, after: usageOf(resource, object) });
  return over === undefined ? undefined : `exceeded quota: ${quota.metadata.name}, ${over}`;
}

function refused(type: ResourceType, { metadata }: KubeObject, why: string): ApiError {
  return forbidden({ group: type.group, resource: type.plural }, metadata.name, why);
}

function usageIn(spec: ResourceQuotaSpec | undefined, resource: ResourceKey, object: KubeObject | undefined): Usage {
  if (object === undefined || !isInScope(spec ?? {}, resource, object)) return nothing;
  return usageOf(resource, object);
}

function sameUsage(left: Usage, right: Usage): boolean {
  return left.size === right.size && [...left].every(([name, amount]) => right.get(name) === amount);
}

function add(sum: Map<string, bigint>, usage: Usage, sign: bigint): void {
  for (const [name, amount] of usage) sum.set(name, (sum.get(name) ?? 0n) + sign * amount);
}
