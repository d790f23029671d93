import { type Fields, isObject } from '@holdfast/base/json';
import type { OwnerState } from '../../core/owner.ts';
import type { KubeReader } from '../../kube/client/reader.ts';
import type { KindResource } from '../../kube/discovery/discovery.ts';
import type { Failure, Outcome } from '../../kube/outcome/failure.ts';
import type { Interner } from '../../kube/projection/interner.ts';
import type { Clock } from '../../kube/time/clock.ts';
import type { OwnerPlace } from './owner-key.ts';
import { kindKeyOf, type OwnerKind, watchedKinds } from './owner-kinds.ts';
import { type OwnerRecord, ownerStateOf, projectOwner, scaleReplicasOf } from './owner-record.ts';

/** What a live look-up came to. Only `absent` means that there is no such owner. */
export type LookUpResult =
  | { readonly kind: 'found'; readonly owner: OwnerState; readonly resource: KindResource }
  /** The server knows the kind, and said of this very name that there is nothing. */
  | { readonly kind: 'absent'; readonly resource: KindResource }
  /**
   * The server has no such kind. That does not make it certain that the owner is gone: the garbage collector does not touch the
   * pods of such owners, either, and the built-in disruption controller refuses to count them.
   */
  | { readonly kind: 'unserved' }
  /** We may not read it, nor its scale if it has one. */
  | { readonly kind: 'denied'; readonly resource: KindResource | undefined; readonly failure: Failure }
  | { readonly kind: 'failed'; readonly failure: Failure };

/** Where objects of a kind live. */
export type FindResource = (kind: OwnerKind) => Promise<Outcome<KindResource>>;

export interface LookUpOptions {
  readonly client: KubeReader;
  readonly findResource: FindResource;
  readonly clock: Clock;
  readonly interner: Interner;
  readonly signal: AbortSignal;
}

/** A kind that we may not read, or that is not there, is tried again after this long, by one owner for all of its kind. */
const restMs = 30_000;
/** Authors of owner references choose the kinds: what is remembered must have a limit. */
const maxResting = 1_000;

const scaledKinds: ReadonlyMap<string, boolean> = new Map(watchedKinds.map((one) => [kindKeyOf(one), one.scaled]));

/** Looks owners up one by one, as they are now. */
export class OwnerLookUp {
  readonly #options: LookUpOptions;
  readonly #resting = new Map<string, { readonly until: number; readonly failure: Failure }>();

  constructor(options: LookUpOptions) {
    this.#options = options;
  }

  async find(place: OwnerPlace): Promise<LookUpResult> {
    const resource = await this.#resourceOf(place);
    if (!resource.ok) {
      const { failure } = resource;
      if (failure.kind === 'notFound') return { kind: 'unserved' };
      return failure.kind === 'denied' ? { kind: 'denied', resource: undefined, failure } : { kind: 'failed', failure };
    }
    try {
      return await this.#read(place, resource.value);
    } catch (error) {
      return garbled(error instanceof Error ? error.message : String(error));
    }
  }

  async #resourceOf(place: OwnerPlace): Promise<Outcome<KindResource>> {
    const key = `resource of ${kindKeyOf(place)}`;
    const resting = this.#restingAt(key);
    if (resting !== undefined) return { ok: false, failure: resting };
    const found = await this.#options.findResource(place);
    if (!found.ok && found.failure.kind === 'notFound') this.#rest(key, found.failure);
    return found;
  }

  async #read(place: OwnerPlace, resource: KindResource): Promise<LookUpResult> {
    const { interner } = this.#options;
    const object = await this.#object(place, resource);
    if (!object.ok) {
      if (object.failure.kind !== 'denied') return withoutObject(object.failure, place, resource);
      return resource.scalable
        ? this.#readScaleAlone(place, resource)
        : { kind: 'denied', resource, failure: object.failure };
    }
    const scaled = scaledKinds.get(kindKeyOf(place));
    const record = projectOwner(object.value, scaled ?? false, interner);
    if (scaled !== undefined || !resource.scalable) return found(place, resource, record);
    const scale = await this.#get(place, resource, 'scale');
    if (!scale.ok) return withoutObject(scale.failure, place, resource);
    // Between the two calls another object may have taken the name.
    if (uidOf(scale.value) !== record.metadata.uid) return garbled('the owner was replaced while it was read');
    return found(place, resource, { ...record, replicas: scaleReplicasOf(scale.value) });
  }

  /** A scale says whose it is and how many there should be; by whom its object is owned, it does not say. */
  async #readScaleAlone(place: OwnerPlace, resource: KindResource): Promise<LookUpResult> {
    const scale = await this.#get(place, resource, 'scale');
    if (!scale.ok) return withoutObject(scale.failure, place, resource);
    const record = projectOwner(scale.value, false, this.#options.interner);
    return found(place, resource, { ...record, replicas: scaleReplicasOf(scale.value) });
  }

  async #object(place: OwnerPlace, resource: KindResource): Promise<Outcome<Fields>> {
    const key = `right to read ${kindKeyOf(place)}`;
    const resting = this.#restingAt(key);
    if (resting !== undefined) return { ok: false, failure: resting };
    const object = await this.#get(place, resource);
    if (!object.ok && object.failure.kind === 'denied') this.#rest(key, object.failure);
    return object;
  }

  #get({ namespace, name }: OwnerPlace, resource: KindResource, subresource?: string): Promise<Outcome<Fields>> {
    const { client, signal } = this.#options;
    const place = { namespace, name, ...(subresource === undefined ? {} : { subresource }) };
    return client.get<Fields>(resource, place, { signal });
  }

  #restingAt(key: string): Failure | undefined {
    const resting = this.#resting.get(key);
    return resting !== undefined && this.#options.clock.monotonic() < resting.until ? resting.failure : undefined;
  }

  #rest(key: string, failure: Failure): void {
    if (this.#resting.size >= maxResting) this.#resting.clear();
    this.#resting.set(key, { until: this.#options.clock.monotonic() + restMs, failure });
  }
}

function found(place: OwnerPlace, resource: KindResource, record: OwnerRecord): LookUpResult {
  return { kind: 'found', owner: ownerStateOf(place, place.namespace, record), resource };
}

/** "Not found" may be about the object or about its kind; only an answer that names the object is about the object. */
function withoutObject(failure: Failure, { name }: OwnerPlace, resource: KindResource): LookUpResult {
  if (failure.kind === 'denied') return { kind: 'denied', resource, failure };
  const isAbsent = failure.kind === 'notFound' && failure.status?.details?.name === name;
  return isAbsent ? { kind: 'absent', resource } : { kind: 'failed', failure };
}

function garbled(message: string): LookUpResult {
  return {
    kind: 'failed',
    failure: { kind: 'retry', cause: 'garbled', message, retryAfterMs: undefined, maybeDone: false },
  };
}

function uidOf(object: Fields): unknown {
  const { metadata } = object;
  return isObject(metadata) ? metadata['uid'] : undefined;
}
