import { matches, type Selector } from '@holdfast/base/labels/label-selector';
import type { StringMap } from '@holdfast/base/meta';
import type { InstallationMode } from '../../api/installation-names.ts';
import { isObserving, operatorName, webhookPaths } from '../../api/installation-names.ts';
import { label } from '../../api/names.ts';
import { isCovered, podEviction, type RequestKind } from '../foreign-webhooks/rule-match.ts';
import type { ConfigurationView, WebhookView } from '../foreign-webhooks/webhook-view.ts';
import { guardedValue } from './guard-mode.ts';

/** Whether API servers are told to ask us about pods: in no namespace, or in those that all of the selectors match. */
export type Registration =
  | { readonly kind: 'missing'; readonly message: string }
  | {
      readonly kind: 'there';
      readonly selectors: readonly { readonly webhook: string; readonly namespaces: Selector }[];
    };

const configurationTitle = `ValidatingWebhookConfiguration ${operatorName}`;
const remedy = "apply the operator's manifests again";

const aboutPods: RequestKind = { ...podEviction, subresource: '' };

/** What a budget cannot be kept without. */
const needed: readonly { readonly what: string; readonly request: RequestKind }[] = [
  { what: 'evictions (CREATE pods/eviction)', request: podEviction },
  { what: 'deletions (DELETE pods)', request: { ...aboutPods, operation: 'DELETE' } },
  { what: 'changes (UPDATE pods)', request: { ...aboutPods, operation: 'UPDATE' } },
  { what: 'resizes (UPDATE pods/resize)', request: { ...aboutPods, operation: 'UPDATE', subresource: 'resize' } },
];

/** The webhooks of each kind, and what the configuration makes of the whole installation. */
export interface PodWebhooks {
  readonly enforcing: Registration;
  readonly observing: Registration;
  /** `observe`: no request is refused in any namespace. */
  readonly installation: InstallationMode;
}

export function podWebhooksOf(configuration: ConfigurationView | undefined): PodWebhooks {
  return {
    enforcing: registrationOf(configuration, 'enforce'),
    observing: registrationOf(configuration, 'observe'),
    installation: configuration !== undefined && observesAll(configuration) ? 'observe' : 'enforce',
  };
}

/**
 * Where nothing enforces and guarded namespaces are observed. The configuration is one object that all replicas see: by its change the
 * whole installation goes over to enforcing, while the flags of replicas change one by one. What is missing in it means enforcing.
 */
export function observesAll({ webhooks }: ConfigurationView): boolean {
  const forEvictions = webhooks.filter(({ rules }) => isCovered(rules, podEviction));
  const guarded = { [label.guard]: guardedValue };
  return (
    forEvictions.every(({ name }) => isObserving(name)) &&
    forEvictions.some(({ namespaces }) => namespaces !== undefined && matches(namespaces, guarded))
  );
}

function registrationOf(configuration: ConfigurationView | undefined, mode: InstallationMode): Registration {
  if (configuration === undefined) return missing(`${configurationTitle} does not exist: ${remedy}`);
  const selectors = new Map<string, Selector>();
  for (const { what, request } of needed) {
    const webhook = configuration.webhooks.find(
      ({ name, path, rules }) =>
        path !== webhookPaths.probes && isObserving(name) === (mode === 'observe') && isCovered(rules, request),
    );
    const which = mode === 'observe' ? 'webhook that observes' : 'webhook for';
    if (webhook === undefined) return missing(`${configurationTitle} has no ${which} ${what}: ${remedy}`);
    const problem = problemOf(webhook, mode);
    if (problem !== undefined) return missing(`webhook ${webhook.name} ${problem}`);
    if (webhook.namespaces !== undefined) selectors.set(webhook.name, webhook.namespaces);
  }
  return { kind: 'there', selectors: [...selectors].map(([webhook, namespaces]) => ({ webhook, namespaces })) };
}

/** Why requests of a namespace with these labels do not reach us. */
export function outOfReach(registration: Registration, labels: StringMap): string | undefined {
  if (registration.kind === 'missing') return registration.message;
  const other = registration.selectors.find(({ namespaces }) => !matches(namespaces, labels));
  return other && `the namespaceSelector of webhook ${other.webhook} leaves this namespace out: ${remedy}`;
}

function problemOf(
  { failurePolicy, hasTrust, selectsObjects, namespaces }: WebhookView,
  mode: InstallationMode,
): string | undefined {
  if (mode === 'enforce' && failurePolicy !== 'Fail') {
    return `has failurePolicy ${failurePolicy}, so requests pass unchecked while it cannot be reached: set it to Fail`;
  }
  if (!hasTrust) {
    return 'has no caBundle, so API servers do not trust it: the operator, or cert-manager, fills it in; if this stays, read its log';
  }
  if (selectsObjects) return `has an objectSelector, so API servers do not call it for every pod: ${remedy}`;
  return namespaces === undefined ? `has a namespaceSelector that is not valid: ${remedy}` : undefined;
}

function missing(message: string): Registration {
  return { kind: 'missing', message };
}
