import type { Fields } from '@holdfast/base/json';
import { isObject } from '@holdfast/base/json';
import { operatorName } from '../../api/installation-names.ts';
import type { ClusterApi } from '../cluster-api.ts';
import { endedBy, refusedWith } from '../failures.ts';
import { refText } from '../object-ref.ts';
import { done, type Ended } from '../outcome.ts';
import type { InstallValues } from '../values/values.ts';
import { type Located, manifestFor } from './apply-object.ts';

/**
 * Whether the API server will take the webhook configurations, which come last. It is asked before anything is written: an
 * installation that fails there has left twenty objects behind.
 */
export async function registrable(
  api: ClusterApi,
  { webhook }: InstallValues,
  located: Iterable<Located>,
): Promise<Ended> {
  for (const one of located) {
    if (!('webhooks' in one.manifest)) continue;
    const before = await api.find(one.resource, one.ref);
    if (!before.ok) return endedBy(before.failure, refText(one.ref)).ended;
    const tried = await api.apply(one.resource, one.ref, manifestFor(one.manifest, before.value), true);
    if (tried.ok || tried.failure.kind !== 'rejected') continue;
    const outside = webhook.url === undefined ? calledUrl(before.value) : undefined;
    if (outside !== undefined) return runsOutside(outside);
    return refusedWith(
      `the API server does not take ${refText(one.ref)}: ${tried.failure.message}`,
      'Nothing was written. The cluster may be older than Kubernetes 1.30, or one of its policies forbids this.',
    ).ended;
  }
  return done;
}

/** Where webhooks are called that are registered by a URL: their operator runs outside the cluster. */
function calledUrl(configuration: Fields | undefined): string | undefined {
  const webhooks = Array.isArray(configuration?.['webhooks']) ? configuration['webhooks'].filter(isObject) : [];
  const urls = webhooks.map(({ clientConfig }) => (isObject(clientConfig) ? clientConfig['url'] : undefined));
  const url = urls.find((one) => typeof one === 'string');
  return typeof url === 'string' && URL.canParse(url) ? new URL(url).origin : undefined;
}

function runsOutside(origin: string): Ended {
  return refusedWith(
    `an operator that runs outside this cluster has registered its webhooks here (they call ${origin})`,
    [
      'Nothing was written. Two operators cannot share the webhooks. Stop that one, remove its registration, and install again:',
      `  kubectl delete validatingwebhookconfiguration,mutatingwebhookconfiguration ${operatorName}`,
    ].join('\n'),
  ).ended;
}
