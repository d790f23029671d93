import type { KindResource } from '../../kube/discovery/discovery.ts';
import type { Reconciled } from '../../kube/queue/workqueue.ts';
import type { CounterMetric } from '../../telemetry/metrics.ts';
import type { ViewContext } from '../context.ts';
import { isCoveredByWatch, mayChange } from './covered-by-watch.ts';
import type { KindFeed } from './kind-feed.ts';
import type { KindTriggers } from './kind-triggers.ts';
import type { LookUpResult, OwnerLookUp } from './look-up.ts';
import { type OwnerPlace, ownerNameOf, placeOfKey } from './owner-key.ts';
import { kindKeyOf } from './owner-kinds.ts';
import { lookUpIntoWorld } from './take-in.ts';

export interface AskerOptions {
  readonly context: Pick<ViewContext, 'world' | 'log' | 'random'>;
  readonly feeds: ReadonlyMap<string, KindFeed>;
  readonly triggers: KindTriggers;
  readonly lookUp: OwnerLookUp;
  readonly lookUps: CounterMetric<'result'>;
  readonly changed: (namespace: string) => void;
  /** Told of what each look-up came to. */
  readonly lookedUp?: (place: OwnerPlace, result: LookUpResult) => void;
}

/** An owner that no watch covers is read again this often, while a pod or owner refers to it. */
const againMs = 30_000;
/** The same, where a watch tells when something happens to it. */
const againWatchedMs = 300_000;
/** So that those who came together do not come back together. */
const spread = 0.1;
/** Kinds that were logged as unreadable: authors of owner references choose the kinds, so there must be a limit. */
const maxComplaints = 1_000;

/** Brings what is known of one owner up to date: from the watch of its kind if that shows it, else by asking the server. */
export class OwnerAsker {
  readonly #options: AskerOptions;
  /** Owners under way or waiting after a failure, with the uids that were asked for. */
  readonly #asked = new Map<string, ReadonlySet<string>>();
  /** Owners that are looked at again and again, with their kinds. */
  readonly #followed = new Map<string, string>();
  readonly #complaints = new Set<string>();

  constructor(options: AskerOptions) {
    this.#options = options;
  }

  /** Whether a look-up of that owner is already scheduled, perhaps for later because it failed before. */
  isAsked(key: string, uid: string): boolean {
    return this.#asked.get(key)?.has(uid) ?? false;
  }

  followedKinds(): ReadonlySet<string> {
    return new Set(this.#followed.values());
  }

  async ask(key: string): Promise<Reconciled> {
    const place = placeOfKey(key);
    const owners = this.#options.context.world.ownersOf(ownerNameOf(place));
    if (owners.some(({ state }) => state === 'unknown')) this.#observe(place);
    if (owners.length === 0 || this.#isShown(place)) return this.#done(key);
    this.#asked.set(key, new Set(owners.map(({ uid }) => uid)));
    const result = await this.#lookUp(place);
    return result.settled ? this.#next(key, place, result.resource) : { kind: 'failed' };
  }

  /** A pod may have come to refer to it while the watch of its kind was not current, and nothing happened to it since. */
  #observe(place: OwnerPlace): void {
    const { context, feeds, changed } = this.#options;
    const shown = feeds.get(kindKeyOf(place))?.find(place.namespace, place.name);
    if (shown !== undefined && context.world.observeOwner(shown)) changed(place.namespace);
  }

  /** The watch of its kind answers for every owner of that name. */
  #isShown(place: OwnerPlace): boolean {
    const { context, feeds } = this.#options;
    const feed = feeds.get(kindKeyOf(place));
    if (feed?.current !== true) return false;
    const shown = feed.find(place.namespace, place.name);
    return context.world.ownersOf(ownerNameOf(place)).every((owner) => isCoveredByWatch(owner, shown));
  }

  async #lookUp(place: OwnerPlace): Promise<{ settled: false } | { settled: true; resource: KindResource }> {
    const { context, lookUp, lookUps, changed } = this.#options;
    const { result, settled } = await lookUpIntoWorld(context.world, lookUp, place);
    lookUps.add({ result: result.kind });
    this.#options.lookedUp?.(place, result);
    if (result.kind !== 'found' && result.kind !== 'absent') {
      this.#complain(place, result);
      return { settled: false };
    }
    changed(place.namespace);
    return settled ? { settled, resource: result.resource } : { settled };
  }

  #next(key: string, place: OwnerPlace, resource: KindResource): Reconciled {
    const { context, feeds, triggers } = this.#options;
    const kindKey = kindKeyOf(place);
    const owners = context.world.ownersOf(ownerNameOf(place));
    const feed = feeds.get(kindKey);
    const isOpen = feed?.current === true ? !this.#isShown(place) : owners.some(mayChange);
    if (owners.length === 0 || !isOpen) return this.#done(key);
    this.#asked.delete(key);
    if (feed === undefined) {
      this.#followed.set(key, kindKey);
      triggers.ensure(resource);
    }
    const afterMs = triggers.covers(place) ? againWatchedMs : againMs;
    return { kind: 'again', afterMs: afterMs * (1 + spread * context.random()) };
  }

  #done(key: string): Reconciled {
    this.#asked.delete(key);
    this.#followed.delete(key);
    return { kind: 'done' };
  }

  /** Once for each kind: there may be thousands of owners, and what helps is the same for all. */
  #complain(place: OwnerPlace, result: Exclude<LookUpResult, { kind: 'found' | 'absent' }>): void {
    const { log } = this.#options.context;
    const kind = kindKeyOf(place);
    if (result.kind === 'failed') {
      log.debug('an owner could not be read', { ...place, error: result.failure.message });
      return;
    }
    const complaint = `${result.kind} ${kind}`;
    if (this.#complaints.has(complaint)) return;
    if (this.#complaints.size >= maxComplaints) this.#complaints.clear();
    this.#complaints.add(complaint);
    const example = { kind, namespace: place.namespace, name: place.name };
    if (result.kind === 'unserved') log.warn('pods have owners of a kind that the API server does not know', example);
    else {
      const resource = result.resource?.plural;
      const help = 'add the kind to ownerKinds in the installation values, so that the operator may read it';
      log.warn('the operator may not read owners of this kind', {
        ...example,
        resource,
        help,
        error: result.failure.message,
      });
    }
  }
}
