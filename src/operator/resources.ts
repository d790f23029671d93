import { ledgerGroup } from '../api/ledger.ts';
import { pubGroup } from '../api/pub.ts';
import type { ResourceName } from '../kube/client/resource.ts';

/** Where the objects live that the operator reads and writes. */

function namespaced(group: string, version: string, plural: string): ResourceName {
  return { group, version, plural, namespaced: true };
}

function clusterWide(group: string, version: string, plural: string): ResourceName {
  return { group, version, plural, namespaced: false };
}

export const resources = {
  pods: namespaced('', 'v1', 'pods'),
  claims: namespaced('', 'v1', 'persistentvolumeclaims'),
  secrets: namespaced('', 'v1', 'secrets'),
  namespaces: clusterWide('', 'v1', 'namespaces'),
  statefulSets: namespaced('apps', 'v1', 'statefulsets'),
  pdbs: namespaced('policy', 'v1', 'poddisruptionbudgets'),
  pubs: namespaced(pubGroup, 'v1beta1', 'podunavailablebudgets'),
  ledgers: namespaced(ledgerGroup, 'v1alpha1', 'disruptionledgers'),
  validating: clusterWide('admissionregistration.k8s.io', 'v1', 'validatingwebhookconfigurations'),
  mutating: clusterWide('admissionregistration.k8s.io', 'v1', 'mutatingwebhookconfigurations'),
} as const;
