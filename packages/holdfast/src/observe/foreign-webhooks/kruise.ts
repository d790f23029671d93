import { pubGroup } from '../../api/pub/pub.ts';
import type { ConfigurationView, WebhookView } from './webhook-view.ts';

const plural = 'podunavailablebudgets';

/**
 * Whether this is Kruise's own registration for PodUnavailableBudgets: it then answers for them, also where its feature gates are
 * off. A policy engine may also have rules about these objects, and protects nothing by them; to take it for Kruise would leave
 * every PodUnavailableBudget unenforced.
 */
export function isKruiseForPubs({ metadata, webhooks }: ConfigurationView): boolean {
  return webhooks.some((webhook) => isKruiseWebhook(webhook, metadata.name));
}

function isKruiseWebhook(webhook: WebhookView, configuration: string): boolean {
  if (webhook.name.startsWith('vpodunavailablebudget.')) return true;
  if (/policy-kruise-io.*podunavailablebudget/.test(webhook.path)) return true;
  return namesPubs(webhook) && [configuration, webhook.service].some((name) => name.includes('kruise'));
}

/** By name: a rule for everything is about nothing in particular. */
function namesPubs({ rules }: WebhookView): boolean {
  return rules.some(({ apiGroups, resources }) => apiGroups.includes(pubGroup) && resources.includes(plural));
}
