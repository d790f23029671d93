import type { Namespace } from '@holdfast/base/meta';
import { operatorName } from '../../api/installation-names.ts';
import type { DecideOptions } from '../../core/decide/decide.ts';
import type { ResourceName } from '../../kube/client/client.ts';
import { ObjectCache } from '../../kube/reflector/cache.ts';
import { Reflector, type ServerTraits } from '../../kube/reflector/reflector.ts';
import type { GaugeMetric } from '../../telemetry/metrics.ts';
import type { OperatorContext } from '../context.ts';
import { resources } from '../resources.ts';
import { evictionWebhooks, type ForeignWebhook, mayReach } from './foreign.ts';
import { isKruiseForPubs } from './kruise.ts';
import { type ConfigurationView, projectConfiguration } from './webhook-view.ts';

export interface ForeignWebhooksParts {
  readonly context: Pick<OperatorContext, 'clients' | 'clock' | 'random' | 'log' | 'metrics'>;
  readonly traits: ServerTraits;
  /** For the labels that webhooks select namespaces by. */
  readonly namespaces: Pick<ObjectCache<Namespace>, 'get'>;
}

/** Longer than the longest silence of a watch that is well, and than it takes to begin another. */
const maxSilentMs = 200_000;

interface Findings {
  readonly foreign: readonly ForeignWebhook[];
  readonly kruise: boolean;
  /** Our own configuration. */
  readonly own: ConfigurationView | undefined;
}

/** What others have registered with the API server beside us, and whether we are registered ourselves. */
export class ForeignWebhooks {
  readonly #parts: ForeignWebhooksParts;
  readonly #validating: Watch;
  readonly #mutating: Watch;
  readonly #foreignCount: GaugeMetric<never>;
  readonly #listeners = new Set<() => void>();
  #findings: Findings | undefined;

  constructor(parts: ForeignWebhooksParts) {
    this.#parts = parts;
    this.#foreignCount = parts.context.metrics.gauge({
      name: 'foreign_eviction_webhook',
      help: 'Webhooks of other products that are called for evictions. While there is one, the operator completes no evictions itself.',
      labels: [],
    });
    const refresh = () => this.#refresh();
    this.#validating = watch('ValidatingWebhookConfiguration', resources.validating, parts, refresh);
    this.#mutating = watch('MutatingWebhookConfiguration', resources.mutating, parts, refresh);
  }

  start(): void {
    for (const { reflector } of this.#watches()) reflector.start();
  }

  async close(): Promise<void> {
    await Promise.all(this.#watches().map(({ reflector }) => reflector.stop()));
  }

  /** All registrations have been seen. */
  get synced(): boolean {
    return this.#findings !== undefined;
  }

  /** Called after what is found here has changed, also when it is first known. */
  listen(changed: () => void): () => void {
    this.#listeners.add(changed);
    return () => void this.#listeners.delete(changed);
  }

  /**
   * Which other webhook judges evictions in a namespace: validating webhooks are called at the same time, so an eviction that we
   * completed could be refused by another. Mutating ones are called before, and count all the same: a webhook that sees evictions
   * may do more than answer. While this is not known, it counts as if there were one.
   */
  foreignEvictionWebhook(namespace: string): string | undefined {
    if (this.#findings === undefined) return 'unknown: the operator has not seen the webhook configurations yet';
    const silentMs = Math.max(...this.#watches().map(({ reflector }) => reflector.silentMs()));
    if (silentMs > maxSilentMs) {
      return `unknown: the operator has not heard from the watch of webhook configurations for ${Math.round(silentMs / 1_000)} seconds`;
    }
    const { foreign } = this.#findings;
    if (foreign.length === 0) return undefined;
    const known = this.#parts.namespaces.get(undefined, namespace);
    const labels = known === undefined ? undefined : (known.metadata.labels ?? {});
    return foreign.find((webhook) => mayReach(webhook, labels))?.title;
  }

  /** Kruise enforces PodUnavailableBudgets. As long as that is not known, they are ours to protect. */
  kruiseOwnsPubs(): boolean {
    return this.#findings?.kruise ?? false;
  }

  /** Our ValidatingWebhookConfiguration, as it was last seen. */
  ownConfiguration(): ConfigurationView | undefined {
    return this.#findings?.own;
  }

  #watches(): readonly Watch[] {
    return [this.#validating, this.#mutating];
  }

  #refresh(): void {
    if (this.#watches().some(({ cache }) => !cache.synced)) return;
    const before = this.#findings;
    this.#findings = {
      foreign: this.#watches().flatMap(({ kind, cache }) =>
        others(cache).flatMap((configuration) => evictionWebhooks(kind, configuration)),
      ),
      kruise: this.#watches().some(({ cache }) => others(cache).some(isKruiseForPubs)),
      own: this.#validating.cache.get(undefined, operatorName),
    };
    if (signature(before) === signature(this.#findings)) return;
    this.#tell(before, this.#findings);
    for (const listener of this.#listeners) this.#call(listener);
  }

  #tell(before: Findings | undefined, { foreign, kruise }: Findings): void {
    const { log } = this.#parts.context;
    this.#foreignCount.set({}, foreign.length);
    const webhooks = titles(foreign);
    if (webhooks !== titles(before?.foreign ?? [])) {
      if (foreign.length > 0)
        log.warn('webhooks of other products are called for evictions, so the operator completes none there', {
          webhooks,
        });
      else log.info('no webhook of another product is called for evictions any more');
    }
    if (kruise === (before?.kruise ?? false)) return;
    if (kruise) log.warn('OpenKruise is registered for PodUnavailableBudgets, so Holdfast does not enforce them');
    else log.info('OpenKruise is no longer registered for PodUnavailableBudgets, so Holdfast enforces them');
  }

  #call(listener: () => void): void {
    try {
      listener();
    } catch (error) {
      this.#parts.context.log.error('a change of the webhook configurations could not be processed', { error });
    }
  }
}

interface Watch {
  readonly kind: string;
  readonly cache: ObjectCache<ConfigurationView>;
  readonly reflector: Reflector<ConfigurationView>;
}

function watch(
  kind: string,
  resource: ResourceName,
  { context, traits }: ForeignWebhooksParts,
  refresh: () => void,
): Watch {
  const { clients, clock, random, log } = context;
  const cache = new ObjectCache<ConfigurationView>({
    report: (error) => log.error('a webhook configuration from the watch could not be processed', { kind, error }),
  });
  let changed = true;
  cache.listen({
    delta: () => {
      changed = true;
    },
    // What came together is looked at once, when it is complete.
    progress: () => {
      if (changed) refresh();
      changed = false;
    },
  });
  const reflector = new Reflector<ConfigurationView>({
    client: clients.watch,
    resource,
    project: projectConfiguration,
    sink: cache,
    traits,
    clock,
    random,
    report: (end) => log.warn('a watch ended and is restarted', { kind, end }),
  });
  return { kind, cache, reflector };
}

function others(cache: ObjectCache<ConfigurationView>): readonly ConfigurationView[] {
  return [...cache.items()].filter(({ metadata }) => metadata.name !== operatorName);
}

function titles(foreign: readonly ForeignWebhook[]): string {
  return foreign.map(({ title }) => title).join(', ');
}

/** Versions of an object that say the same are the same. */
function signature(findings: Findings | undefined): string {
  return JSON.stringify([findings?.foreign, findings?.kruise, findings?.own?.webhooks, findings === undefined]);
}

/** How evictions in a namespace are completed: never by us where another webhook has a say about them. */
export function decideOptionsBy(
  foreignWebhooks: Pick<ForeignWebhooks, 'foreignEvictionWebhook'>,
  takeover: NonNullable<DecideOptions['takeover']>,
): (namespace: string) => DecideOptions {
  return (namespace) => ({
    takeover,
    foreignEvictionWebhook: foreignWebhooks.foreignEvictionWebhook(namespace) !== undefined,
  });
}
