import type { Clock } from '../../kube/time/clock.ts';
import { resources } from '../../observe/resources.ts';
import type { Logger } from '../../telemetry/log.ts';
import type { CertificatePolicy } from '../../trust/certificate-policy.ts';
import type { ServerNames } from '../../trust/material.ts';
import { type ReadSecret, readSecret } from '../../trust/read-certificates.ts';
import type { CertificateFacts, LeafFacts } from '../../trust/rotation-plan.ts';
import { bundlesOf, type TrustingConfiguration } from '../../trust/webhook-trust.ts';
import type { CallerPaths } from './caller-paths.ts';
import type { CertificateMetrics } from './certificate-metrics.ts';
import { ServedPair } from './certificates.ts';
import { secretTexts } from './secret.ts';
import { confirms, isTrusted, mayServe, type Serving, shouldAdopt } from './serving.ts';
import type { StorePlaces } from './store.ts';
import { type WatchedBody, WatchedObject, type WatchOptions } from './watched-object.ts';

export interface KeeperOptions {
  readonly watch: WatchOptions;
  readonly places: StorePlaces;
  readonly names: ServerNames;
  readonly policy: CertificatePolicy;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: CertificateMetrics;
  /** Receives the path segments that the watches see in the Secret and in the configurations. */
  readonly paths: Pick<CallerPaths, 'secretSeen' | 'configurationsSeen'>;
  /** Told when the Secret or a configuration has changed. */
  readonly changed: () => void;
}

/** On both clocks: an administrator can set the wall clock, and the monotonic one stops while the machine sleeps. */
interface Moment {
  readonly wallMs: number;
  readonly monotonicMs: number;
}

type Bundles = readonly (readonly CertificateFacts[])[];

/** A configuration that is watched, and what was read from it. */
interface Trust {
  readonly watched: WatchedObject;
  from: WatchedBody | undefined;
  bundles: Bundles;
}

/**
 * The certificate that one replica serves: the leaf of the Secret. A replica that has not seen the Secret for long is not ready: the leader may
 * have replaced the leaf meanwhile, and API servers may no longer trust the old one.
 */
export class CertificateKeeper {
  readonly pair: ServedPair;
  readonly #options: KeeperOptions;
  readonly #secret: WatchedObject;
  readonly #trust: readonly Trust[];
  #from: WatchedBody | undefined;
  #read: ReadSecret | undefined;
  #leaf: LeafFacts | undefined;
  /** When the Secret was last seen, and when it last confirmed the leaf. */
  #seen: Moment = { wallMs: 0, monotonicMs: 0 };
  #confirmed: Moment = this.#seen;

  constructor(options: KeeperOptions) {
    const { watch, places, log } = options;
    this.#options = options;
    this.pair = new ServedPair(log);
    this.#secret = new WatchedObject(watch, resources.secrets, places.secret, () => this.#onSecret());
    this.#trust = [resources.validating, resources.mutating].map((resource) => {
      const place = { name: places.configuration };
      return {
        watched: new WatchedObject(watch, resource, place, () => this.#onConfigurations()),
        from: undefined,
        bundles: [],
      };
    });
  }

  ready(): boolean {
    const serving = this.#serving();
    const bundles = this.#bundles();
    if (serving === undefined || bundles === undefined) return false;
    const { clock, policy } = this.#options;
    return mayServe(serving.leaf, serving.confirmedMs, clock.now(), policy) && isTrusted(serving.leaf.issuer, bundles);
  }

  async close(): Promise<void> {
    this.pair.close();
    await Promise.all([this.#secret.stop(), ...this.#trust.map(({ watched }) => watched.stop())]);
  }

  #onSecret(): void {
    const { clock } = this.#options;
    const { object } = this.#secret;
    this.#seen = { wallMs: clock.now(), monotonicMs: clock.monotonic() };
    if (object !== this.#from) {
      this.#from = object;
      const texts = secretTexts(object?.['data']);
      this.#read = object && readSecret(texts, this.#options.names);
      this.#options.paths.secretSeen(texts);
      this.#options.changed();
    }
    this.#adopt();
    if (this.#leaf !== undefined && confirms(this.#read?.stored, this.#leaf)) this.#confirmed = this.#seen;
  }

  #onConfigurations(): void {
    const changed = this.#trust.filter(({ watched, from }) => watched.object !== from);
    for (const trust of changed) {
      trust.from = trust.watched.object;
      trust.bundles = configurationsIn([trust]).flatMap(bundlesOf);
    }
    if (changed.length > 0) {
      this.#options.paths.configurationsSeen(configurationsIn(this.#trust));
      this.#options.changed();
    }
    this.#adopt();
  }

  #adopt(): void {
    const { clock, policy, metrics, log } = this.#options;
    const { leaf: pair, stored } = this.#read ?? {};
    const leaf = stored?.leaf;
    if (pair === undefined || leaf === undefined) return;
    if (!shouldAdopt(leaf, this.#serving(), this.#bundles(), clock.now(), policy)) return;
    this.#leaf = leaf;
    this.#confirmed = this.#seen;
    metrics.serves(leaf.notAfterMs);
    log.info('serving a certificate', { id: leaf.id, ends: new Date(leaf.notAfterMs).toISOString() });
    this.pair.set(pair);
  }

  #serving(): Serving | undefined {
    if (this.#leaf === undefined) return undefined;
    const { clock } = this.#options;
    const { wallMs, monotonicMs } = this.#confirmed;
    return { leaf: this.#leaf, confirmedMs: Math.min(wallMs, clock.now() - (clock.monotonic() - monotonicMs)) };
  }

  /** Undefined: the watches have been silent for so long that the bundles may have changed. */
  #bundles(): Bundles | undefined {
    const { confirmWithinMs } = this.#options.policy;
    if (this.#trust.some(({ watched }) => watched.silentMs() > confirmWithinMs)) return undefined;
    return this.#trust.flatMap(({ bundles }) => bundles);
  }
}

function configurationsIn(trust: readonly Trust[]): readonly TrustingConfiguration[] {
  // Safe: only API servers write them, and these demand a clientConfig.
  return trust.flatMap(({ from }) => (from === undefined ? [] : [from as TrustingConfiguration]));
}
