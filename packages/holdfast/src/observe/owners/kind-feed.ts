import type { OwnerState } from '../../core/owner.ts';
import type { KindResource } from '../../kube/discovery/discovery.ts';
import type { Interner } from '../../kube/projection/interner.ts';
import { ObjectCache } from '../../kube/reflector/cache.ts';
import { Reflector, type ServerTraits } from '../../kube/reflector/reflector.ts';
import type { ViewContext } from '../context.ts';
import type { FindResource } from './look-up.ts';
import type { OwnerPlace } from './owner-key.ts';
import { kindKeyOf, type WatchedKind } from './owner-kinds.ts';
import { type OwnerRecord, ownerStateOf, projectOwner } from './owner-record.ts';

export interface FeedListener {
  /** The watch shows it, new or changed. */
  seen(owner: OwnerState): void;
  /** The watch does not show it any more. Whether it is gone, and which, is to be asked. */
  lost(place: OwnerPlace): void;
  /** From now on a look at the view says whether an owner was seen, or that the view cannot be had. */
  settled(): void;
}

export interface FeedOptions {
  readonly context: Pick<ViewContext, 'clients' | 'clock' | 'random' | 'log'>;
  readonly traits: ServerTraits;
  readonly findResource: FindResource;
  readonly interner: Interner;
  readonly listener: FeedListener;
}

/** A view that no server has confirmed for so long is not looked at. Servers send a bookmark about every minute. */
const maxSilentMs = 300_000;

/** A kind that the server never sent and fails to send this often, because it cannot convert it for example, does not hold up readiness. */
const maxFailures = 5;

type Standing =
  /** Not known yet whether the server has the kind. */
  | 'unclear'
  | 'unserved'
  /** Being read for the first time. */
  | 'reading'
  | 'current'
  /** The server does not let us watch it, or fails to send it. */
  | 'refused';

/** The owners of one kind as a watch shows them, from the time on that the server has the kind. */
export class KindFeed {
  readonly kind: WatchedKind;
  readonly #options: FeedOptions;
  /** Outlives its reflector: what a later one does not show any more is then reported as lost. */
  readonly #cache: ObjectCache<OwnerRecord>;
  #standing: Standing = 'unclear';
  #wasSettled = false;
  #failuresInARow = 0;
  #reflector: Reflector<OwnerRecord> | undefined;
  #resource: KindResource | undefined;

  constructor(kind: WatchedKind, options: FeedOptions) {
    this.kind = kind;
    this.#options = options;
    const { context, listener } = options;
    const report = (error: unknown) =>
      context.log.error('an owner from the watch could not be processed', { kind: kindKeyOf(kind), error });
    this.#cache = new ObjectCache({ report });
    this.#cache.listen({
      delta: ({ type, item }) => {
        if (type === 'deleted') listener.lost(this.#placeOf(item));
        else listener.seen(this.#stateOf(item));
      },
      progress: () => {
        this.#failuresInARow = 0;
        this.#become('current');
      },
    });
  }

  /** What it shows is the state of now, give or take the delay of a watch. */
  get current(): boolean {
    return this.#standing === 'current' && (this.#reflector?.silentMs() ?? Number.POSITIVE_INFINITY) < maxSilentMs;
  }

  /** It was settled once, whatever it is now. */
  get wasSettled(): boolean {
    return this.#wasSettled;
  }

  get settled(): boolean {
    return this.#standing !== 'unclear' && this.#standing !== 'reading';
  }

  find(namespace: string, name: string): OwnerState | undefined {
    const record = this.current ? this.#cache.get(namespace, name) : undefined;
    return record === undefined ? undefined : this.#stateOf(record);
  }

  /** What a view that is no longer current saw last: these owners must be read to notice changes. */
  *frozen(): Iterable<OwnerPlace> {
    if (this.current) return;
    for (const record of this.#cache.items()) yield this.#placeOf(record);
  }

  /** Looks whether the server has the kind, and where. To be called again now and then: definitions come, go and change. */
  async check(): Promise<void> {
    const found = await this.#options.findResource(this.kind);
    if (found.ok) await this.#follow(found.value);
    else if (found.failure.kind === 'notFound') {
      await this.close();
      this.#become('unserved');
    }
  }

  async close(): Promise<void> {
    const reflector = this.#reflector;
    this.#reflector = undefined;
    this.#resource = undefined;
    await reflector?.stop();
  }

  async #follow(resource: KindResource): Promise<void> {
    if (this.#resource?.version === resource.version && this.#resource.plural === resource.plural) return;
    await this.close();
    const { context, traits, interner } = this.#options;
    this.#resource = resource;
    if (this.#standing !== 'refused') this.#standing = 'reading';
    this.#reflector = new Reflector<OwnerRecord>({
      client: context.clients.watch,
      resource,
      project: (object) => projectOwner(object, this.kind.scaled, interner),
      sink: this.#cache,
      traits,
      clock: context.clock,
      random: context.random,
      report: (end) => {
        this.#failuresInARow += 1;
        const why = end.kind === 'failed' ? end.failure.message : end.message;
        const refused = end.kind === 'failed' && (end.failure.kind === 'denied' || end.failure.kind === 'notFound');
        const hopeless = this.#standing === 'reading' && this.#failuresInARow >= maxFailures;
        if (refused || hopeless) this.#refuse(why);
      },
    });
    this.#reflector.start();
  }

  #refuse(why: string): void {
    if (this.#standing === 'refused') return;
    this.#options.context.log.warn('owners of this kind cannot be watched, so the operator reads them one by one', {
      kind: kindKeyOf(this.kind),
      why,
    });
    this.#become('refused');
  }

  #become(standing: Standing): void {
    if (this.#standing === standing) return;
    this.#standing = standing;
    this.#wasSettled = true;
    this.#options.listener.settled();
  }

  #placeOf({ metadata }: OwnerRecord): OwnerPlace {
    const { group, kind } = this.kind;
    return { group, kind, namespace: metadata.namespace ?? '', name: metadata.name };
  }

  #stateOf(record: OwnerRecord): OwnerState {
    return ownerStateOf(this.kind, record.metadata.namespace ?? '', record);
  }
}
