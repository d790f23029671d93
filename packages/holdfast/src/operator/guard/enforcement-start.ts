import type { Namespace } from '@holdfast/base/meta';
import type { CacheListener, ObjectCache } from '../../kube/reflector/cache.ts';
import { type Clock, sleep } from '../../kube/time/clock.ts';
import type { ForeignWebhooks } from '../../observe/foreign-webhooks/foreign-webhooks.ts';
import { modeOf } from '../../observe/guard/guard-mode.ts';
import { observesAll } from '../../observe/guard/registration.ts';
import type { PodsVersion } from '../ledger/ledger-pruner.ts';

export interface EnforcementStartParts {
  readonly clock: Clock;
  readonly namespaces: Pick<ObjectCache<Namespace>, 'items' | 'listen'>;
  readonly foreignWebhooks: Pick<ForeignWebhooks, 'ownConfiguration' | 'listen'>;
  /** This replica was told to let every request pass. */
  readonly observes: boolean;
  /** Told when `startingIn` says something else of a namespace. Cheap, and never throws. */
  readonly changed: (namespace: string) => void;
  readonly limits?: StartLimits;
}

export interface PodsAhead {
  readonly podsVersion: PodsVersion;
  /** Whether the view of the pods gets as new as this before the signal aborts. */
  readonly views: { reached(version: string, signal: AbortSignal): Promise<boolean> };
}

export interface StartLimits {
  /**
   * How long requests may be under way that passed while the namespace was observed: API servers wait 5 seconds for a webhook that
   * observes, other replicas rest on views that are at most 15 seconds old, and the write itself takes a moment.
   */
  readonly settleMs: number;
  /** Between attempts to read the pods, and how long each may wait for the view. */
  readonly retryMs: number;
}

const defaultStartLimits: StartLimits = { settleMs: 20_000, retryMs: 1_000 };

const starting =
  'the namespace was observed until a moment ago, and requests that passed then may still be under way; Holdfast enforces its budgets within half a minute';

/**
 * From observing to enforcing. What passed while a namespace was observed is in no ledger, and the view may not show it yet: until it must
 * have happened, and the view is as new as a read of the pods made after that, no protected pod is let go.
 */
export class EnforcementStart {
  readonly #parts: EnforcementStartParts;
  readonly #limits: StartLimits;
  /** Namespaces that were observed; those that are waited for have what ends the wait. */
  readonly #observed = new Map<string, AbortController | undefined>();
  #all: boolean;
  #stop: readonly (() => void)[] = [];

  constructor(parts: EnforcementStartParts) {
    this.#parts = parts;
    this.#limits = parts.limits ?? defaultStartLimits;
    this.#all = parts.observes;
  }

  /** Before that it only tells what it was told at first. */
  start(pods: PodsAhead): void {
    const { namespaces, foreignWebhooks } = this.#parts;
    const listener: CacheListener<Namespace> = {
      delta: ({ type, item }) => (type === 'deleted' ? this.#forget(item.metadata.name) : this.#review(item, pods)),
    };
    this.#stop = [foreignWebhooks.listen(() => this.#register(pods)), namespaces.listen(listener)];
    this.#register(pods);
  }

  close(): void {
    for (const stop of this.#stop) stop();
    for (const wait of this.#observed.values()) wait?.abort();
    this.#observed.clear();
  }

  /** No request is refused in any namespace: this replica was told so, or the installation's webhooks observe. */
  get observesAll(): boolean {
    return this.#all;
  }

  /** Why a namespace that was observed is not enforced yet; undefined: it is, or it is observed still. */
  startingIn(namespace: string): string | undefined {
    return this.#observed.get(namespace) === undefined ? undefined : starting;
  }

  #register(pods: PodsAhead): void {
    const { namespaces, foreignWebhooks, observes } = this.#parts;
    const configuration = foreignWebhooks.ownConfiguration();
    const all = observes || (configuration !== undefined && observesAll(configuration));
    if (all === this.#all) return;
    this.#all = all;
    for (const namespace of namespaces.items()) this.#review(namespace, pods);
  }

  #review(namespace: Namespace, pods: PodsAhead): void {
    const { name } = namespace.metadata;
    const mode = modeOf(namespace, this.#all);
    const wait = this.#observed.get(name);
    if (mode === 'observe') {
      wait?.abort();
      this.#observed.set(name, undefined);
    } else if (mode === 'enforce' && this.#observed.has(name) && wait === undefined) {
      const controller = new AbortController();
      this.#observed.set(name, controller);
      void this.#settle(name, pods, controller.signal);
    } else return;
    this.#parts.changed(name);
  }

  async #settle(name: string, { podsVersion, views }: PodsAhead, signal: AbortSignal): Promise<void> {
    const { clock, changed } = this.#parts;
    const { settleMs, retryMs } = this.#limits;
    if (!(await sleep(clock, settleMs, signal))) return;
    let version = await podsVersion(name);
    while (version === undefined || !(await this.#reached(views, version, signal))) {
      if (!(await sleep(clock, retryMs, signal))) return;
      version ??= await podsVersion(name);
    }
    if (signal.aborted) return;
    this.#observed.delete(name);
    changed(name);
  }

  async #reached(views: PodsAhead['views'], version: string, signal: AbortSignal): Promise<boolean> {
    const { clock } = this.#parts;
    const late = new AbortController();
    const timer = clock.after(this.#limits.retryMs, () => late.abort());
    try {
      return await views.reached(version, AbortSignal.any([signal, late.signal]));
    } finally {
      timer.cancel();
    }
  }

  #forget(name: string): void {
    this.#observed.get(name)?.abort();
    this.#observed.delete(name);
  }
}
