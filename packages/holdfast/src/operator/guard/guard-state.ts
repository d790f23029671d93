import { sameJson } from '@holdfast/base/json';
import type { Namespace } from '@holdfast/base/meta';
import type { Guard } from '../../core/status/condition.ts';
import type { CacheListener, ObjectCache } from '../../kube/reflector/cache.ts';
import type { Clock } from '../../kube/time/clock.ts';
import type { ForeignWebhooks } from '../../observe/foreign-webhooks/foreign-webhooks.ts';
import { guardFor, observedByInstallation } from '../../observe/guard/guard-of.ts';
import { type PodWebhooks, podWebhooksOf } from '../../observe/guard/registration.ts';
import { Settling } from './settling.ts';

export interface GuardStateParts {
  readonly clock: Clock;
  readonly namespaces: Pick<ObjectCache<Namespace>, 'items' | 'listen' | 'synced'>;
  readonly foreignWebhooks: Pick<ForeignWebhooks, 'synced' | 'ownConfiguration' | 'listen'>;
  /** The operator's own namespace. */
  readonly own: string;
  /** This replica lets every request pass. */
  readonly observes?: boolean;
  /** Why a namespace that was observed is not enforced yet. */
  readonly startingIn?: (namespace: string) => string | undefined;
  /** Told when what `guardOf` says of a namespace has changed. Cheap, and never throws. */
  readonly changed: (namespace: string) => void;
  readonly settleMs?: number;
}

/** API servers learn labels and configurations by watching, as we do. */
const defaultSettleMs = 1_000;

const unknown: Guard = { kind: 'off', message: 'the operator has not seen the namespace yet' };
const notSeen = { kind: 'missing', message: 'the operator has not seen the webhook configurations yet' } as const;
const unseen: PodWebhooks = { enforcing: notSeen, observing: notSeen, installation: 'enforce' };
const settling: Guard = {
  kind: 'off',
  message: 'the namespace was labelled a moment ago, and API servers may not have seen the label yet',
};

/** Whether requests about the pods of a namespace really reach us, as far as that can be seen from outside. */
export class GuardState {
  /**
   * What was found at the start has settled. Controllers that write a guard into objects wait for it; otherwise every restart
   * would report for a moment that nothing is protected. Closing also ends the wait.
   */
  readonly settled: Promise<void>;
  readonly #parts: GuardStateParts;
  /** As it would be when it has settled, by namespace. */
  readonly #guards = new Map<string, Guard>();
  readonly #settling: Settling;
  readonly #settledAtStart: () => void;
  #webhooks: PodWebhooks = unseen;
  #stop: readonly (() => void)[] = [];
  #complete = false;

  constructor(parts: GuardStateParts) {
    const { clock, settleMs = defaultSettleMs, changed } = parts;
    this.#parts = parts;
    this.#settling = new Settling(clock, settleMs, changed);
    let done = () => {};
    this.settled = new Promise((resolve) => {
      done = resolve;
    });
    this.#settledAtStart = done;
  }

  start(): void {
    const { namespaces, foreignWebhooks } = this.#parts;
    const listener: CacheListener<Namespace> = {
      delta: ({ type, item }) => (type === 'deleted' ? this.#forget(item.metadata.name) : this.#review(item)),
      progress: () => this.#begin(),
    };
    this.#register();
    this.#stop = [namespaces.listen(listener), foreignWebhooks.listen(() => this.#register())];
  }

  close(): void {
    for (const stop of this.#stop) stop();
    this.#settling.close();
    this.#settledAtStart();
  }

  guardOf(namespace: string): Guard {
    const guard = this.#guards.get(namespace) ?? unknown;
    if (guard.kind === 'off') return guard;
    if (this.#parts.observes === true) return { kind: 'observed', message: observedByInstallation };
    const starting = guard.kind === 'on' ? this.#parts.startingIn?.(namespace) : undefined;
    if (starting !== undefined) return { kind: 'off', message: starting };
    return this.#settling.has(namespace) ? settling : guard;
  }

  #register(): void {
    const { namespaces, foreignWebhooks } = this.#parts;
    if (!foreignWebhooks.synced) return;
    this.#webhooks = podWebhooksOf(foreignWebhooks.ownConfiguration());
    for (const namespace of namespaces.items()) this.#review(namespace);
    this.#begin();
  }

  #begin(): void {
    const { clock, namespaces, foreignWebhooks, settleMs = defaultSettleMs } = this.#parts;
    if (this.#complete || !namespaces.synced || !foreignWebhooks.synced) return;
    this.#complete = true;
    const timer = clock.after(settleMs, this.#settledAtStart);
    this.#stop = [...this.#stop, () => timer.cancel()];
  }

  #review(namespace: Namespace): void {
    const { name } = namespace.metadata;
    const guard = guardFor(namespace, this.#parts.own, this.#webhooks);
    const before = this.#guards.get(name);
    if (before !== undefined && sameJson(before, guard)) return;
    this.#guards.set(name, guard);
    if (guard.kind === 'off') this.#settling.delete(name);
    else this.#settling.add(name);
    this.#parts.changed(name);
  }

  #forget(name: string): void {
    this.#guards.delete(name);
    this.#settling.delete(name);
  }
}
