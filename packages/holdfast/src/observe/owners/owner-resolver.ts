import type { OwnerState } from '../../core/owner.ts';
import { Discovery } from '../../kube/discovery/discovery.ts';
import { Interner } from '../../kube/projection/interner.ts';
import { type Reconciled, runWorkers, Workqueue } from '../../kube/queue/workqueue.ts';
import type { ServerTraits } from '../../kube/reflector/reflector.ts';
import { sleep, type Timer } from '../../kube/time/clock.ts';
import type { ViewContext } from '../context.ts';
import type { Touched } from '../view/touched.ts';
import { FreshScales } from './fresh-scales.ts';
import { KindFeed } from './kind-feed.ts';
import { KindTriggers } from './kind-triggers.ts';
import { type FindResource, OwnerLookUp } from './look-up.ts';
import { type AskerOptions, OwnerAsker } from './owner-asker.ts';
import { type OwnerPlace, ownerKeyOf, ownerNameOf, placeOf } from './owner-key.ts';
import { kindKeyOf, watchedKinds } from './owner-kinds.ts';
import { createOwnerMetrics, type OwnerMetrics } from './owner-metrics.ts';
import { lookUpIntoWorld } from './take-in.ts';
import { TouchedNamespaces } from './touched-namespaces.ts';

/** Look-ups at the same time. */
const workers = 16;
/** After a failure; it doubles with each further one. */
const retry = { baseMs: 250, capMs: 30_000 } as const;
/** How long changes of pods are gathered before new owners are searched for. */
const gatherMs = 50;
/** A pod may be seen before its owner: a watched kind gets this long to show it before it is asked for. */
const graceMs = 200;
/** Something happened to an owner of a kind that reports every change of its status, too. */
const stirredMs = 500;
const recheckMs = 30_000;
/** Pods that name a kind are news that it may be there by now; each kind is asked for only now and then anyway. */
const missMs = 500;
/** While the server does not even say which kinds it has. */
const recheckSoonMs = 1_000;

export type OwnerObserver = Pick<AskerOptions, 'lookedUp'>;

/** Keeps the owners of pods in the world current: watched where their kind is known, looked up where it is not. */
export class OwnerResolver {
  readonly #context: ViewContext;
  readonly #stopping = new AbortController();
  readonly #queue: Workqueue;
  readonly #feeds = new Map<string, KindFeed>();
  readonly #triggers: KindTriggers;
  readonly #asker: OwnerAsker;
  readonly #touched: TouchedNamespaces;
  readonly #metrics: OwnerMetrics;
  readonly #running: Promise<void>[] = [];
  /** For refusals that depend on owners that no watch covers. */
  readonly scales: FreshScales;
  #gathering: Timer | undefined;

  constructor(context: ViewContext, touched: Touched, traits: ServerTraits, observer: OwnerObserver = {}) {
    const { clients, clock, metrics } = context;
    const { signal } = this.#stopping;
    const interner = new Interner();
    const discovery = new Discovery({ client: clients.owners, clock, missMs });
    const findResource: FindResource = (kind) => discovery.resourceOf(kind);
    this.#context = context;
    this.#touched = new TouchedNamespaces(touched);
    this.#metrics = createOwnerMetrics(metrics);
    this.#queue = new Workqueue({ clock, ...retry });
    const listener = {
      seen: (owner: OwnerState) => this.#seen(owner),
      lost: (place: OwnerPlace) => this.#stirred(place, 0),
      settled: () => this.wake(),
    };
    for (const kind of watchedKinds) {
      this.#feeds.set(kindKeyOf(kind), new KindFeed(kind, { context, traits, findResource, interner, listener }));
    }
    this.#triggers = new KindTriggers({
      context,
      traits,
      interner,
      stirred: (place, version) => this.#heard(place, version),
    });
    // A webhook request waits for what it reads: it does not queue behind the look-ups of new owners.
    const urgent = new OwnerLookUp({ client: clients.admission, findResource, clock, interner, signal });
    this.scales = new FreshScales({
      world: context.world,
      clock,
      isWatched: (place) => this.#feeds.get(kindKeyOf(place))?.current === true,
      read: (place) => this.#readNow(place, urgent),
    });
    this.#asker = new OwnerAsker({
      context,
      feeds: this.#feeds,
      triggers: this.#triggers,
      lookUp: new OwnerLookUp({ client: clients.owners, findResource, clock, interner, signal }),
      lookUps: this.#metrics.lookUps,
      changed: (namespace) => this.#changed(namespace),
      ...observer,
    });
  }

  start(): void {
    if (this.#running.length > 0) return;
    const { world, log } = this.#context;
    world.consultOwners((namespace, group, kind, name) =>
      this.#feeds.get(kindKeyOf({ group, kind }))?.find(namespace, name),
    );
    const report = (key: string, error: unknown) => log.error('an owner could not be read', { owner: key, error });
    this.#running.push(
      runWorkers(this.#queue, workers, (key) => this.#reconcile(key), report),
      this.#recheck(),
    );
    this.wake();
  }

  /** Pods or budgets changed: they may point at owners that are new. Cheap; may be called for every change. */
  wake(): void {
    if (this.#stopping.signal.aborted) return;
    this.#gathering ??= this.#context.clock.after(gatherMs, () => {
      this.#gathering = undefined;
      this.#askForUnknown();
    });
  }

  /** Every kind that the server has, and lets us watch, was seen whole. */
  synced(): boolean {
    return [...this.#feeds.values()].every((feed) => feed.wasSettled);
  }

  async close(): Promise<void> {
    this.#stopping.abort();
    this.#gathering?.cancel();
    this.#queue.close();
    await Promise.all(this.#running);
    await Promise.all([...this.#feeds.values()].map((feed) => feed.close()));
    await this.#triggers.close();
  }

  async #readNow(place: OwnerPlace, lookUp: OwnerLookUp): Promise<void> {
    const { result } = await lookUpIntoWorld(this.#context.world, lookUp, place);
    this.#metrics.lookUps.add({ result: result.kind });
    if (result.kind === 'found' || result.kind === 'absent') this.#changed(place.namespace);
  }

  #askForUnknown(): void {
    let count = 0;
    for (const owner of this.#context.world.unknownOwners()) {
      count += 1;
      const place = placeOf(owner);
      const feed = this.#feeds.get(kindKeyOf(place));
      // Its view is about to come whole: then there is less to ask for.
      if (feed?.settled === false) continue;
      const key = ownerKeyOf(place);
      if (!this.#asker.isAsked(key, owner.uid)) this.#queue.addAfter(key, feed?.current === true ? graceMs : 0);
    }
    this.#metrics.unknown.set({}, count);
  }

  #seen(owner: OwnerState): void {
    const { world } = this.#context;
    const owners = world.ownersOf(owner);
    if (owners.length === 0) return;
    if (world.observeOwner(owner)) this.#changed(owner.namespace);
    // Late news, most likely; but a server that was restored from a backup brings owners back.
    if (owners.some(({ uid, state }) => uid === owner.uid && state === 'gone')) this.#stirred(placeOf(owner), graceMs);
  }

  #stirred(place: OwnerPlace, afterMs: number): void {
    if (this.#context.world.ownersOf(ownerNameOf(place)).length > 0) this.#queue.addAfter(ownerKeyOf(place), afterMs);
  }

  /** A watch brings the version that a look-up has just found, too. */
  #heard(place: OwnerPlace, resourceVersion: string | undefined): void {
    const owners = this.#context.world.ownersOf(ownerNameOf(place));
    const isNews = owners.some((owner) => owner.state !== 'known' || owner.resourceVersion !== resourceVersion);
    if (resourceVersion === undefined || isNews) this.#stirred(place, stirredMs);
  }

  /** What is known of an owner names its own owner, which may be new. */
  #changed(namespace: string): void {
    this.#touched.add(namespace);
    this.wake();
  }

  async #reconcile(key: string): Promise<Reconciled> {
    if (this.#stopping.signal.aborted) return { kind: 'done' };
    return this.#asker.ask(key);
  }

  async #recheck(): Promise<void> {
    const { clock, log } = this.#context;
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      try {
        await Promise.all([...this.#feeds.values()].map((feed) => feed.check()));
        for (const feed of this.#feeds.values()) for (const place of feed.frozen()) this.#stirred(place, 0);
        await this.#triggers.retain(this.#asker.followedKinds());
      } catch (error) {
        log.error('the kinds of owners could not be discovered', { error });
      }
      await sleep(clock, this.synced() ? recheckMs : recheckSoonMs, signal);
    }
  }
}
