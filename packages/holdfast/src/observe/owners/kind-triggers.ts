import type { KindResource } from '../../kube/discovery/discovery.ts';
import type { Interner } from '../../kube/projection/interner.ts';
import { Reflector, type ServerTraits } from '../../kube/reflector/reflector.ts';
import type { Sink } from '../../kube/reflector/sink.ts';
import type { ViewContext } from '../context.ts';
import type { OwnerPlace } from './owner-key.ts';
import { kindKeyOf, type OwnerKind } from './owner-kinds.ts';
import { type OwnerRecord, projectOwner } from './owner-record.ts';

export interface TriggerOptions {
  readonly context: Pick<ViewContext, 'clients' | 'clock' | 'random' | 'log'>;
  readonly traits: ServerTraits;
  readonly interner: Interner;
  /** Something happened to an owner, which has this version now; none: it is not shown any more. */
  readonly stirred: (place: OwnerPlace, resourceVersion: string | undefined) => void;
}

/** Each is a watch: pods can be made to point at more kinds than a server likes to be watched for. */
const maxTriggers = 50;
/** Rights change rarely: a kind that we may not watch is left alone for this long. */
const refusedMs = 600_000;

/** A watch that was silent for longer may have ended unnoticed. */
const maxSilentMs = 300_000;

interface Trigger {
  readonly reflector: Reflector<OwnerRecord>;
  /** The server has shown the kind whole, and lets us go on watching it. */
  current: boolean;
}

/**
 * Watches owner kinds that are not built in, where we may, to read an owner again as soon as it changes. What the watch shows is
 * not kept: only the scale says how many pods such an owner wants.
 */
export class KindTriggers {
  readonly #options: TriggerOptions;
  readonly #triggers = new Map<string, Trigger>();
  readonly #refusedAt = new Map<string, number>();

  constructor(options: TriggerOptions) {
    this.#options = options;
  }

  /** Whether changes of owners of this kind are heard of. */
  covers(kind: OwnerKind): boolean {
    const trigger = this.#triggers.get(kindKeyOf(kind));
    return trigger?.current === true && trigger.reflector.silentMs() < maxSilentMs;
  }

  ensure(resource: KindResource): void {
    const key = kindKeyOf(resource);
    if (this.#triggers.has(key) || this.#triggers.size >= maxTriggers) return;
    if (!resource.namespaced || !['list', 'watch'].every((verb) => resource.verbs.includes(verb))) return;
    if (this.#isRefused(key)) return;
    const trigger: Trigger = { reflector: this.#reflect(key, resource), current: false };
    this.#triggers.set(key, trigger);
    trigger.reflector.start();
  }

  /** Ends the watches of kinds that no pod's owner has any more. */
  async retain(kinds: ReadonlySet<string>): Promise<void> {
    for (const key of [...this.#triggers.keys()]) if (!kinds.has(key)) await this.#end(key);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#triggers.keys()].map((key) => this.#end(key)));
  }

  #reflect(key: string, resource: KindResource): Reflector<OwnerRecord> {
    const { context, traits, interner } = this.#options;
    return new Reflector<OwnerRecord>({
      client: context.clients.watch,
      resource,
      project: (object) => projectOwner(object, false, interner),
      sink: this.#sink(key, resource),
      traits,
      clock: context.clock,
      random: context.random,
      report: (end) => {
        if (end.kind !== 'failed' || (end.failure.kind !== 'denied' && end.failure.kind !== 'notFound')) return;
        this.#refuse(key);
      },
    });
  }

  #sink(key: string, { group, kind }: KindResource): Sink<OwnerRecord> {
    const tell = ({ metadata }: OwnerRecord, resourceVersion: string | undefined): void =>
      this.#options.stirred({ group, kind, namespace: metadata.namespace ?? '', name: metadata.name }, resourceVersion);
    const heard = (): void => {
      const trigger = this.#triggers.get(key);
      if (trigger !== undefined) trigger.current = true;
    };
    return {
      replace: (items) => {
        for (const item of items) tell(item, item.metadata.resourceVersion);
        heard();
      },
      upsert: (item) => tell(item, item.metadata.resourceVersion),
      remove: (item) => tell(item, undefined),
      bookmark: heard,
    };
  }

  #refuse(key: string): void {
    if (this.#refusedAt.size >= maxTriggers) this.#refusedAt.clear();
    this.#refusedAt.set(key, this.#options.context.clock.monotonic());
    // Not waited for: it is the reflector itself that brings the news.
    void this.#end(key);
  }

  #isRefused(key: string): boolean {
    const at = this.#refusedAt.get(key);
    return at !== undefined && this.#options.context.clock.monotonic() - at < refusedMs;
  }

  async #end(key: string): Promise<void> {
    const trigger = this.#triggers.get(key);
    this.#triggers.delete(key);
    await trigger?.reflector.stop();
  }
}
