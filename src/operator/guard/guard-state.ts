import type { Namespace } from '../../api/meta.ts';
import type { Guard } from '../../core/status/condition.ts';
import type { CacheListener, ObjectCache } from '../../kube/reflector/cache.ts';
import type { Clock } from '../../kube/time/clock.ts';
import type { ForeignWebhooks } from '../foreign-webhooks/foreign-webhooks.ts';
import { guardProblem } from './guard-problem.ts';
import { type Registration, registrationOf } from './registration.ts';
import { Settling } from './settling.ts';

export interface GuardStateParts {
  readonly clock: Clock;
  readonly namespaces: Pick<ObjectCache<Namespace>, 'items' | 'listen' | 'synced'>;
  readonly foreignWebhooks: Pick<ForeignWebhooks, 'synced' | 'ownConfiguration' | 'listen'>;
  /** The operator's own namespace. */
  readonly own: string;
  /** Told when what `guardOf` says of a namespace has changed. Cheap, and never throws. */
  readonly changed: (namespace: string) => void;
  readonly settleMs?: number;
}

/** API servers learn labels and configurations by watching, as we do. */
const defaultSettleMs = 1_000;

const unknown: Guard = { kind: 'off', message: 'the operator has not seen the namespace yet' };
const unseen: Registration = { kind: 'missing', message: 'the operator has not seen the webhook configurations yet' };
const settling: Guard = {
  kind: 'off',
  message: 'the namespace was labelled a moment ago, and API servers may not have seen the label yet',
};
const on: Guard = { kind: 'on' };

/** Whether requests about the pods of a namespace really reach us, as far as that can be seen from outside. */
export class GuardState {
  /**
   * What was found at the start has settled. Controllers that write a guard into objects wait for it; otherwise every restart
   * would report for a moment that nothing is protected. Closing also ends the wait.
   */
  readonly settled: Promise<void>;
  readonly #parts: GuardStateParts;
  /** Why a namespace is not guarded; undefined: it is. */
  readonly #problems = new Map<string, string | undefined>();
  readonly #settling: Settling;
  readonly #settledAtStart: () => void;
  #registration: Registration = unseen;
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
    if (!this.#problems.has(namespace)) return unknown;
    const problem = this.#problems.get(namespace);
    if (problem !== undefined) return { kind: 'off', message: problem };
    return this.#settling.has(namespace) ? settling : on;
  }

  #register(): void {
    const { namespaces, foreignWebhooks } = this.#parts;
    if (!foreignWebhooks.synced) return;
    this.#registration = registrationOf(foreignWebhooks.ownConfiguration());
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
    const problem = guardProblem(namespace, this.#parts.own, this.#registration);
    if (this.#problems.has(name) && this.#problems.get(name) === problem) return;
    this.#problems.set(name, problem);
    if (problem === undefined) this.#settling.add(name);
    else this.#settling.delete(name);
    this.#parts.changed(name);
  }

  #forget(name: string): void {
    this.#problems.delete(name);
    this.#settling.delete(name);
  }
}
