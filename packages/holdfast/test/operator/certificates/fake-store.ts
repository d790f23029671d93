import type { Secret } from 'kubernetes-types/core/v1.js';
import { type Failure, failed, type Outcome, succeeded } from '../../../src/kube/outcome/failure.ts';
import { resources } from '../../../src/observe/resources.ts';
import { secretOf, secretTexts } from '../../../src/operator/certificates/secret.ts';
import type { CertificateStore } from '../../../src/operator/certificates/store.ts';
import { readSecret } from '../../../src/trust/read-certificates.ts';
import { bundlesOf, type TrustingConfiguration, withTrust } from '../../../src/trust/webhook-trust.ts';

/** How the next call ends. `lost`: it happened, and the answer did not come. */
export type Fate = 'fine' | 'conflict' | 'failed' | 'lost' | 'thrown';

const conflict: Failure = { kind: 'conflict', message: 'another client wrote first' };
const trouble: Failure = {
  kind: 'retry',
  cause: 'server',
  message: 'etcd is away',
  retryAfterMs: undefined,
  maybeDone: true,
};

/** One Secret and one configuration of two webhooks, in memory, with versions. */
export class FakeStore implements CertificateStore {
  secretObject: Secret | undefined;
  configuration: TrustingConfiguration = { webhooks: [{ clientConfig: {} }, { clientConfig: {} }] };
  /** Used up one by one; then all is fine. */
  readFates: Fate[] = [];
  writeFates: Fate[] = [];
  readonly writes: string[] = [];
  #version = 1;
  #configurationVersion = 1;

  configurations() {
    const metadata = { resourceVersion: String(this.#configurationVersion) };
    const read = { resource: resources.validating, object: { ...this.configuration, metadata } };
    return this.#fated(this.readFates, () => [read]);
  }

  secret() {
    return this.#fated(this.readFates, () => this.secretObject);
  }

  async publish(...[{ object }, wanted]: Parameters<CertificateStore['publish']>) {
    const changed = withTrust(object, wanted);
    if (changed === undefined) return succeeded('unchanged' as const);
    if (object.metadata?.resourceVersion !== String(this.#configurationVersion)) return failed(conflict);
    return this.#fated(this.writeFates, () => {
      this.writes.push('bundle');
      this.#configurationVersion += 1;
      this.configuration = { webhooks: changed.webhooks ?? [] };
      return 'written' as const;
    });
  }

  async keep(...[texts, before]: Parameters<CertificateStore['keep']>): Promise<Outcome<unknown>> {
    if (before?.metadata?.resourceVersion !== this.secretObject?.metadata?.resourceVersion) return failed(conflict);
    return this.#fated(this.writeFates, () => {
      this.writes.push('secret');
      this.#version += 1;
      const secret = secretOf({ namespace: 'n', name: 's' }, texts, before);
      this.secretObject = { ...secret, metadata: { ...secret.metadata, resourceVersion: String(this.#version) } };
    });
  }

  stored() {
    return readSecret(secretTexts(this.secretObject?.data), { dnsNames: [], addresses: [] }).stored;
  }

  /** Every webhook trusts the signer of the leaf. */
  holdsTogether(): boolean {
    const { leaf } = this.stored();
    const bundles = bundlesOf(this.configuration);
    return leaf !== undefined && bundles.every((bundle) => bundle.some(({ id }) => id === leaf.issuer));
  }

  async #fated<T>(fates: Fate[], happen: () => T): Promise<Outcome<T>> {
    const fate = fates.shift() ?? 'fine';
    if (fate === 'thrown') throw new Error('a mistake');
    if (fate === 'conflict') return failed(conflict);
    if (fate === 'failed') return failed(trouble);
    const value = happen();
    return fate === 'lost' ? failed(trouble) : succeeded(value);
  }
}
