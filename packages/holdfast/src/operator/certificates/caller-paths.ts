import type { Outcome } from '../../kube/outcome/failure.ts';
import type { Clock } from '../../kube/time/clock.ts';
import type { Logger } from '../../telemetry/log.ts';
import { bare, isAmong, readSegments } from '../../trust/path-segments.ts';
import { type SecretTexts, secretKeys } from '../../trust/read-certificates.ts';
import { segmentsOf, type TrustingConfiguration } from '../../trust/webhook-trust.ts';
import { secretTexts } from './secret.ts';
import type { CertificateStore } from './store.ts';

/** Which path segments prove a caller, as one replica knows it. */
export interface AcceptedPaths {
  /** Answers from memory, in constant time: a caller must not learn a segment by measuring how long the comparison takes. */
  accepts(segment: string): boolean;
  /** Reads the Secret and the configurations from the API server. A call with an unknown segment waits for one such read. */
  look(): Promise<void>;
  /** The segment that the leader writes into the configurations. Undefined: not known yet. */
  current(): string | undefined;
}

/** A flood of unproven calls must not become a flood of reads: a replica reads at most this often. */
const lookEveryMs = 1_000;
/** One read may take this long. A segment that it has not shown by then stays unknown. */
const lookWithinMs = 2_000;

/**
 * The segments that this replica's watches have shown, in the Secret and in the configurations. The watches lag: an API server may call with
 * a new segment before this replica has seen it. So the replica reads once more before it refuses the call.
 */
export class CallerPaths implements AcceptedPaths {
  readonly #store: CertificateStore;
  readonly #clock: Clock;
  readonly #log: Logger;
  #listed: readonly string[] = [];
  #carried: ReadonlySet<string> = new Set();
  #looking: Promise<void> | undefined;
  #lookedMs = Number.NEGATIVE_INFINITY;

  constructor(store: CertificateStore, clock: Clock, log: Logger) {
    this.#store = store;
    this.#clock = clock;
    this.#log = log;
  }

  accepts(segment: string): boolean {
    return isAmong(segment, [...this.#listed, ...this.#carried]);
  }

  current(): string | undefined {
    const [newest] = this.#listed;
    return newest === bare ? undefined : newest;
  }

  secretSeen(texts: SecretTexts): void {
    this.#listed = readSegments(texts.get(secretKeys.paths)).map(({ segment }) => segment);
  }

  configurationsSeen(configurations: readonly TrustingConfiguration[]): void {
    this.#carried = new Set(configurations.flatMap(segmentsOf));
  }

  look(): Promise<void> {
    this.#looking ??= this.#lookOnce().finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  async #lookOnce(): Promise<void> {
    const waitMs = this.#lookedMs + lookEveryMs - this.#clock.monotonic();
    if (waitMs > 0) await new Promise<void>((resolve) => void this.#clock.after(waitMs, resolve));
    this.#lookedMs = this.#clock.monotonic();
    const giveUp = new AbortController();
    const timer = this.#clock.after(lookWithinMs, () => giveUp.abort());
    try {
      const [secret, configurations] = await Promise.all([
        this.#store.secret(giveUp.signal),
        this.#store.configurations(giveUp.signal),
      ]);
      if (this.#isRead(secret)) this.secretSeen(secretTexts(secret.value?.data));
      if (this.#isRead(configurations)) this.configurationsSeen(configurations.value.map(({ object }) => object));
    } finally {
      timer.cancel();
    }
  }

  #isRead<T>(outcome: Outcome<T>): outcome is Extract<Outcome<T>, { readonly ok: true }> {
    if (!outcome.ok) this.#log.debug('reading the accepted webhook paths failed', { error: outcome.failure.message });
    return outcome.ok;
  }
}

/** Where no network leads to the webhooks, nothing has to be proven: configurations carry bare paths. */
export const barePaths: AcceptedPaths = {
  accepts: (segment) => segment === bare,
  look: () => Promise.resolve(),
  current: () => bare,
};
