/** Names that the operator and its manifests agree on. */

/** Of the Deployment, its Service, its ServiceAccount, its roles and its webhook configurations. */
export const operatorName = 'holdfast';
/** Of the DaemonSet, its ServiceAccount and its roles. */
export const agentName = 'holdfast-agent';
export const defaultNamespace = 'holdfast-system';
/**
 * Where the agents keep the leases of their nodes. Nothing else is in it: the agents' token is on every node, and must not reach what the
 * operator leads and signs by.
 */
export const agentsNamespace = 'holdfast-agents';
export const certificateSecret = 'holdfast-webhook-certificates';
/** Of the paths that prove API servers, where others keep the certificates. */
export const pathSecret = 'holdfast-webhook-paths';
export const electionLease = 'holdfast-operator';

export const ports = { webhook: 9443, health: 8080 } as const;

/** What each webhook is called at, below the Service or the URL. */
export const webhookPaths = {
  pods: '/pods',
  budgets: '/podunavailablebudgets',
  statefulSets: '/statefulsets',
  probes: '/probes',
  pinning: '/evictions',
  projection: '/poddisruptionbudgets',
} as const;

/** `observe`: everything is judged, and nothing is refused, reserved or completed. */
export const installationModes = ['enforce', 'observe'] as const;
export type InstallationMode = (typeof installationModes)[number];

const observing = '.observe.holdfast.dev';
const enforcing = '.holdfast.dev';

/** The name of a webhook: of one that may refuse, or of one that lets everything pass and says what it would have refused. */
export function webhookName(what: string, mode: InstallationMode): string {
  return `${what}${mode === 'observe' ? observing : enforcing}`;
}

export function isObserving(webhook: string): boolean {
  return webhook.endsWith(observing);
}

/** Where certificates that others make are mounted. */
export const certificateFolder = '/etc/holdfast/certificates';

/** Where the authority of API servers' client certificates is mounted. */
export const clientFolder = '/etc/holdfast/client-authority';

export const selectorLabels = {
  'app.kubernetes.io/name': 'holdfast',
  'app.kubernetes.io/component': 'operator',
} as const;

export const commonLabels = { ...selectorLabels, 'app.kubernetes.io/part-of': 'holdfast' } as const;

export const agentSelectorLabels = { ...selectorLabels, 'app.kubernetes.io/component': 'agent' } as const;

export const agentLabels = { ...agentSelectorLabels, 'app.kubernetes.io/part-of': 'holdfast' } as const;

/** The user that the agents are to API servers. */
export function agentUser(namespace: string): string {
  return `system:serviceaccount:${namespace}:${agentName}`;
}

/** The user that the operator is to API servers. */
export function operatorUser(namespace: string): string {
  return `system:serviceaccount:${namespace}:${operatorName}`;
}
