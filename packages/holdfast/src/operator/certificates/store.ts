import type { Secret } from 'kubernetes-types/core/v1.js';
import type { ObjectMeta } from 'kubernetes-types/meta/v1.js';
import type { KubeClient, ResourceName } from '../../kube/client/client.ts';
import { type Failure, failed, type Outcome, rejected, succeeded } from '../../kube/outcome/failure.ts';
import { resources } from '../../observe/resources.ts';
import type { SecretTexts } from '../../trust/read-certificates.ts';
import { type TrustingConfiguration, type WantedTrust, withTrust } from '../../trust/webhook-trust.ts';
import { secretOf } from './secret.ts';

type StoredConfiguration = TrustingConfiguration & { readonly metadata?: ObjectMeta };

/** A webhook configuration as it was read. The write carries its resourceVersion, and fails if another writer was first. */
export interface ReadConfiguration {
  readonly resource: ResourceName;
  readonly object: StoredConfiguration;
}

/** Where certificates and bundles are kept. Reads are consistent, not from a cache; writes carry the resourceVersion that was read. */
export interface CertificateStore {
  /** Those that exist. */
  configurations(signal: AbortSignal): Promise<Outcome<readonly ReadConfiguration[]>>;
  secret(signal: AbortSignal): Promise<Outcome<Secret | undefined>>;
  /** `unchanged`: the configuration has the bundle and the path already. */
  publish(read: ReadConfiguration, wanted: WantedTrust, signal: AbortSignal): Promise<Outcome<'written' | 'unchanged'>>;
  /** @param before the Secret that it replaces; undefined: there must be none */
  keep(texts: SecretTexts, before: Secret | undefined, signal: AbortSignal): Promise<Outcome<unknown>>;
}

export interface StorePlaces {
  readonly secret: { readonly namespace: string; readonly name: string };
  /** Of both webhook configurations. */
  readonly configuration: string;
}

const fieldManager = 'holdfast-certificates';

export function kubeCertificateStore(client: KubeClient, places: StorePlaces): CertificateStore {
  const { secret: place, configuration: name } = places;
  const read = async (resource: ResourceName, signal: AbortSignal): Promise<Outcome<ReadConfiguration | undefined>> => {
    const found = ifThere(await client.get<StoredConfiguration>(resource, { name }, { signal }));
    return found.ok ? succeeded(found.value && { resource, object: found.value }) : found;
  };
  return {
    async configurations(signal) {
      const all = await Promise.all([read(resources.validating, signal), read(resources.mutating, signal)]);
      const there: ReadConfiguration[] = [];
      for (const one of all) {
        if (!one.ok) return one;
        if (one.value !== undefined) there.push(one.value);
      }
      return succeeded(there);
    },
    secret: async (signal) => ifThere(await client.get<Secret>(resources.secrets, place, { signal })),
    async publish({ resource, object }, trust, signal) {
      const wanted = withTrust(object, trust);
      if (wanted === undefined) return succeeded('unchanged');
      if (!isVersioned(object)) return versionless;
      const written = await client.replace(resource, { name }, wanted, { signal, fieldManager });
      return written.ok ? succeeded('written') : written;
    },
    keep(texts, before, signal) {
      const secret = secretOf(place, texts, before);
      const options = { signal, fieldManager };
      if (before === undefined) {
        return client.create(resources.secrets, { namespace: place.namespace }, secret, options);
      }
      return isVersioned(before)
        ? client.replace(resources.secrets, place, secret, options)
        : Promise.resolve(versionless);
    },
  };
}

/** Without a version it would overwrite whatever is there. */
function isVersioned({ metadata }: { readonly metadata?: ObjectMeta }): boolean {
  return metadata?.resourceVersion !== undefined;
}

const versionless = rejected('an object without a resourceVersion');

function ifThere<T>(outcome: Outcome<T>): Outcome<T | undefined> {
  if (outcome.ok) return outcome;
  return outcome.failure.kind === 'notFound' ? succeeded(undefined) : failed(outcome.failure);
}

/** Another writer was first: the plan was made from objects that have changed since. */
export function lostRace({ kind }: Failure): boolean {
  return kind === 'conflict' || kind === 'alreadyExists';
}
