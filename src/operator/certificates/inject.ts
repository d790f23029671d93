import { caBundleOf } from './apply-step.ts';
import type { CertificateFacts } from './plan.ts';
import { readBundle } from './read.ts';

/** As much of a webhook configuration as certificates are about. */
export interface TrustingConfiguration {
  readonly webhooks?: readonly { readonly clientConfig: { readonly caBundle?: string } }[];
}

/** What each webhook trusts now. */
export function bundlesOf({ webhooks = [] }: TrustingConfiguration): readonly (readonly CertificateFacts[])[] {
  return webhooks.map(({ clientConfig: { caBundle = '' } }) => readBundle(Buffer.from(caBundle, 'base64').toString()));
}

/** The configuration as it should be, in which all else is as it was. Undefined: it is so already. */
export function withBundle<T extends TrustingConfiguration>(
  configuration: T,
  authorities: readonly CertificateFacts[],
): T | undefined {
  const caBundle = caBundleOf(authorities);
  const { webhooks = [] } = configuration;
  if (webhooks.every(({ clientConfig }) => clientConfig.caBundle === caBundle)) return undefined;
  return {
    ...configuration,
    webhooks: webhooks.map((webhook) => ({ ...webhook, clientConfig: { ...webhook.clientConfig, caBundle } })),
  };
}
