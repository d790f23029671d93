import { ledgerGroup } from '../api/ledger.ts';
import { pubGroup } from '../api/pub/pub.ts';
import type { ResourceName } from '../kube/client/client.ts';

/** Where the objects live that operator and command line read and write. */

function namespaced(group: string, version: string, plural: string): ResourceName {
  return { group, version, plural, namespaced: true };
}

function clusterWide(group: string, version: string, plural: string): ResourceName {
  return { group, version, plural, namespaced: false };
}

/**
 * PodUnavailableBudgets in the version that an object or a request of the cluster names. Holdfast's definition serves two versions;
 * where OpenKruise's own definition is installed, it stays, and may serve the older one alone.
 */
export function pubsIn(version: string): ResourceName {
  return namespaced(pubGroup, version, 'podunavailablebudgets');
}

export const resources = {
  pods: namespaced('', 'v1', 'pods'),
  claims: namespaced('', 'v1', 'persistentvolumeclaims'),
  secrets: namespaced('', 'v1', 'secrets'),
  namespaces: clusterWide('', 'v1', 'namespaces'),
  nodes: clusterWide('', 'v1', 'nodes'),
  statefulSets: namespaced('apps', 'v1', 'statefulsets'),
  pdbs: namespaced('policy', 'v1', 'poddisruptionbudgets'),
  ledgers: namespaced(ledgerGroup, 'v1alpha1', 'disruptionledgers'),
  validating: clusterWide('admissionregistration.k8s.io', 'v1', 'validatingwebhookconfigurations'),
  mutating: clusterWide('admissionregistration.k8s.io', 'v1', 'mutatingwebhookconfigurations'),
} as const;
