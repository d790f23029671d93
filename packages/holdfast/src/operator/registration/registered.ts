import { createHash } from 'node:crypto';
import type { ObjectMeta } from 'kubernetes-types/meta/v1.js';
import { annotation } from '../../api/names.ts';
import type { WebhookConfiguration } from '../../install/index.ts';
import { bare } from '../../trust/path-segments.ts';
import { segmentsOf, type TrustingConfiguration, withTrust } from '../../trust/webhook-trust.ts';

/** A webhook configuration as it was read. */
export type FoundConfiguration = TrustingConfiguration & { readonly metadata?: ObjectMeta };

/**
 * The found configuration with the webhooks that it should have; undefined: leave it as it is. An annotation says which webhooks the operator
 * put there. While it names these, fields that a person changed since, such as the failure policy in an emergency, stay as they are.
 */
export function withWebhooks(
  found: FoundConfiguration,
  wanted: WebhookConfiguration,
  segment: string | undefined,
): FoundConfiguration | undefined {
  const mark = markOf(wanted);
  const { metadata = {}, webhooks = [] } = found;
  if (metadata.annotations?.[annotation.registered] === mark && webhooks.length > 0) return undefined;
  const [carried] = segmentsOf(found).filter((one) => one !== bare);
  const trusted = trustedLike(found, wanted);
  const called = withTrust(trusted, { authorities: undefined, segment: carried ?? segment }) ?? trusted;
  const annotations = { ...metadata.annotations, [annotation.registered]: mark };
  return { ...found, metadata: { ...metadata, annotations }, webhooks: called.webhooks ?? [] };
}

/** A webhook that comes new is trusted like those that are there: without a bundle, API servers could not call it and would refuse requests. */
function trustedLike(found: TrustingConfiguration, wanted: WebhookConfiguration): TrustingConfiguration {
  const caBundle = found.webhooks?.map(({ clientConfig }) => clientConfig.caBundle ?? '').find((one) => one !== '');
  const webhooks = (wanted.webhooks ?? []).map((webhook) => {
    const { clientConfig } = webhook;
    return caBundle === undefined || clientConfig.caBundle !== undefined
      ? webhook
      : { ...webhook, clientConfig: { ...clientConfig, caBundle } };
  });
  return { webhooks };
}

function markOf({ webhooks }: WebhookConfiguration): string {
  return createHash('sha256').update(JSON.stringify(webhooks)).digest('hex').slice(0, 32);
}
